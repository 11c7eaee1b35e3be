//! Where the rows between two fences live: how many of them have which parent, in whatever order.
//!
//! That is enough to pass over the rows of scattered places, of which only some are in a caller's scope: their number between
//! two fences is a sum, and only the parts that a page lies in are read.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::Uidp;

/// Parents that get a number. Rows of further ones are in no scope, so that lists which have some are walked through.
const MOST: usize = 1 << 20;

/// The parents of rows, each with a number that it keeps, also when it is gone.
#[derive(Debug, Default)]
pub(crate) struct Parents(Mutex<HashMap<Box<str>, u32>>);

impl Parents {
    /// The number of the parent of a row. `None` when there are too many.
    pub(super) fn of(&self, uid: &str) -> Option<u32> {
        let parent = text(uid);
        let mut numbers = self.numbers();
        if let Some(number) = numbers.get(parent) {
            return Some(*number);
        }
        let number = u32::try_from(numbers.len()).ok().filter(|_| numbers.len() < MOST)?;
        numbers.insert(parent.into(), number);
        Some(number)
    }

    /// For each number whether its parent is one of those.
    pub(super) fn that(&self, are: impl Fn(&str) -> bool) -> Vec<bool> {
        let numbers = self.numbers();
        let mut those = vec![false; numbers.len()];
        for (parent, number) in numbers.iter() {
            if let Some(that) = those.get_mut(*number as usize) {
                *that = are(parent);
            }
        }
        those
    }

    /// Whether so many numbers belong to parents that are gone that it is time to begin anew: more than `litter`, and most of
    /// them or, when there are no more numbers, at all. `live` is how many parents there are at most.
    pub(super) fn are_littered(&self, live: u64, litter: usize) -> bool {
        let known = self.numbers().len();
        let dead = known.saturating_sub(usize::try_from(live).unwrap_or(usize::MAX));
        dead > litter && (dead > known / 2 || known >= MOST)
    }

    fn numbers(&self) -> MutexGuard<'_, HashMap<Box<str>, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The parent of a row with this identifier, as [`Uidp::parent_text`] says.
fn text(uid: &str) -> &str {
    uid.rsplit_once('/').map_or(Uidp::ROOT, |(parent, _)| parent)
}

/// How many rows have which parent. A clone costs a pointer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally(Arc<[(u32, u32)]>);

impl Tally {
    /// Of the numbers of parents, one for each row.
    pub(super) fn of(mut parents: Vec<u32>) -> Self {
        parents.sort_unstable();
        let runs = parents.chunk_by(|a, b| a == b);
        Self(runs.filter_map(|run| Some((*run.first()?, u32::try_from(run.len()).ok()?))).collect())
    }

    /// That of two parts together.
    pub(super) fn with(&self, other: &Self) -> Self {
        other
            .0
            .iter()
            .fold(self.clone(), |tally, (parent, rows)| tally.changed(*parent, |n| n.checked_add(*rows)).unwrap_or(tally))
    }

    /// With another number of rows that have this parent. `None` when there cannot be so many.
    pub(super) fn changed(&self, parent: u32, change: impl FnOnce(u32) -> Option<u32>) -> Option<Self> {
        let mut tally = self.0.to_vec();
        match tally.binary_search_by_key(&parent, |(parent, _)| *parent) {
            Ok(at) => {
                let rows = &mut tally.get_mut(at)?.1;
                *rows = change(*rows)?;
                if *rows == 0 {
                    tally.remove(at);
                }
            }
            Err(at) => tally.insert(at, (parent, change(0)?)),
        }
        Some(Self(tally.into()))
    }

    /// How many of its rows have one of those parents.
    pub(super) fn among(&self, those: &[bool]) -> u32 {
        let counts = |parent: u32| those.get(parent as usize).copied().unwrap_or(false);
        self.0.iter().filter(|(parent, _)| counts(*parent)).map(|(_, rows)| rows).sum()
    }
}
