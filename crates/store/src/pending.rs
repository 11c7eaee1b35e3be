//! What the requests of a group commit add to the counters. It is written once, just before the commit: a row that everybody
//! changes has one new version for all of them.

mod batches;

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::Noun;

use crate::chain::Links;

/// What is to be added to the counters, and is not yet written. Reads within the group commit add it to what is stored.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// Of the requests that are kept.
    kept: Places,
    /// Of the request that runs: it goes when that fails, or was only a trial.
    own: Places,
}

/// What the requests of a group commit share with each other and with the engine that runs them: they use it one after the other.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pending: Mutex<Pending>,
    links: Mutex<Links>,
}

/// In order of their names, as they are written.
type Places = BTreeMap<Box<str>, Place>;

/// What is to be done about the counters of a place.
#[derive(Debug, Default)]
struct Place {
    sums: Vec<(Noun, Sum)>,
    /// The place was deleted: its counters go with it where they are zero.
    gone: bool,
}

/// What is added to the counters of one noun in a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    /// To the number of rows below it.
    pub(crate) below: i64,
    /// To the number of rows directly in it.
    pub(crate) children: i64,
}

/// A counter and what is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change<'a> {
    pub(crate) prefix: &'a str,
    pub(crate) noun: Noun,
    pub(crate) sum: Sum,
}

impl Sum {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { below: self.below.saturating_add(other.below), children: self.children.saturating_add(other.children) }
    }
}

impl Place {
    fn add(&mut self, noun: Noun, sum: Sum) {
        match self.sums.iter_mut().find(|(known, _)| *known == noun) {
            Some((_, known)) => *known = known.plus(sum),
            None => self.sums.push((noun, sum)),
        }
    }

    fn of(&self, noun: Noun) -> Sum {
        self.sums.iter().find(|(known, _)| *known == noun).map_or_else(Sum::default, |(_, sum)| *sum)
    }
}

impl Pending {
    /// Adds to a counter, on behalf of the request that runs.
    pub(crate) fn add(&mut self, prefix: &str, noun: Noun, sum: Sum) {
        self.place(prefix).add(noun, sum);
    }

    /// Has the counters of a deleted place removed, as far as they are zero in the end: it may be made again.
    pub(crate) fn forget(&mut self, prefix: &str) {
        self.place(prefix).gone = true;
    }

    /// What is to be added to a counter.
    pub(crate) fn of(&self, prefix: &str, noun: Noun) -> Sum {
        let of = |places: &Places| places.get(prefix).map_or_else(Sum::default, |place| place.of(noun));
        of(&self.kept).plus(of(&self.own))
    }

    /// The request that ran is kept.
    pub(crate) fn keep(&mut self) {
        for (prefix, place) in std::mem::take(&mut self.own) {
            let kept = self.kept.entry(prefix).or_default();
            kept.gone |= place.gone;
            place.sums.into_iter().for_each(|(noun, sum)| kept.add(noun, sum));
        }
    }

    /// The request that ran is not kept.
    pub(crate) fn undo(&mut self) {
        self.own.clear();
    }

    /// Nothing of this group commit is kept, or all of it is written.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
        self.own.clear();
    }

    /// What is added to the counters that get no smaller.
    pub(crate) fn grown(&self) -> impl Iterator<Item = Change<'_>> {
        self.changes().filter(|change| change.sum.below >= 0 && change.sum.children >= 0)
    }

    /// What is added to the counters that get smaller in a way.
    pub(crate) fn shrunk(&self) -> impl Iterator<Item = Change<'_>> {
        self.changes().filter(|change| change.sum.below < 0 || change.sum.children < 0)
    }

    /// The places whose counters are removed where they are zero.
    pub(crate) fn gone(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().filter(|(_, place)| place.gone).map(|(prefix, _)| &**prefix)
    }

    fn changes(&self) -> impl Iterator<Item = Change<'_>> {
        self.kept.iter().flat_map(|(prefix, place)| {
            let changes = place.sums.iter().filter(|(_, sum)| *sum != Sum::default());
            changes.map(|(noun, sum)| Change { prefix, noun: *noun, sum: *sum })
        })
    }

    fn place(&mut self, prefix: &str) -> &mut Place {
        self.own.entry(prefix.into()).or_default()
    }
}

impl Shared {
    /// What is pending. A panic while somebody held it leaves nothing that lasts: its request is undone.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end of the audit log's chain, likewise.
    pub(crate) fn links(&self) -> MutexGuard<'_, Links> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Sum = Sum { below: 1, children: 1 };
    const DEEP: Sum = Sum { below: 1, children: 0 };
    const LESS: Sum = Sum { below: -1, children: -1 };

    fn grown(pending: &Pending) -> Vec<(&str, i64, i64)> {
        pending.grown().map(|change| (change.prefix, change.sum.below, change.sum.children)).collect()
    }

    fn shrunk(pending: &Pending) -> Vec<(&str, i64, i64)> {
        pending.shrunk().map(|change| (change.prefix, change.sum.below, change.sum.children)).collect()
    }

    #[test]
    fn requests_are_added_up_in_order_of_places() {
        let mut pending = Pending::default();
        for place in ["b", "a", "b"] {
            pending.add(place, Noun::Group, ONE);
            pending.add("/", Noun::Group, DEEP);
            assert_eq!(pending.of("/", Noun::Role), Sum::default());
            pending.keep();
        }
        assert_eq!(pending.of("/", Noun::Group), Sum { below: 3, children: 0 });
        assert_eq!(grown(&pending), [("/", 3, 0), ("a", 1, 1), ("b", 2, 2)]);
        assert_eq!(shrunk(&pending), []);
    }

    #[test]
    fn what_is_undone_leaves_what_was_kept() {
        let mut pending = Pending::default();
        pending.add("a", Noun::Repo, ONE);
        pending.keep();
        pending.add("a", Noun::Repo, LESS);
        pending.forget("a");
        assert_eq!(pending.of("a", Noun::Repo), Sum::default(), "a request sees its own");
        pending.undo();
        assert_eq!(pending.of("a", Noun::Repo), ONE);
        assert_eq!(grown(&pending), [("a", 1, 1)]);
        assert_eq!(pending.gone().count(), 0);
        pending.clear();
        assert_eq!(pending.of("a", Noun::Repo), Sum::default());
        assert_eq!(grown(&pending), []);
    }

    #[test]
    fn what_comes_and_goes_within_one_commit_writes_no_counter() {
        let mut pending = Pending::default();
        pending.add("a", Noun::Group, ONE);
        pending.keep();
        pending.add("a", Noun::Group, LESS);
        pending.forget("a");
        pending.keep();
        assert_eq!((grown(&pending), shrunk(&pending)), (vec![], vec![]));
        assert_eq!(pending.gone().collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn a_counter_that_gets_smaller_in_one_way_is_no_row_to_insert() {
        let mut pending = Pending::default();
        pending.add("a", Noun::Group, LESS);
        pending.add("a", Noun::Group, DEEP);
        pending.keep();
        assert_eq!((grown(&pending), shrunk(&pending)), (vec![], vec![("a", 0, -1)]));
    }
}
