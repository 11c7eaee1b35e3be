//! The revisions of the requests of a group commit.

use std::sync::atomic::{AtomicI64, Ordering};

use domain::Revision;

/// The revisions of the requests of a group commit.
#[derive(Debug)]
pub(super) struct Ledger {
    /// The last revision that was given to a request.
    revision: AtomicI64,
    /// The last commit.
    published: AtomicI64,
}

impl Ledger {
    pub(super) fn new(last: Revision) -> Self {
        Self { revision: AtomicI64::new(last.0), published: AtomicI64::new(last.0) }
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
}
