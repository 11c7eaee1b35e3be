//! The queue in front of a writer: requests that wait for a group commit, whatever engine makes it.

use std::{
    any::Any,
    future::poll_fn,
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use domain::{Ctx, Error, Kind, Result, Rule, error::Detail};
use futures::FutureExt;
use prometheus_client::metrics::histogram::Histogram;
use tokio::sync::{mpsc, oneshot};

use super::{Connection, closed, progress::Progress};
use crate::{
    BoxFuture, Metrics,
    writer::{Mode, Writer},
};

/// Requests that may wait; more are refused after [`MAX_WAIT`].
const QUEUE: usize = 1024;
/// Requests that share a commit at most.
pub(super) const BATCH: usize = 256;
/// How long a request waits for a place in the queue before the server calls itself overloaded.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// How long a request may keep the writer busy with other than the database before the log tells of it: all writes wait.
const BUSY: Duration = Duration::from_millis(50);

/// The sending side.
#[derive(Debug)]
pub(super) struct Queue {
    jobs: Mutex<Option<mpsc::Sender<Box<dyn Write>>>>,
    progress: Progress,
    metrics: Metrics,
}

/// A request to write, whatever it answers.
pub(super) trait Write: Send {
    /// Whether nobody waits for the answer any more. What nobody waits for is not begun.
    fn is_abandoned(&self) -> bool;
    /// When it was asked for.
    fn since(&self) -> Instant;
    /// Runs the work in a transaction of its own and keeps the result. It may run again after what it did was rolled back.
    fn run(&mut self, connection: Connection) -> BoxFuture<'_, Outcome>;
    /// Gives the work another result.
    fn fail(&mut self, error: Error);
    /// Tells the caller, after the commit: its own result, or `failure` instead of a success.
    fn answer(self: Box<Self>, failure: Option<Error>);
}

/// What a request came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// What it did is to be kept.
    Keep,
    /// It succeeded and was only a trial.
    Tried,
    /// It failed.
    Failed,
}

impl Queue {
    /// The queue of a writer that tells its progress.
    pub(super) fn new(progress: Progress, metrics: &Metrics) -> (Self, mpsc::Receiver<Box<dyn Write>>) {
        let (sender, jobs) = mpsc::channel(QUEUE);
        (Self { jobs: Mutex::new(Some(sender)), progress, metrics: metrics.clone() }, jobs)
    }

    pub(super) async fn write<T, F>(&self, ctx: Ctx, mode: Mode, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a mut Writer) -> BoxFuture<'a, Result<T>> + Clone + Send + 'static,
    {
        let (request, answered) = request(ctx, mode, self.metrics.writer_busy(), work);
        self.submit(request).await?;
        answered.await.map_err(|_| closed())?
    }

    /// How long the writes at the head of the queue have been waiting, where that is longer than they should.
    ///
    /// # Errors
    /// Unavailable when nothing takes them any more.
    pub(super) fn stalled(&self) -> Result<Option<Duration>> {
        if self.sender()?.is_closed() {
            return Err(closed());
        }
        Ok(self.progress.stalled())
    }

    async fn submit(&self, write: Box<dyn Write>) -> Result<()> {
        self.sender()?.send_timeout(write, MAX_WAIT).await.map_err(|refused| match refused {
            mpsc::error::SendTimeoutError::Timeout(_) => overloaded("too many writes are waiting; retry in a moment"),
            mpsc::error::SendTimeoutError::Closed(_) => closed(),
        })
    }

    fn sender(&self) -> Result<mpsc::Sender<Box<dyn Write>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(closed)
    }

    /// Takes nothing more. The writer works off what is queued and ends.
    pub(super) fn hang_up(&self) {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// The error for one of our own limits.
pub(super) fn overloaded(message: &str) -> Error {
    Error::new(Kind::ResourceExhausted, Rule::Overloaded, message).with(Detail::RetryAfter(Duration::from_secs(1)))
}

/// The same error for somebody else; the cause becomes a text.
pub(super) fn copy(error: &Error) -> Error {
    let copy = Error::new(error.kind(), error.rule(), error.message());
    error.details().iter().cloned().fold(copy, Error::with).because(format!("of a common commit: {error:?}"))
}

/// Answers everybody. A failure of the common commit replaces every success.
pub(super) fn answer_all(writes: impl IntoIterator<Item = Box<dyn Write>>, failure: Option<&Error>) {
    for write in writes {
        write.answer(failure.map(copy));
    }
}

/// A request and where its answer arrives.
pub(super) fn request<T, F>(ctx: Ctx, mode: Mode, busy: Histogram, work: F) -> (Box<dyn Write>, oneshot::Receiver<Result<T>>)
where
    T: Send + 'static,
    F: for<'a> FnOnce(&'a mut Writer) -> BoxFuture<'a, Result<T>> + Clone + Send + 'static,
{
    let (answer, answered) = oneshot::channel();
    (Box::new(Request { ctx, mode, work, busy, since: Instant::now(), result: None, answer }), answered)
}

struct Request<T, F> {
    ctx: Ctx,
    mode: Mode,
    work: F,
    /// How long writes keep the writer busy.
    busy: Histogram,
    since: Instant,
    result: Option<Result<T>>,
    answer: oneshot::Sender<Result<T>>,
}

impl<T, F> Write for Request<T, F>
where
    T: Send + 'static,
    F: for<'a> FnOnce(&'a mut Writer) -> BoxFuture<'a, Result<T>> + Clone + Send + 'static,
{
    fn is_abandoned(&self) -> bool {
        self.answer.is_closed()
    }

    fn since(&self) -> Instant {
        self.since
    }

    fn run(&mut self, connection: Connection) -> BoxFuture<'_, Outcome> {
        Box::pin(async move {
            let mut writer = Writer::new(connection, self.ctx.clone(), self.mode);
            let since = Instant::now();
            let work = self.work.clone();
            let cloned = since.elapsed();
            let (run, polled) = timed(AssertUnwindSafe(writer.run(work)).catch_unwind()).await;
            self.count((cloned + polled).saturating_sub(writer.in_statements()));
            let result = run.unwrap_or_else(|panic| Err(panicked(&*panic)));
            let outcome = match &result {
                Err(_) => Outcome::Failed,
                Ok(_) if self.ctx.validate_only => Outcome::Tried,
                Ok(_) => Outcome::Keep,
            };
            self.result = Some(result);
            outcome
        })
    }

    fn fail(&mut self, error: Error) {
        self.result = Some(Err(error));
    }

    fn answer(self: Box<Self>, failure: Option<Error>) {
        let result = self.result.unwrap_or_else(|| Err(closed()));
        // A caller that has gone meanwhile reads the outcome from the resource.
        _ = self.answer.send(match failure {
            Some(failure) => result.and(Err(failure)),
            None => result,
        });
    }
}

impl<T, F> Request<T, F> {
    /// Counts a run that kept the writer for `busy`, not counting what the database took; the log tells of a long one.
    fn count(&self, busy: Duration) {
        self.busy.observe(busy.as_secs_f64());
        if busy > BUSY {
            let millis = busy.as_secs_f64() * 1000.0;
            tracing::warn!(
                method = self.ctx.method,
                request_id = &*self.ctx.request_id,
                millis,
                "a write kept the writer from all others without waiting for the database"
            );
        }
    }
}

/// The value of a future, and how long it was polled: what it waits for is not counted.
async fn timed<T>(future: impl Future<Output = T>) -> (T, Duration) {
    let (mut future, mut polled) = (pin!(future), Duration::ZERO);
    let value = poll_fn(|context| {
        let since = Instant::now();
        let poll = future.as_mut().poll(context);
        polled += since.elapsed();
        poll
    });
    (value.await, polled)
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::internal(format!("a write panicked: {}", text.unwrap_or("without a message")))
}
