//! Work that goes on when who asked for it has gone.

use std::sync::{Mutex, PoisonError};

use tokio::{sync::oneshot, task::JoinSet};
use tracing::Instrument as _;

/// Tasks that end with their owner at the latest.
#[derive(Debug, Default)]
pub(crate) struct Tasks(Mutex<JoinSet<()>>);

impl Tasks {
    /// Begins the work. What comes of it can be waited for, and need not be.
    pub(crate) fn begin<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> oneshot::Receiver<T> {
        let (done, outcome) = oneshot::channel();
        let work = async {
            // Who does not wait any more needs no answer.
            _ = done.send(work.await);
        };
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(work.in_current_span());
        outcome
    }
}
