//! The streams of HTTP/2 connections: tasks that the shutdown waits for, each of which ends when nobody reads its answer.

use std::{
    future::{Future, poll_fn},
    sync::{Arc, OnceLock},
    task::Poll,
    time::Duration,
};

use tokio::task_local;
use tokio_util::task::TaskTracker;

use crate::{
    budget::Load,
    metrics::{Limit, Metrics},
};

task_local! {
    /// What the request of this stream holds, once it is known.
    static LOAD: OnceLock<Arc<Load>>;
}

/// Spawns the tasks that hyper needs for HTTP/2 streams.
#[derive(Clone)]
pub(super) struct Streams {
    pub(super) tasks: TaskTracker,
    /// How long an answer may make no progress. To drop its task resets its stream, and leaves the connection to the others.
    pub(super) send_timeout: Duration,
    pub(super) metrics: Arc<Metrics>,
}

/// Lets the stream of this task end with the answer of the request that has this load. Over HTTP/1.1 there is none.
pub(super) fn watch(load: &Arc<Load>) {
    // A stream carries one request.
    let _ = LOAD.try_with(|known| known.set(Arc::clone(load)));
}

impl<F> hyper::rt::Executor<F> for Streams
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let (timeout, metrics) = (self.send_timeout, Arc::clone(&self.metrics));
        let ended = async move {
            tokio::select! {
                biased;
                _ = stream => {}
                () = stalled(timeout) => metrics.reached(Limit::SendTimeout),
            }
        };
        self.tasks.spawn(LOAD.scope(OnceLock::new(), ended));
    }
}

/// Completes when the answer of this task's stream stalls. Polled after the stream, in the task that begins the answer, so that
/// nothing is set up for answers that are sent at once.
async fn stalled(timeout: Duration) {
    let load = poll_fn(|_| {
        let load = LOAD.with(|known| known.get().filter(|load| load.has_begun()).map(Arc::clone));
        load.map_or(Poll::Pending, Poll::Ready)
    });
    let load = load.await;
    load.stalls(timeout).await;
}
