//! The ranks against sorted keys, whatever happens between the commits that they are made for and moved forward to.

use std::collections::{BTreeMap, BTreeSet};

use domain::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::{Metrics, nouns::NOUNS, position::Position, ranks::walks};

const WALK: Walk = Walk { noun: Noun::Repo, table: "repos", within: Within::Parent, field: OrderField::Name };
const SERVER: i64 = 7;
const STRIDE: usize = 4;

fn uid(n: u8) -> Uidp {
    Uidp::root_from([n % 3; 20]).child([n; 8])
}

fn spot(n: u8) -> Spot {
    Spot { name: format!("{:03}", n.wrapping_mul(167)), created_at: Timestamp(0) }
}

fn key(n: u8) -> Key {
    WALK.key(&uid(n), &spot(n))
}

fn step(revision: i64, n: u8, spots: Move) -> Step {
    Step { revision: Revision(revision), noun: Noun::Repo, uid: uid(n), spots }
}

fn at(revision: i64) -> Position {
    Position { server: SERVER, revision: Revision(revision) }
}

fn part(parents: &Parents, keys: &[&Key]) -> Part {
    let tally = Tally::of(keys.iter().filter_map(|key| parents.of(&key.uid)).collect());
    (keys[0].clone(), u32::try_from(keys.len()).expect("few"), tally)
}

/// What a scan of the index gives.
fn parts(parents: &Parents, keys: &BTreeSet<Key>, from: Option<&Key>, to: Option<&Key>) -> Vec<Part> {
    let inside = |key: &&Key| from.is_none_or(|from| *key >= from) && to.is_none_or(|to| *key < to);
    let keys: Vec<_> = keys.iter().filter(inside).collect();
    keys.chunks(STRIDE).map(|keys| part(parents, keys)).collect()
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

/// The places that a list is about: two organizations of three.
fn is_meant(parent: &str) -> bool {
    parent != Uidp::root_from([1; 20]).as_str()
}

/// Every part has as many keys in those places as it says.
fn check_some(fences: &Fences, keys: &BTreeSet<Key>) {
    let mut counts = vec![0; fences.parts()];
    for key in keys.iter().filter(|key| is_meant(&key.place)) {
        counts[fences.part(key)] += 1;
    }
    let told: Vec<_> = (0..fences.parts()).map(|part| fences.count_of(part).expect("is there")).collect();
    assert_eq!(told, counts);
}

/// A commit: keys that come or go, and what happens to the ranks after it.
#[derive(Clone, Debug)]
struct Commit {
    toggled: Vec<u8>,
    event: Event,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Nothing,
    /// They are made, or moved forward.
    Followed,
    Forgotten,
    /// The parents of rows that are gone are.
    Renumbered,
}

fn commits() -> impl Strategy<Value = Vec<Commit>> {
    let event = prop_oneof![12 => Just(Event::Nothing), 8 => Just(Event::Followed), 1 => Just(Event::Forgotten), 3 => Just(Event::Renumbered)];
    let toggled = prop_oneof![8 => prop::collection::vec(any::<u8>(), 0..6), 1 => prop::collection::vec(any::<u8>(), 50..200)];
    prop::collection::vec((toggled, event).prop_map(|(toggled, event)| Commit { toggled, event }), 1..60)
}

/// What the task does that moves ranks forward, on keys in memory.
fn follow(ranks: &Ranks, keys: &BTreeSet<Key>, feed: &[Step], now: i64) {
    let Some(mut version) = ranks.last(at(now)).remove(&WALK) else {
        let parents = ranks.parents();
        let fences = Fences::new(parts(&parents, keys, None, None), Some(parents));
        return ranks.put(WALK, Version { since: Revision(now), upto: Revision(now), fences }, STRIDE);
    };
    let steps = feed.iter().filter(|step| step.revision > version.upto);
    if version.fences.apply(WALK, steps).expect("fits") {
        version.since = Revision(now);
        version.fences.join(STRIDE / 2);
        while let Some(part) = version.fences.crowded(2 * STRIDE) {
            let first = version.fences.first(part).filter(|first| **first != Key::least());
            let parts = parts(&ranks.parents(), keys, first, version.fences.first(part + 1));
            version.fences.divide(part, parts).expect("fits");
        }
    }
    version.upto = Revision(now);
    ranks.put(WALK, version, STRIDE);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_snapshot_has_the_ranks_of_its_keys(commits in commits()) {
        let ranks = Ranks::new(walks(NOUNS), Metrics::new());
        ranks.set_stride(STRIDE);
        let (mut keys, mut feed) = (BTreeSet::new(), Vec::new());
        follow(&ranks, &keys, &feed, 0);
        let mut snapshots = BTreeMap::from([(0, keys.clone())]);
        for (revision, Commit { toggled, event }) in (1..).zip(commits) {
            for n in toggled {
                let gone = keys.remove(&key(n));
                if !gone {
                    keys.insert(key(n));
                }
                let (from, to) = if gone { (Some(spot(n)), None) } else { (None, Some(spot(n))) };
                feed.push(step(revision, n, Move { from, to }));
            }
            snapshots.insert(revision, keys.clone());
            match event {
                Event::Nothing => {}
                Event::Followed => follow(&ranks, &keys, &feed, revision),
                Event::Forgotten => ranks.forget(WALK),
                Event::Renumbered => ranks.forget_parents(),
            }
            for (now, keys) in &snapshots {
                if let Some((as_of, mut fences)) = ranks.at(WALK, at(*now)) {
                    let since = || feed.iter().filter(|step| step.revision > as_of && step.revision.0 <= *now);
                    let mut some = fences.within(&is_meant).expect("has tallies");
                    some.apply(WALK, since().filter(|step| is_meant(step.uid.parent_text()))).expect("fits");
                    fences.apply(WALK, since()).expect("fits");
                    check(&fences, keys);
                    check_some(&some, keys);
                    check_some(&fences.within(&is_meant).expect("has tallies"), keys);
                    // Nothing but the first part is left behind by keys that are gone.
                    if as_of.0 == *now {
                        prop_assert!(fences.parts() <= 1 + 2 * keys.len() / (STRIDE / 2));
                    }
                }
            }
        }
    }
}

#[test]
fn a_move_that_an_order_does_not_see_is_none() {
    let renamed = Move { from: Some(spot(1)), to: Some(Spot { name: "b".to_owned(), ..spot(1) }) };
    let moved = |walk| {
        let mut fences = Fences::new(vec![(key(0), 2, Tally::default())], None);
        fences.apply(walk, &[step(1, 1, renamed.clone())])
    };
    assert_eq!(moved(WALK), Ok(true));
    assert_eq!(moved(Walk { field: OrderField::Uid, ..WALK }), Ok(false));
    assert_eq!(moved(Walk { noun: Noun::Group, table: "groups", ..WALK }), Ok(false));
}

#[test]
fn numbers_that_do_not_fit_are_told() {
    let gone = [step(1, 1, Move { from: Some(spot(1)), to: None })];
    assert_eq!(Fences::new(Vec::new(), None).apply(WALK, &gone), Err(Misfit));
    let mut fences = Fences::new(vec![(key(0), 9, Tally::default())], None);
    assert_eq!(
        fences.divide(0, [0, 1].map(|n| (key(n), 4, Tally::default())).to_vec()),
        Err(Misfit),
        "a part of nine is not two of four"
    );
}

#[test]
fn another_server_or_one_that_lost_commits_has_other_ranks() {
    let ranks = Ranks::new(walks(NOUNS), Metrics::new());
    ranks.set_stride(STRIDE);
    follow(&ranks, &BTreeSet::new(), &[], 5);
    assert!(ranks.at(WALK, at(5)).is_some());
    assert!(ranks.at(WALK, at(4)).is_none(), "a snapshot from before them");
    let other = Position { server: SERVER + 1, ..at(5) };
    assert!(ranks.at(WALK, other).is_none());
    assert!(!ranks.is_of(other));
    assert!(ranks.last(at(4)).is_empty(), "commits were lost");
    assert!(ranks.at(WALK, at(5)).is_none());
    follow(&ranks, &BTreeSet::new(), &[], 4);
    assert!(ranks.last(other).is_empty());
    assert!(ranks.is_of(other));
}

#[test]
fn parents_of_rows_that_are_gone_are_forgotten() {
    let ranks = Ranks::new(walks(NOUNS), Metrics::new());
    ranks.set_stride(STRIDE);
    let mut keys: BTreeSet<_> = (0..200).map(key).collect();
    follow(&ranks, &keys, &[], 0);
    let (known, before) = (ranks.parents().len(), ranks.at(WALK, at(0)).expect("is there").1);
    let gone: Vec<_> = (0..200).filter(|n| is_meant(&key(*n).place)).collect();
    let feed: Vec<_> = gone.iter().map(|n| step(1, *n, Move { from: Some(spot(*n)), to: None })).collect();
    keys.retain(|key| !is_meant(&key.place));
    follow(&ranks, &keys, &feed, 1);
    assert_eq!(ranks.parents().len(), known, "they keep their numbers");
    ranks.forget_parents();
    assert!(ranks.parents().len() < known);
    let (_, now) = ranks.at(WALK, at(1)).expect("is there");
    check(&now, &keys);
    check_some(&now.within(&is_meant).expect("has tallies"), &keys);
    assert!(before.within(&is_meant).expect("has tallies").len() > 0, "who has fences of before goes on with them");
    ranks.begin_anew();
    assert_eq!(ranks.parents().len(), 0);
}
