//! What the requests of a group commit have in common besides the database: revisions and counters.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicI64, Ordering},
};

use domain::Revision;

use crate::counts::Pending;

/// The revisions of the requests of a group commit, and what they add to the counters.
#[derive(Debug)]
pub(super) struct Ledger {
    /// The last revision that was given to a request.
    revision: AtomicI64,
    /// The last commit.
    published: AtomicI64,
    /// What is added to the counters. Only the writer and the request that it runs use it, one after the other.
    pending: Mutex<Pending>,
}

impl Ledger {
    pub(super) fn new(last: Revision) -> Self {
        Self { revision: AtomicI64::new(last.0), published: AtomicI64::new(last.0), pending: Mutex::default() }
    }

    pub(super) fn revision(&self) -> Revision {
        Revision(self.revision.load(Ordering::Relaxed))
    }

    pub(super) fn next_revision(&self) -> Revision {
        Revision(self.revision.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// What is added to the counters. A panic while somebody held it leaves nothing that lasts: its request is undone.
    pub(super) fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
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
}
