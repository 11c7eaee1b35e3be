//! The ranks against sorted keys, whatever happens while they are built and after.

use std::collections::{BTreeMap, BTreeSet};

use domain::Revision;
use proptest::prelude::*;

use super::*;

const WALK: Walk = Walk { table: "repos", within: Within::Parent, field: OrderField::Name };
const STRIDE: usize = 4;

fn spot(n: u8) -> Spot {
    let org = Uidp::root_from([n % 3; 20]);
    Spot { uid: org.child([n; 8]), name: format!("{:03}", n.wrapping_mul(167)), created_at: Timestamp(0) }
}

fn key(n: u8) -> Key {
    WALK.key(&spot(n))
}

/// What a scan of the index gives.
fn parts(keys: &BTreeSet<Key>, from: Option<&Key>, to: Option<&Key>) -> Vec<Part> {
    let inside = |key: &&Key| from.is_none_or(|from| *key >= from) && to.is_none_or(|to| *key < to);
    let keys: Vec<_> = keys.iter().filter(inside).collect();
    keys.chunks(STRIDE).map(|part| (part[0].clone(), u32::try_from(part.len()).expect("few"))).collect()
}

/// Every part has as many keys as it says, and adding up finds them from both sides.
fn check(fences: &Fences, keys: &BTreeSet<Key>) {
    let sorted: Vec<_> = keys.iter().collect();
    assert_eq!(fences.len(), sorted.len() as u64);
    for (at, key) in sorted.iter().enumerate() {
        let (part, left) = fences.forward(0, at as u64).expect("is there");
        assert_eq!(part, fences.part(key), "{at}");
        let first = fences.first(part).expect("is there");
        assert_eq!(left, sorted[..at].iter().filter(|key| **key >= first).count() as u64);

        let behind = sorted.len() - 1 - at;
        let (part, left) = fences.backward(fences.parts(), behind as u64).expect("is there");
        assert_eq!(part, fences.part(key), "{at} from behind");
        let next = fences.first(part + 1);
        assert_eq!(left, sorted[at + 1..].iter().filter(|key| next.is_none_or(|next| **key < next)).count() as u64);
    }
    assert_eq!(fences.forward(0, sorted.len() as u64), None);
    assert_eq!(fences.backward(fences.parts(), sorted.len() as u64), None);
}

/// A commit: keys that change places, and what happens to the ranks before it.
#[derive(Clone, Debug)]
struct Commit {
    toggled: Vec<u8>,
    event: Event,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Nothing,
    /// A reader wants the ranks.
    Wanted,
    /// What was wanted is read from the snapshot of the last commit, and finished some commits later.
    Read,
    Finished,
}

fn commits() -> impl Strategy<Value = Vec<Commit>> {
    let event = prop_oneof![
        6 => Just(Event::Nothing),
        4 => Just(Event::Wanted),
        3 => Just(Event::Read),
        3 => Just(Event::Finished),
    ];
    let toggled = prop_oneof![8 => prop::collection::vec(any::<u8>(), 0..6), 1 => prop::collection::vec(any::<u8>(), 50..200)];
    prop::collection::vec((toggled, event).prop_map(|(toggled, event)| Commit { toggled, event }), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_version_has_the_keys_of_its_snapshot(commits in commits()) {
        let (ranks, orders) = Ranks::new(Revision(0));
        ranks.set_stride(STRIDE);
        let mut keys: BTreeSet<Key> = BTreeSet::new();
        let mut snapshots = BTreeMap::from([(0, keys.clone())]);
        let (mut wanted, mut read) = (None, None);
        for (revision, Commit { toggled, event }) in (1..).zip(commits) {
            let last = Revision(revision - 1);
            match event {
                Event::Nothing => {}
                Event::Wanted => drop(ranks.at(WALK, last)),
                Event::Read => read = wanted.take().map(|order| (order, last, Fences::new(parts(&keys, None, None)))),
                Event::Finished => if let Some((order, at, fences)) = read.take() { ranks.finish(order, at, fences) },
            }
            wanted = orders.try_iter().last().or(wanted);
            let moves: Vec<_> = toggled.iter().map(|n| {
                let gone = keys.remove(&key(*n));
                if !gone {
                    keys.insert(key(*n));
                }
                let (from, to) = if gone { (Some(spot(*n)), None) } else { (None, Some(spot(*n))) };
                Move { table: "repos", from, to }
            }).collect();
            // A reader may see the commit before it is published.
            prop_assert!(ranks.at(WALK, Revision(revision)).is_none());
            ranks.publish(Revision(revision), &moves, |_, from, to| {
                Ok(parts(&keys, (*from != Key::least()).then_some(from), to))
            });
            snapshots.insert(revision, keys.clone());
            for (at, keys) in &snapshots {
                if let Some(fences) = ranks.at(WALK, Revision(*at)) {
                    check(&fences, keys);
                }
            }
        }
    }
}

#[test]
fn a_move_that_an_order_does_not_see_is_none() {
    let (from, to) = (Spot { name: "a".to_owned(), ..spot(1) }, Spot { name: "b".to_owned(), ..spot(1) });
    let moves = [Move { table: "repos", from: Some(from), to: Some(to) }];
    assert_eq!(steps(WALK, &moves).len(), 1);
    assert_eq!(steps(Walk { field: OrderField::Uid, ..WALK }, &moves), []);
    assert_eq!(steps(Walk { table: "groups", ..WALK }, &moves), []);
}

#[test]
fn numbers_that_do_not_fit_are_given_up() {
    let (ranks, orders) = Ranks::new(Revision(0));
    assert!(ranks.at(WALK, Revision(0)).is_none());
    ranks.finish(orders.recv().expect("an order"), Revision(0), Fences::new(Vec::new()));
    assert_eq!(ranks.built(), 1);
    let gone = [Move { table: "repos", from: Some(spot(1)), to: None }];
    ranks.publish(Revision(1), &gone, |_, _, _| Ok(Vec::new()));
    assert_eq!(ranks.built(), 0);
    assert!(ranks.at(WALK, Revision(1)).is_none());
    assert!(orders.recv().is_ok(), "they are built anew");
}
