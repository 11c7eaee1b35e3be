//! The queue in front of a writer: requests that wait for a group commit, whatever engine makes it.

use std::{
    any::Any,
    fmt,
    future::poll_fn,
    panic::AssertUnwindSafe,
    pin::{Pin, pin},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use domain::{Error, Result};
use futures::FutureExt;
use prometheus_client::metrics::histogram::Histogram;
use tokio::sync::{mpsc, oneshot};

use crate::{
    fault::{closed, overloaded},
    metrics::Metrics,
    progress::Progress,
};

/// Requests that may wait; more are refused after [`MAX_WAIT`].
const QUEUE: usize = 1024;
/// Requests that share a commit at most.
pub(crate) const BATCH: usize = 256;
/// How long a request waits for a place in the queue before the server calls itself overloaded.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// How long a request may keep the writer busy with other than the database before the log tells of it: all writes wait.
const BUSY: Duration = Duration::from_millis(50);

/// Whose write it is, as the log tells of it, and what becomes of it.
#[derive(Clone, Debug)]
pub struct Job {
    /// The method that was called, or the task of the server itself.
    pub method: &'static str,
    /// The name of the request in the log.
    pub request_id: Arc<str>,
    /// Whether all of it is done and nothing kept.
    pub only_tries: bool,
}

/// The sending side, for a writer whose requests get a `C`.
pub(crate) struct Queue<C> {
    jobs: Mutex<Option<mpsc::Sender<Box<dyn Write<C>>>>>,
    progress: Progress,
    metrics: Metrics,
}

/// A request to write, whatever it answers, in a transaction on a connection `C`.
pub(crate) trait Write<C>: Send {
    /// Whether nobody waits for the answer any more. What nobody waits for is not begun.
    fn is_abandoned(&self) -> bool;
    /// When it was asked for.
    fn since(&self) -> Instant;
    /// Runs the work in a transaction of its own and keeps the result. It may run again after what it did was rolled back.
    fn run(&mut self, connection: C) -> Pin<Box<dyn Future<Output = Outcome> + Send + '_>>;
    /// Counts how long the last run kept the writer, if it came to its end. Statements took a part of that which is not counted.
    fn count(&mut self, in_statements: Duration);
    /// Gives the work another result.
    fn fail(&mut self, error: Error);
    /// Tells the caller, after the commit: its own result, or `failure` instead of a success.
    fn answer(self: Box<Self>, failure: Option<Error>);
}

/// What a request came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// What it did is to be kept.
    Keep,
    /// It succeeded and was only a trial.
    Tried,
    /// It failed.
    Failed,
}

/// What waits is not shown.
impl<C> fmt::Debug for Queue<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("progress", &self.progress).finish_non_exhaustive()
    }
}

impl<C: Send + 'static> Queue<C> {
    /// The queue of a writer that tells its progress.
    pub(crate) fn new(progress: Progress, metrics: &Metrics) -> (Self, mpsc::Receiver<Box<dyn Write<C>>>) {
        let (sender, jobs) = mpsc::channel(QUEUE);
        (Self { jobs: Mutex::new(Some(sender)), progress, metrics: metrics.clone() }, jobs)
    }

    pub(crate) fn write<T, F, R>(&self, job: Job, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(C) -> R + Clone + Send + 'static,
        R: Future<Output = Result<T>> + Send + 'static,
    {
        // Boxed before anybody waits: who does holds no part of the work.
        let (request, answered) = request(job, self.metrics.writer_busy(), work);
        async move {
            self.submit(request).await?;
            answered.await.map_err(|_| closed())?
        }
    }

    /// How long the writes at the head of the queue have been waiting, where that is longer than they should.
    ///
    /// # Errors
    /// Unavailable when nothing takes them any more.
    pub(crate) fn stalled(&self) -> Result<Option<Duration>> {
        if self.sender()?.is_closed() {
            return Err(closed());
        }
        Ok(self.progress.stalled())
    }

    async fn submit(&self, write: Box<dyn Write<C>>) -> Result<()> {
        self.sender()?.send_timeout(write, MAX_WAIT).await.map_err(|refused| match refused {
            mpsc::error::SendTimeoutError::Timeout(_) => overloaded("too many writes are waiting; retry in a moment"),
            mpsc::error::SendTimeoutError::Closed(_) => closed(),
        })
    }

    fn sender(&self) -> Result<mpsc::Sender<Box<dyn Write<C>>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(closed)
    }

    /// Takes nothing more. The writer works off what is queued and ends.
    pub(crate) fn hang_up(&self) {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// The same error for somebody else; the cause becomes a text.
pub(crate) fn copy(error: &Error) -> Error {
    let copy = Error::new(error.kind(), error.rule(), error.message());
    error.details().iter().cloned().fold(copy, Error::with).because(format!("of a common commit: {error:?}"))
}

/// Answers everybody. A failure of the common commit replaces every success.
pub(crate) fn answer_all<C>(writes: impl IntoIterator<Item = Box<dyn Write<C>>>, failure: Option<&Error>) {
    for write in writes {
        write.answer(failure.map(copy));
    }
}

/// A request and where its answer arrives.
pub(crate) fn request<C, T, F, R>(job: Job, busy: Histogram, work: F) -> (Box<dyn Write<C>>, oneshot::Receiver<Result<T>>)
where
    T: Send + 'static,
    F: FnOnce(C) -> R + Clone + Send + 'static,
    R: Future<Output = Result<T>> + Send + 'static,
    C: Send + 'static,
{
    let (answer, answered) = oneshot::channel();
    (Box::new(Request { job, work, busy, since: Instant::now(), polled: None, result: None, answer }), answered)
}

struct Request<T, F> {
    job: Job,
    work: F,
    /// How long writes keep the writer busy.
    busy: Histogram,
    since: Instant,
    /// How long the last run kept the writer, if it came to its end.
    polled: Option<Duration>,
    result: Option<Result<T>>,
    answer: oneshot::Sender<Result<T>>,
}

impl<C, T, F, R> Write<C> for Request<T, F>
where
    T: Send + 'static,
    F: FnOnce(C) -> R + Clone + Send + 'static,
    R: Future<Output = Result<T>> + Send + 'static,
    C: Send + 'static,
{
    fn is_abandoned(&self) -> bool {
        self.answer.is_closed()
    }

    fn since(&self) -> Instant {
        self.since
    }

    fn run(&mut self, connection: C) -> Pin<Box<dyn Future<Output = Outcome> + Send + '_>> {
        self.polled = None;
        let since = Instant::now();
        let work = self.work.clone();
        let cloned = since.elapsed();
        Box::pin(async move {
            let (run, polled) = timed(AssertUnwindSafe(async move { work(connection).await }).catch_unwind()).await;
            self.polled = Some(cloned + polled);
            let result = run.unwrap_or_else(|panic| Err(panicked(&*panic)));
            let outcome = match &result {
                Err(_) => Outcome::Failed,
                Ok(_) if self.job.only_tries => Outcome::Tried,
                Ok(_) => Outcome::Keep,
            };
            self.result = Some(result);
            outcome
        })
    }

    /// The log tells of a long run.
    fn count(&mut self, in_statements: Duration) {
        let Some(busy) = self.polled.take().map(|polled| polled.saturating_sub(in_statements)) else { return };
        self.busy.observe(busy.as_secs_f64());
        if busy > BUSY {
            let millis = busy.as_secs_f64() * 1000.0;
            tracing::warn!(
                method = self.job.method,
                request_id = &*self.job.request_id,
                millis,
                "a write kept the writer from all others without waiting for the database"
            );
        }
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
