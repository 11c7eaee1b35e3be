//! What the requests of a group commit leave for its end.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicI64, Ordering},
};

use domain::Revision;

use crate::ranks::Move;

/// What the requests of a group commit leave for its end.
#[derive(Debug)]
pub(super) struct Ledger {
    /// The last revision that was given to a request.
    revision: AtomicI64,
    /// The last commit.
    published: AtomicI64,
    moves: Mutex<Vec<Move>>,
}

impl Ledger {
    pub(super) fn new(last: Revision) -> Self {
        Self { revision: AtomicI64::new(last.0), published: AtomicI64::new(last.0), moves: Mutex::default() }
    }

    pub(super) fn revision(&self) -> Revision {
        Revision(self.revision.load(Ordering::Relaxed))
    }

    pub(super) fn next_revision(&self) -> Revision {
        Revision(self.revision.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// The last commit that anybody was told of.
    pub(super) fn published(&self) -> Revision {
        Revision(self.published.load(Ordering::Acquire))
    }

    /// Tells of a commit.
    pub(super) fn publish(&self, revision: Revision) {
        self.published.store(revision.0, Ordering::Release);
    }

    /// Goes on from another revision: nobody has seen the one that was given out last.
    pub(super) fn set_revision(&self, revision: Revision) {
        self.revision.store(revision.0, Ordering::Relaxed);
    }

    pub(super) fn note(&self, step: Move) {
        self.moves().push(step);
    }

    /// How many moves there are.
    pub(super) fn mark(&self) -> usize {
        self.moves().len()
    }

    /// Forgets the moves after the first `mark`: they did not happen.
    pub(super) fn forget_after(&self, mark: usize) {
        self.moves().truncate(mark);
    }

    /// All moves; none are left.
    pub(super) fn take_moves(&self) -> Vec<Move> {
        std::mem::take(&mut self.moves())
    }

    fn moves(&self) -> MutexGuard<'_, Vec<Move>> {
        self.moves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
