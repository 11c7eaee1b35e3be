//! The writer: one thread that takes the requests waiting in its queue, runs each in a savepoint, commits them together
//! and only then answers. One sync to disk serves them all.

use std::{
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use domain::{Error, Kind, Result, Revision, Rule};
use tokio::sync::mpsc;

use super::{
    batches,
    connection::Connection,
    fault,
    files::Files,
    folder::Folder,
    idle::Idle,
    ledger::Ledger,
    shared::{Shared, lock},
};
use crate::{
    metrics::Metrics,
    progress::Progress,
    queue::{BATCH, Job, Outcome, Queue, Write, answer_all},
    sums::Sums,
};

/// The handle of the writer thread. Dropping it finishes what is queued and waits for the thread.
#[derive(Debug)]
pub(super) struct GroupCommit {
    queue: Queue<Connection>,
    ledger: Arc<Ledger>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl GroupCommit {
    /// Starts the thread. The folder's lock goes when the thread ends.
    pub(super) fn start(session: Session, folder: Folder) -> Result<Self> {
        let ledger = Arc::clone(&session.ledger);
        let (queue, jobs) = Queue::new(session.progress.clone(), &session.metrics);
        let serve = move || {
            session.serve(jobs);
            drop(session);
            drop(folder);
        };
        let thread = std::thread::Builder::new().name("store-writer".to_owned()).spawn(serve).map_err(Error::internal)?;
        Ok(Self { queue, ledger, thread: Mutex::new(Some(thread)) })
    }

    pub(super) fn write<T, F, R>(&self, job: Job, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(Connection) -> R + Clone + Send + 'static,
        R: Future<Output = Result<T>> + Send + 'static,
    {
        self.queue.write(job, work)
    }

    /// The revisions that it gives and has published.
    pub(super) fn ledger(&self) -> Arc<Ledger> {
        Arc::clone(&self.ledger)
    }

    pub(super) fn stalled(&self) -> Result<Option<Duration>> {
        self.queue.stalled()
    }

    /// Works off the queue and ends the thread.
    pub(super) async fn close(&self) {
        let Some(thread) = self.hang_up() else { return };
        // Joining takes as long as the requests that are queued; the workers of the runtime stay free meanwhile.
        if tokio::task::spawn_blocking(move || thread.join()).await.is_err() {
            tracing::error!("cannot wait for the store's writer");
        }
    }

    fn hang_up(&self) -> Option<JoinHandle<()>> {
        self.queue.hang_up();
        self.thread.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for GroupCommit {
    fn drop(&mut self) {
        // The last handle may be dropped by a request on the thread itself, which cannot wait for itself.
        if let Some(thread) = self.hang_up().filter(|thread| thread.thread().id() != std::thread::current().id())
            && thread.join().is_err()
        {
            tracing::error!("the store's writer has panicked");
        }
    }
}

/// The writer thread's side.
pub(super) struct Session {
    raw: Shared,
    ledger: Arc<Ledger>,
    sums: Arc<dyn Sums>,
    idle: Arc<Idle>,
    files: Arc<Files>,
    metrics: Metrics,
    progress: Progress,
}

impl Session {
    /// A writer on this connection to `files`, whose last commit had the number `last`.
    pub(super) fn new(
        raw: rusqlite::Connection,
        last: Revision,
        sums: Arc<dyn Sums>,
        idle: Arc<Idle>,
        files: Arc<Files>,
        metrics: Metrics,
    ) -> Self {
        let (raw, ledger) = (Arc::new(Mutex::new(raw)), Arc::new(Ledger::new(last)));
        Self { raw, ledger, sums, idle, files, metrics, progress: Progress::default() }
    }

    fn serve(&self, mut jobs: mpsc::Receiver<Box<dyn Write<Connection>>>) {
        while let Some(first) = jobs.blocking_recv() {
            let mut batch = vec![first];
            while batch.len() < BATCH
                && let Ok(write) = jobs.try_recv()
            {
                batch.push(write);
            }
            self.progress.begin();
            self.commit_together(batch);
            self.progress.done();
        }
        // It waits for snapshots, also for those that nobody uses.
        let _writing = self.idle.write();
        let folded = lock(&self.raw).query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
        match folded {
            Ok(false) => {}
            Ok(true) => tracing::warn!("somebody reads the database: the journal stays, and the next start folds it in"),
            Err(error) => tracing::warn!(%error, "cannot fold the journal into the database; the next start does it"),
        }
    }

    fn commit_together(&self, batch: Vec<Box<dyn Write<Connection>>>) {
        // To its end: a snapshot that is kept shows what anybody was told of.
        let _writing = self.idle.write();
        let mut ran = Vec::with_capacity(batch.len());
        let (mut kept, first) = (0, self.ledger.revision());
        for mut write in batch.into_iter().filter(|write| !write.is_abandoned()) {
            let begun = if ran.is_empty() { self.begin() } else { Ok(()) };
            if let Err(error) = begun.and_then(|()| self.execute("SAVEPOINT request").map_err(fault::translate)) {
                write.fail(error);
                write.answer(None);
                if ran.is_empty() {
                    self.roll_back();
                }
                continue;
            }
            let before = self.ledger.revision();
            let connection = Connection::writing(Arc::clone(&self.raw), Arc::clone(&self.ledger));
            let outcome = at_once(write.run(connection)).unwrap_or_else(|| {
                write.fail(Error::internal("a write waited for something other than its own statements"));
                Outcome::Failed
            });
            write.count(self.ledger.take_in_statements());
            ran.push(write);
            if outcome == Outcome::Failed {
                // Nobody has seen it: the next write takes it.
                self.ledger.set_revision(before);
            }
            let keep = outcome == Outcome::Keep;
            if keep {
                self.sums.keep();
            } else {
                self.sums.undo();
            }
            match self.end_savepoint(keep) {
                Ok(()) => kept += usize::from(keep),
                // Some failures (disk full, I/O) make SQLite roll back everything since BEGIN: nobody's work is kept.
                Err(error) => {
                    self.roll_back();
                    kept = 0;
                    let lost = Error::new(
                        Kind::Unavailable,
                        Rule::Unavailable,
                        "the storage failed for a request in the same commit, and nothing of it was kept; retry",
                    );
                    answer_all(ran.drain(..), Some(&lost.because(error)));
                }
            }
        }
        if ran.is_empty() {
            return;
        }
        // The revision of a trial was shown to its caller and must not be that of something else, after a restart neither.
        let committed = if kept > 0 || self.ledger.revision() > first { self.commit(kept) } else { self.execute("ROLLBACK") };
        match committed {
            Ok(()) => answer_all(ran, None),
            Err(error) => {
                self.roll_back();
                answer_all(ran, Some(&fault::translate(error)));
            }
        }
    }

    fn begin(&self) -> Result<()> {
        self.files.check()?;
        self.execute("BEGIN IMMEDIATE").map_err(fault::translate)?;
        self.sums.begin(self.head().map_err(fault::translate)?.as_deref());
        Ok(())
    }

    /// The end of the audit log, as the last commit has left it.
    fn head(&self) -> rusqlite::Result<Option<Vec<u8>>> {
        lock(&self.raw).prepare_cached("SELECT head FROM revision")?.query_row([], |row| row.get(0))
    }

    fn end_savepoint(&self, keep: bool) -> rusqlite::Result<()> {
        if !keep {
            self.execute("ROLLBACK TO request")?;
        }
        self.execute("RELEASE request")
    }

    /// Makes the `kept` requests durable.
    fn commit(&self, kept: usize) -> rusqlite::Result<()> {
        let last = self.ledger.revision();
        let (raw, head) = (lock(&self.raw), self.sums.head());
        batches::write(&raw, &self.sums.take())?;
        raw.prepare_cached("UPDATE revision SET n = ?1, head = coalesce(?2, head)")?.execute((last.0, head))?;
        drop(raw);
        let since = Instant::now();
        self.execute("COMMIT")?;
        // Before anybody is answered: who was told of a write never finds an older number here.
        self.ledger.publish(last);
        if kept > 0 {
            self.metrics.committed(kept, since.elapsed());
        }
        Ok(())
    }

    /// Ends a transaction that failed, if SQLite has not done so itself.
    fn roll_back(&self) {
        if !lock(&self.raw).is_autocommit()
            && let Err(error) = self.execute("ROLLBACK")
        {
            tracing::error!(%error, "cannot roll back");
        }
    }

    fn execute(&self, sql: &str) -> rusqlite::Result<()> {
        let raw = lock(&self.raw);
        let mut statement = raw.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
        Ok(())
    }
}

/// The value of a write's future, if it does not wait.
///
/// INVARIANT: a write only awaits its own statements, and SQLite answers those at once, so the future never pends.
/// One that waits for anything else would hold up every other write; it fails instead.
fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

#[cfg(test)]
mod tests;
