//! What the requests of a group commit have in common besides the database: revisions, and the time of the thread.

use std::{
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
    time::Duration,
};

use domain::{Result, Revision};

/// The revisions of the requests of a group commit, and how long their statements run.
#[derive(Debug)]
pub(super) struct Ledger {
    /// The last revision that was given to a request.
    revision: AtomicI64,
    /// The last commit.
    published: AtomicI64,
    /// For how many nanoseconds the statements of the request that runs have run. Only the writer's thread uses it.
    in_statements: AtomicU64,
}

impl Ledger {
    pub(super) fn new(last: Revision) -> Self {
        Self { revision: AtomicI64::new(last.0), published: AtomicI64::new(last.0), in_statements: AtomicU64::new(0) }
    }

    pub(super) fn revision(&self) -> Revision {
        Revision(self.revision.load(Ordering::Relaxed))
    }

    /// Gives out the next revision.
    pub(super) fn next_revision(&self) -> Result<Revision> {
        let next = self.revision().next()?;
        self.revision.store(next.0, Ordering::Relaxed);
        Ok(next)
    }

    /// A statement has run for so long.
    pub(super) fn ran(&self, time: Duration) {
        self.in_statements.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// How long statements have run since this was last asked.
    pub(super) fn take_in_statements(&self) -> Duration {
        Duration::from_nanos(self.in_statements.swap(0, Ordering::Relaxed))
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
