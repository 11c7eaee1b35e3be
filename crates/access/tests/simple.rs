//! The prepared forms against the simple ones that say what they mean: every grant is looked at for every question.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

use access::{Decision, decide, narrow};
use domain::{Capability, CapabilitySet, Grant, Grants, Narrowing, Place, Scopes, Uidp};
use proptest::prelude::*;

fn held_at(grants: &[Grant], at: &Uidp) -> CapabilitySet {
    held_where(grants, |place| place.covers(at))
}

fn held_where(grants: &[Grant], covers: impl Fn(&Place) -> bool) -> CapabilitySet {
    let covering = grants.iter().filter(|grant| covers(&grant.at));
    covering.fold(CapabilitySet::EMPTY, |held, grant| held.union(&grant.capabilities))
}

fn scopes(grants: &[Grant], needed: &CapabilitySet) -> Scopes {
    let holds = |at: &Place| held_where(grants, |place| place.covers_place(at)).has_all(needed);
    // A capability starts to be held at the place of some grant, so no other place can be a highest one.
    let places: BTreeSet<&Place> = grants.iter().map(|grant| &grant.at).filter(|at| holds(at)).collect();
    if places.contains(&Place::Everywhere) {
        return Scopes::All;
    }
    let mut subtrees: Vec<Uidp> = Vec::with_capacity(places.len());
    for place in places {
        if let Place::At(uidp) = place
            && !subtrees.iter().any(|root| root.contains(uidp))
        {
            subtrees.push(uidp.clone());
        }
    }
    Scopes::Subtrees(subtrees)
}

fn narrowed(grants: &[Grant], narrowing: &Narrowing) -> Vec<Grant> {
    let inside = |grant: &Grant, group: &Uidp| match &grant.at {
        place if place.covers(group) => Some(Grant { at: Place::At(group.clone()), ..grant.clone() }),
        Place::At(at) if group.contains(at) => Some(grant.clone()),
        _ => None,
    };
    let within = match &narrowing.scopes {
        None => grants.to_vec(),
        Some(groups) => grants.iter().flat_map(|grant| groups.iter().filter_map(|group| inside(grant, group))).collect(),
    };
    let kept = |held: CapabilitySet| narrowing.capabilities.map_or(held, |kept| held.intersection(&kept));
    let left = within.into_iter().map(|grant| Grant { capabilities: kept(grant.capabilities), ..grant });
    left.filter(|grant| narrowing.capabilities.is_none() || !grant.capabilities.is_empty()).collect()
}

/// What is given at each place.
fn by_place(grants: &[Grant]) -> BTreeMap<Place, CapabilitySet> {
    let mut places = BTreeMap::<Place, CapabilitySet>::new();
    for grant in grants {
        let held = places.entry(grant.at.clone()).or_default();
        *held = held.union(&grant.capabilities);
    }
    places
}

fn prepared(grants: &[Grant]) -> Grants {
    grants.iter().cloned().collect()
}

/// A tree of two organizations, four levels deep, small enough that grants and places often meet.
fn place() -> impl Strategy<Value = Uidp> {
    (0..2u8, prop::collection::vec(0..3u8, 0..4))
        .prop_map(|(root, path)| path.iter().fold(Uidp::root_from([root; 20]), |at, step| at.child([*step; 8])))
}

fn capabilities(count: Range<usize>) -> impl Strategy<Value = CapabilitySet> {
    prop::collection::vec(0..4usize, count)
        .prop_map(|picks| picks.into_iter().filter_map(|pick| Capability::all().nth(pick)).collect())
}

fn grants() -> impl Strategy<Value = Vec<Grant>> {
    let at = prop_oneof![19 => place().prop_map(Place::At), 1 => Just(Place::Everywhere)];
    prop::collection::vec((at, capabilities(0..3)).prop_map(|(at, capabilities)| Grant { at, capabilities }), 0..24)
}

fn narrowing() -> impl Strategy<Value = Narrowing> {
    let scopes = prop::option::of(prop::collection::vec(place(), 0..4));
    (scopes, prop::option::of(capabilities(0..3))).prop_map(|(scopes, capabilities)| Narrowing { scopes, capabilities })
}

proptest! {
    #[test]
    fn what_is_held_at_a_place(grants in grants(), at in place(), needed in capabilities(0..3)) {
        let held = held_at(&grants, &at);
        let prepared = prepared(&grants);
        prop_assert_eq!(prepared.held_at(&at), held);
        prop_assert_eq!(prepared.covering(&at).is_some(), grants.iter().any(|grant| grant.at.covers(&at)));
        let missing = needed.without(&held);
        let decision = if missing.is_empty() { Decision::Allow } else { Decision::Deny { missing } };
        prop_assert_eq!(decide(&prepared, &needed, &at), decision);
    }

    /// Asked again and again, in any order, also for more than is remembered.
    #[test]
    fn where_something_is_held(grants in grants(), questions in prop::collection::vec(capabilities(0..4), 1..60)) {
        let prepared = prepared(&grants);
        for needed in questions {
            prop_assert_eq!(&*prepared.scopes(&needed), &scopes(&grants, &needed));
        }
    }

    #[test]
    fn what_a_narrowing_leaves(grants in grants(), narrowing in narrowing(), at in place(), needed in capabilities(1..3)) {
        let left = narrow(&prepared(&grants), &narrowing);
        let simple = narrowed(&grants, &narrowing);
        prop_assert_eq!(left.held_at(&at), held_at(&simple, &at));
        prop_assert_eq!(&*left.scopes(&needed), &scopes(&simple, &needed));
        let everywhere = left.everywhere().map(|held| (Place::Everywhere, held));
        let places = left.places().map(|(at, held)| (Place::At(at.clone()), held));
        let listed: BTreeMap<_, _> = everywhere.into_iter().chain(places).collect();
        prop_assert_eq!(listed, by_place(&simple));
    }

    #[test]
    fn scopes_are_exactly_where_the_decision_allows(grants in grants(), needed in capabilities(1..3), at in place()) {
        let grants = prepared(&grants);
        let allowed = decide(&grants, &needed, &at) == Decision::Allow;
        prop_assert_eq!(grants.scopes(&needed).contains(&at), allowed);
    }

    #[test]
    fn scopes_never_nest(grants in grants(), needed in capabilities(0..3)) {
        if let Scopes::Subtrees(roots) = &*prepared(&grants).scopes(&needed) {
            for (i, a) in roots.iter().enumerate() {
                prop_assert!(roots.iter().enumerate().all(|(j, b)| i == j || !a.contains(b)));
            }
        }
    }

    #[test]
    fn rights_only_flow_down(grants in grants(), at in place(), step in 0..3u8) {
        let grants = prepared(&grants);
        prop_assert!(grants.held_at(&at.child([step; 8])).has_all(&grants.held_at(&at)));
    }

    #[test]
    fn a_further_grant_never_takes_away(grants in grants(), more in grants(), at in place()) {
        let both: Vec<_> = grants.iter().chain(&more).cloned().collect();
        prop_assert!(prepared(&both).held_at(&at).has_all(&prepared(&grants).held_at(&at)));
    }
}

#[test]
fn no_grant_allows_nothing() {
    let (nothing, needed) = (Grants::default(), CapabilitySet::from_names(["groups.list"]));
    assert_eq!(decide(&nothing, &needed, &Uidp::root_from([0; 20])), Decision::Deny { missing: needed });
    assert_eq!(*nothing.scopes(&needed), Scopes::Subtrees(Vec::new()));
}

/// One role at many places is one answer, whatever is asked, and it is not made again.
#[test]
fn answers_are_shared() {
    let one = CapabilitySet::from_names(["groups.list", "repo.list"]);
    let grants: Grants = (0..100).map(|root| Grant { at: Place::At(Uidp::root_from([root; 20])), capabilities: one }).collect();
    let ask = |name| grants.scopes(&CapabilitySet::from_names([name]));
    assert!(Arc::ptr_eq(&ask("groups.list"), &ask("repo.list")));
    assert!(Arc::ptr_eq(&ask("groups.list"), &ask("groups.list")));
    let chained: usize = grants.places().map(|(at, _)| at.as_str().len()).sum();
    assert!((5 * chained..64 * 1024).contains(&grants.weight()), "{}", grants.weight());
}
