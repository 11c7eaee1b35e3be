//! Whether a caller may do something at a place, and at which places it may.

use std::collections::BTreeSet;

use domain::{CapabilitySet, Grant, Place, Scopes, Uidp};

/// The answer for one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The caller holds everything that is needed.
    Allow,
    /// Something is missing.
    Deny {
        /// What is missing there.
        missing: CapabilitySet,
    },
}

/// Everything that the grants give at `at`: what is held there or at any ancestor.
#[must_use]
pub fn held_at(grants: &[Grant], at: &Uidp) -> CapabilitySet {
    held_where(grants, |place| place.covers(at))
}

/// Whether the grants give every needed capability at `at`. Nothing needed is always allowed: any authenticated caller
/// may call such a method.
#[must_use]
pub fn decide(grants: &[Grant], needed: &CapabilitySet, at: &Uidp) -> Decision {
    let missing = needed.without(&held_at(grants, at));
    if missing.is_empty() { Decision::Allow } else { Decision::Deny { missing } }
}

/// The places where every needed capability is held, possibly through several grants: the highest ones only, none
/// inside another. With nothing needed these are the places of all grants.
#[must_use]
pub fn scopes(grants: &[Grant], needed: &CapabilitySet) -> Scopes {
    let holds = |at: &Place| held_where(grants, |place| place.covers_place(at)).has_all(needed);
    // A capability starts to be held at the place of some grant, so no other place can be a highest one.
    let places: BTreeSet<&Place> = grants.iter().map(|grant| &grant.at).filter(|at| holds(at)).collect();
    if places.contains(&Place::Everywhere) {
        return Scopes::All;
    }
    let mut subtrees: Vec<Uidp> = Vec::with_capacity(places.len());
    // In byte order an ancestor comes before everything below it.
    for place in places {
        if let Place::At(uidp) = place
            && !subtrees.iter().any(|root| root.contains(uidp))
        {
            subtrees.push(uidp.clone());
        }
    }
    Scopes::Subtrees(subtrees)
}

fn held_where(grants: &[Grant], covers: impl Fn(&Place) -> bool) -> CapabilitySet {
    let covering = grants.iter().filter(|grant| covers(&grant.at));
    covering.fold(CapabilitySet::EMPTY, |held, grant| held.union(&grant.capabilities))
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use domain::Capability;
    use proptest::prelude::*;

    use super::*;

    /// A tree of two organizations, three levels deep, small enough that grants and places often meet.
    fn place() -> impl Strategy<Value = Uidp> {
        (0..2u8, prop::collection::vec(0..2u8, 0..3))
            .prop_map(|(root, path)| path.iter().fold(Uidp::root_from([root; 20]), |at, step| at.child([*step; 8])))
    }

    fn capabilities(count: Range<usize>) -> impl Strategy<Value = CapabilitySet> {
        prop::collection::vec(0..4usize, count)
            .prop_map(|picks| picks.into_iter().filter_map(|pick| Capability::all().nth(pick)).collect())
    }

    fn grants() -> impl Strategy<Value = Vec<Grant>> {
        let at = prop_oneof![9 => place().prop_map(Place::At), 1 => Just(Place::Everywhere)];
        prop::collection::vec((at, capabilities(0..3)).prop_map(|(at, capabilities)| Grant { at, capabilities }), 0..6)
    }

    proptest! {
        #[test]
        fn scopes_are_exactly_where_the_decision_allows(grants in grants(), needed in capabilities(1..3), at in place()) {
            let allowed = decide(&grants, &needed, &at) == Decision::Allow;
            prop_assert_eq!(scopes(&grants, &needed).contains(&at), allowed);
        }

        #[test]
        fn scopes_never_nest(grants in grants(), needed in capabilities(0..3)) {
            if let Scopes::Subtrees(roots) = scopes(&grants, &needed) {
                for (i, a) in roots.iter().enumerate() {
                    prop_assert!(roots.iter().enumerate().all(|(j, b)| i == j || !a.contains(b)));
                }
            }
        }

        #[test]
        fn rights_only_flow_down(grants in grants(), at in place(), step in 0..2u8) {
            let below = held_at(&grants, &at.child([step; 8]));
            prop_assert!(below.has_all(&held_at(&grants, &at)));
        }

        #[test]
        fn a_further_grant_never_takes_away(grants in grants(), more in grants(), at in place()) {
            let both: Vec<_> = grants.iter().chain(&more).cloned().collect();
            prop_assert!(held_at(&both, &at).has_all(&held_at(&grants, &at)));
        }
    }

    #[test]
    fn no_grant_allows_nothing() {
        let needed = CapabilitySet::from_names(["groups.list"]);
        assert_eq!(decide(&[], &needed, &Uidp::root_from([0; 20])), Decision::Deny { missing: needed });
        assert_eq!(scopes(&[], &needed), Scopes::Subtrees(Vec::new()));
    }
}
