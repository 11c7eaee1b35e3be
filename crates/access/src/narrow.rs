//! What a token keeps of its identity's grants.

use domain::{Grant, Narrowing, Place, Uidp};

/// The grants that remain under a narrowing: only the named capabilities, only at or below the named groups. A grant
/// at an ancestor of such a group remains, moved down to the group.
#[must_use]
pub fn narrow(grants: Vec<Grant>, narrowing: &Narrowing) -> Vec<Grant> {
    let within = match &narrowing.scopes {
        None => grants,
        Some(groups) => grants.iter().flat_map(|grant| groups.iter().filter_map(|group| inside(grant, group))).collect(),
    };
    match &narrowing.capabilities {
        None => within,
        Some(kept) => within
            .into_iter()
            .map(|grant| Grant { capabilities: grant.capabilities.intersection(kept), ..grant })
            .filter(|grant| !grant.capabilities.is_empty())
            .collect(),
    }
}

/// The part of `grant` that holds at or below `group`.
fn inside(grant: &Grant, group: &Uidp) -> Option<Grant> {
    let at = match &grant.at {
        place if place.covers(group) => Place::At(group.clone()),
        Place::At(at) if group.contains(at) => Place::At(at.clone()),
        _ => return None,
    };
    Some(Grant { at, capabilities: grant.capabilities })
}

#[cfg(test)]
mod tests {
    use domain::CapabilitySet;

    use super::*;

    fn grant(at: &Uidp, capability: &str) -> Grant {
        Grant { at: Place::At(at.clone()), capabilities: CapabilitySet::from_names([capability]) }
    }

    /// The published example: one binding at a group, one at its child.
    #[test]
    fn scopes_keep_what_applies_inside_them() {
        let foo = Uidp::root_from([1; 20]);
        let bar = foo.child([2; 8]);
        let grants = vec![grant(&foo, "groups.list"), grant(&bar, "repo.list")];
        let scoped = |scopes: &[&Uidp]| {
            let scopes = Some(scopes.iter().map(|uidp| (*uidp).clone()).collect());
            narrow(grants.clone(), &Narrowing { scopes, capabilities: None })
        };
        assert_eq!(scoped(&[&bar]), [grant(&bar, "groups.list"), grant(&bar, "repo.list")]);
        assert_eq!(scoped(&[&foo]), [grant(&foo, "groups.list"), grant(&bar, "repo.list")]);
        assert_eq!(scoped(&[&bar.child([3; 8])]).len(), 2);
        assert_eq!(scoped(&[&Uidp::root_from([9; 20])]), []);
        assert_eq!(scoped(&[]), []);
    }

    #[test]
    fn capabilities_only_shrink() {
        let foo = Uidp::root_from([1; 20]);
        let grants = vec![grant(&foo, "groups.list"), Grant { at: Place::Everywhere, capabilities: CapabilitySet::ALL }];
        let kept = CapabilitySet::from_names(["repo.list"]);
        let narrowing = Narrowing { scopes: None, capabilities: Some(kept) };
        assert_eq!(narrow(grants, &narrowing), [Grant { at: Place::Everywhere, capabilities: kept }]);
    }
}
