//! The writer: one thread that takes the requests waiting in its queue, runs each in a savepoint, commits them together
//! and only then answers. One sync to disk serves them all.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    task::{Context, Poll, Waker},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use domain::{Ctx, Error, Kind, Result, Rule, error::Detail};
use tokio::sync::{mpsc, oneshot};

use super::{
    connection::{Connection, Shared, lock},
    fault,
    folder::Folder,
};
use crate::{
    BoxFuture, Metrics, engine,
    writer::{Mode, Writer},
};

/// Requests that may wait; more are refused after [`MAX_WAIT`].
const QUEUE: usize = 1024;
/// Requests that share a commit at most.
const BATCH: usize = 256;
/// How long a request waits for a place in the queue before the server calls itself overloaded.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The handle of the writer thread. Dropping it finishes what is queued and waits for the thread.
#[derive(Debug)]
pub(super) struct GroupCommit {
    queue: Mutex<Option<mpsc::Sender<Job>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

enum Job {
    Write(Box<dyn Write>),
    Ping(oneshot::Sender<()>),
}

/// A request to write, whatever it answers.
trait Write: Send {
    /// Runs inside a savepoint.
    fn run(self: Box<Self>, session: &Session) -> Outcome;
    /// Answers without running.
    fn refuse(self: Box<Self>, error: Error);
}

/// What a request came to.
struct Outcome {
    /// Whether its savepoint stays.
    keep: bool,
    /// Tells the caller, after the commit: its own result, or this error instead of a success.
    answer: Box<dyn FnOnce(Option<Error>)>,
}

impl GroupCommit {
    /// Starts the thread on its connection. The folder's lock goes when the thread ends.
    pub(super) fn start(raw: rusqlite::Connection, folder: Folder, metrics: Metrics) -> Result<Self> {
        let last: i64 = raw.query_row("SELECT n FROM revision", [], |row| row.get(0)).map_err(fault::translate)?;
        let session = Session { raw: Arc::new(Mutex::new(raw)), revisions: Arc::new(AtomicI64::new(last)), metrics };
        let (queue, jobs) = mpsc::channel(QUEUE);
        let serve = move || {
            session.serve(jobs);
            drop(session);
            drop(folder);
        };
        let thread = std::thread::Builder::new().name("store-writer".to_owned()).spawn(serve).map_err(Error::internal)?;
        Ok(Self { queue: Mutex::new(Some(queue)), thread: Mutex::new(Some(thread)) })
    }

    pub(super) async fn write<T, F>(&self, ctx: Ctx, mode: Mode, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a mut Writer) -> BoxFuture<'a, Result<T>> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        self.submit(Job::Write(Box::new(Request { ctx, mode, work, answer }))).await?;
        answered.await.map_err(|_| engine::closed())?
    }

    /// Answers when the thread has worked off what was queued before.
    pub(super) async fn ping(&self) -> Result<()> {
        let (answer, answered) = oneshot::channel();
        self.submit(Job::Ping(answer)).await?;
        answered.await.map_err(|_| engine::closed())
    }

    async fn submit(&self, job: Job) -> Result<()> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(engine::closed)?;
        queue.send_timeout(job, MAX_WAIT).await.map_err(|refused| match refused {
            mpsc::error::SendTimeoutError::Timeout(_) => {
                Error::new(Kind::ResourceExhausted, Rule::Overloaded, "too many writes are waiting; retry in a moment")
                    .with(Detail::RetryAfter(Duration::from_secs(1)))
            }
            mpsc::error::SendTimeoutError::Closed(_) => engine::closed(),
        })
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
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
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
struct Session {
    raw: Shared,
    revisions: Arc<AtomicI64>,
    metrics: Metrics,
}

impl Session {
    fn serve(&self, mut jobs: mpsc::Receiver<Job>) {
        while let Some(first) = jobs.blocking_recv() {
            let mut batch = Vec::new();
            let mut next = Some(first);
            while let Some(job) = next {
                match job {
                    Job::Write(write) => batch.push(write),
                    // Nobody waits for a ping's answer that does not arrive.
                    Job::Ping(answer) => _ = answer.send(()),
                }
                next = if batch.len() < BATCH { jobs.try_recv().ok() } else { None };
            }
            if !batch.is_empty() {
                self.commit_together(batch);
            }
        }
        if let Err(error) = self.execute("PRAGMA wal_checkpoint(TRUNCATE)") {
            tracing::warn!(%error, "cannot fold the journal into the database; the next start does it");
        }
    }

    fn commit_together(&self, batch: Vec<Box<dyn Write>>) {
        let mut answers = Vec::with_capacity(batch.len());
        let mut kept = 0;
        for write in batch {
            if answers.is_empty()
                && let Err(error) = self.execute("BEGIN IMMEDIATE")
            {
                write.refuse(fault::translate(error));
                continue;
            }
            if let Err(error) = self.execute("SAVEPOINT request") {
                write.refuse(fault::translate(error));
                continue;
            }
            let outcome = write.run(self);
            answers.push(outcome.answer);
            match self.end_savepoint(outcome.keep) {
                Ok(()) => kept += usize::from(outcome.keep),
                // Some failures (disk full, I/O) make SQLite roll back everything since BEGIN: nobody's work is kept.
                Err(error) => {
                    self.roll_back();
                    kept = 0;
                    let lost = Error::new(
                        Kind::Unavailable,
                        Rule::Unavailable,
                        "the storage failed for a request in the same commit, and nothing of it was kept; retry",
                    );
                    tell(std::mem::take(&mut answers), Some(&lost.because(error)));
                }
            }
        }
        if answers.is_empty() {
            return;
        }
        let committed = if kept > 0 { self.commit(kept) } else { self.execute("ROLLBACK") };
        match committed {
            Ok(()) => tell(answers, None),
            Err(error) => {
                self.roll_back();
                tell(answers, Some(&fault::translate(error)));
            }
        }
    }

    fn end_savepoint(&self, keep: bool) -> rusqlite::Result<()> {
        if !keep {
            self.execute("ROLLBACK TO request")?;
        }
        self.execute("RELEASE request")
    }

    /// Makes the `kept` requests durable.
    fn commit(&self, kept: usize) -> rusqlite::Result<()> {
        let last = self.revisions.load(Ordering::Relaxed);
        lock(&self.raw).prepare_cached("UPDATE revision SET n = ?1")?.execute([last])?;
        let since = Instant::now();
        self.execute("COMMIT")?;
        self.metrics.committed(kept, since.elapsed());
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

/// Answers everybody. A failure of the common commit replaces every success.
fn tell(answers: Vec<Box<dyn FnOnce(Option<Error>)>>, failure: Option<&Error>) {
    for answer in answers {
        answer(failure.map(|error| {
            let again = Error::new(error.kind(), error.rule(), error.message());
            again.because(format!("the common commit failed: {error:?}"))
        }));
    }
}

struct Request<T, F> {
    ctx: Ctx,
    mode: Mode,
    work: F,
    answer: oneshot::Sender<Result<T>>,
}

impl<T, F> Write for Request<T, F>
where
    T: Send + 'static,
    F: for<'a> FnOnce(&'a mut Writer) -> BoxFuture<'a, Result<T>> + Send + 'static,
{
    fn run(self: Box<Self>, session: &Session) -> Outcome {
        let Self { ctx, mode, work, answer } = *self;
        if answer.is_closed() {
            // The caller has gone; what nobody waits for is not begun.
            return Outcome { keep: false, answer: Box::new(|_| ()) };
        }
        let keep_success = !ctx.validate_only;
        let connection = Connection::writing(Arc::clone(&session.raw), Arc::clone(&session.revisions));
        let mut writer = Writer::new(engine::Connection::Sqlite(connection), ctx, mode);
        let result = catch_unwind(AssertUnwindSafe(|| at_once(writer.run(work)))).unwrap_or_else(|panic| Err(panicked(&*panic)));
        Outcome {
            keep: keep_success && result.is_ok(),
            answer: Box::new(move |failure| {
                let result = match failure {
                    Some(failure) => result.and(Err(failure)),
                    None => result,
                };
                // A caller that has gone meanwhile reads the outcome from the resource.
                _ = answer.send(result);
            }),
        }
    }

    fn refuse(self: Box<Self>, error: Error) {
        _ = self.answer.send(Err(error));
    }
}

/// The value of a write's future.
///
/// INVARIANT: a write only awaits its own statements, and SQLite answers those at once, so the future never pends.
/// One that waits for anything else would hold up every other write; it fails instead.
fn at_once<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => Err(Error::internal("a write waited for something other than its own statements")),
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::internal(format!("a write panicked: {}", text.unwrap_or("without a message")))
}

#[cfg(test)]
mod tests;
