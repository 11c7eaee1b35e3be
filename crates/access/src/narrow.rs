//! What a token keeps of its identity's grants.

use domain::{CapabilitySet, Grant, Grants, Narrowing, Place, Uidp};

/// The grants that remain under a narrowing: only the named capabilities, only at or below the named groups. What holds at
/// such a group because of a grant above it remains, at the group.
#[must_use]
pub fn narrow(grants: &Grants, narrowing: &Narrowing) -> Grants {
    let kept = |at, held: CapabilitySet| match &narrowing.capabilities {
        None => Some(Grant { at, capabilities: held }),
        Some(kept) => Some(held.intersection(kept)).filter(|left| !left.is_empty()).map(|left| Grant { at, capabilities: left }),
    };
    let at = |(at, held): (&Uidp, CapabilitySet)| kept(Place::At(at.clone()), held);
    match &narrowing.scopes {
        None => {
            let everywhere = grants.everywhere().and_then(|held| kept(Place::Everywhere, held));
            everywhere.into_iter().chain(grants.places().filter_map(at)).collect()
        }
        Some(groups) => {
            let inside = |group| grants.covering(group).map(|held| (group, held)).into_iter().chain(grants.below(group));
            groups.iter().flat_map(inside).filter_map(at).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(at: &Uidp, capability: &str) -> Grant {
        Grant { at: Place::At(at.clone()), capabilities: CapabilitySet::from_names([capability]) }
    }

    /// One grant for each place.
    fn listed(grants: &Grants) -> Vec<Grant> {
        let everywhere = grants.everywhere().map(|capabilities| Grant { at: Place::Everywhere, capabilities });
        let places = grants.places().map(|(at, capabilities)| Grant { at: Place::At(at.clone()), capabilities });
        everywhere.into_iter().chain(places).collect()
    }

    /// The published example: one binding at a group, one at its child.
    #[test]
    fn scopes_keep_what_applies_inside_them() {
        let foo = Uidp::root_from([1; 20]);
        let bar = foo.child([2; 8]);
        let grants = [grant(&foo, "groups.list"), grant(&bar, "repo.list")].into_iter().collect();
        let scoped = |scopes: &[&Uidp]| {
            let scopes = Some(scopes.iter().map(|uidp| (*uidp).clone()).collect());
            listed(&narrow(&grants, &Narrowing { scopes, capabilities: None }))
        };
        let both = CapabilitySet::from_names(["groups.list", "repo.list"]);
        assert_eq!(scoped(&[&bar]), [Grant { at: Place::At(bar.clone()), capabilities: both }]);
        assert_eq!(scoped(&[&foo]), [grant(&foo, "groups.list"), grant(&bar, "repo.list")]);
        let below = bar.child([3; 8]);
        assert_eq!(scoped(&[&below]), [Grant { at: Place::At(below.clone()), capabilities: both }]);
        assert_eq!(scoped(&[&Uidp::root_from([9; 20])]), []);
        assert_eq!(scoped(&[]), []);
    }

    #[test]
    fn capabilities_only_shrink() {
        let foo = Uidp::root_from([1; 20]);
        let everywhere = |capabilities| Grant { at: Place::Everywhere, capabilities };
        let grants = [grant(&foo, "groups.list"), everywhere(CapabilitySet::ALL)].into_iter().collect();
        let kept = CapabilitySet::from_names(["repo.list"]);
        let narrowing = Narrowing { scopes: None, capabilities: Some(kept) };
        assert_eq!(listed(&narrow(&grants, &narrowing)), [everywhere(kept)]);
    }
}
