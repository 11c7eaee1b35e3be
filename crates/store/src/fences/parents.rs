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

/// The parents of rows, each with a number that it keeps when it is gone.
#[derive(Debug, Default)]
pub(crate) struct Parents(Mutex<HashMap<Box<str>, u32>>);

impl Parents {
    /// The number of the parent of a row. `None` when there are too many.
    pub(crate) fn of(&self, uid: &str) -> Option<u32> {
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
    pub(crate) fn that(&self, are: impl Fn(&str) -> bool) -> Vec<bool> {
        let numbers = self.numbers();
        let mut those = vec![false; numbers.len()];
        for (parent, number) in numbers.iter() {
            if let Some(that) = those.get_mut(*number as usize) {
                *that = are(parent);
            }
        }
        those
    }

    /// How many have one.
    pub(crate) fn len(&self) -> usize {
        self.numbers().len()
    }

    /// Whether there are no more numbers.
    pub(crate) fn are_full(&self) -> bool {
        self.len() >= MOST
    }

    /// Those whose numbers are in use, with new ones, and the new number for each of the old ones.
    pub(crate) fn in_use(&self, used: &[bool]) -> (Self, Vec<Option<u32>>) {
        let (mut kept, mut renumbered) = (HashMap::new(), vec![None; used.len()]);
        for (parent, number) in self.numbers().iter() {
            let at = *number as usize;
            if let (Some(true), Some(new)) = (used.get(at), renumbered.get_mut(at)) {
                let next = u32::try_from(kept.len()).unwrap_or(u32::MAX);
                kept.insert(parent.clone(), next);
                *new = Some(next);
            }
        }
        (Self(Mutex::new(kept)), renumbered)
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
pub(crate) struct Tally(Arc<[(u32, u32)]>);

impl Tally {
    /// Of the numbers of parents, one for each row.
    pub(crate) fn of(mut parents: Vec<u32>) -> Self {
        parents.sort_unstable();
        let runs = parents.chunk_by(|a, b| a == b);
        Self(runs.filter_map(|run| Some((*run.first()?, u32::try_from(run.len()).ok()?))).collect())
    }

    /// That of two parts together.
    pub(crate) fn with(&self, other: &Self) -> Self {
        other
            .0
            .iter()
            .fold(self.clone(), |tally, (parent, rows)| tally.changed(*parent, |n| n.checked_add(*rows)).unwrap_or(tally))
    }

    /// With another number of rows that have this parent. `None` when there cannot be so many.
    pub(crate) fn changed(&self, parent: u32, change: impl FnOnce(u32) -> Option<u32>) -> Option<Self> {
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

    /// Says of each parent that is in it that it is in use.
    pub(crate) fn mark(&self, used: &mut [bool]) {
        for (parent, _) in &*self.0 {
            if let Some(used) = used.get_mut(*parent as usize) {
                *used = true;
            }
        }
    }

    /// The same by other numbers. Rows whose parent has none are not counted.
    pub(crate) fn renumbered(&self, numbers: &[Option<u32>]) -> Self {
        let new = |parent: u32| numbers.get(parent as usize).copied().flatten();
        let mut tally: Vec<_> = self.0.iter().filter_map(|(parent, rows)| Some((new(*parent)?, *rows))).collect();
        tally.sort_unstable();
        Self(tally.into())
    }

    /// How many of its rows have one of those parents.
    pub(crate) fn among(&self, those: &[bool]) -> u32 {
        let counts = |parent: u32| those.get(parent as usize).copied().unwrap_or(false);
        self.0.iter().filter(|(parent, _)| counts(*parent)).map(|(_, rows)| rows).sum()
    }
}
