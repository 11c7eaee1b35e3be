//! Work that may take more than a millisecond: compiling patterns, reading keys, matching long claims. It has threads of its
//! own, which organizations share fairly; no request is answered there and nothing is written.

use std::{sync::Arc, time::Instant};

use domain::Error;
use prometheus_client::{
    metrics::{counter::Counter, histogram::Histogram},
    registry::{Registry, Unit},
};
use tokio::task::spawn_blocking;

use crate::{
    Settings,
    fair::{FairQueue, Shares},
};

/// The threads for dear work. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Workers(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    queue: FairQueue,
    time: Histogram,
    refused: Counter,
}

/// Up to what the budgets of patterns admit.
const SECONDS: [f64; 8] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5];

impl Workers {
    /// Threads under these settings. None is made before there is work.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let limits = &settings.limits;
        let shares = Shares { places: limits.work_threads.max(1), waiting: limits.work_waiting, timeout: limits.work_timeout };
        Self(Arc::new(Inner { queue: FairQueue::new(shares), time: Histogram::new(SECONDS), refused: Counter::default() }))
    }

    /// Adds what is counted here to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let Inner { queue, time, refused } = &*self.0;
        let help = "Requests that wait for a thread to compile patterns, read keys or match long claims";
        registry.register("pattern_work_waiting", help, queue.waiting());
        let help = "Requests that were refused because too much of their organization waited for such a thread, or for too long";
        registry.register("pattern_work_refused", help, refused.clone());
        let help = "How long compiling patterns, reading keys and matching long claims took, without waiting";
        registry.register_with_unit("pattern_work", help, Unit::Seconds, time.clone());
    }

    /// Does the work for `organization` when it is its turn. Once begun it goes on, whoever goes.
    ///
    /// # Errors
    /// Resource exhausted when too much of the organization waits already, or when it waits for too long.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        organization: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let place = self.0.queue.place(organization).await.inspect_err(|_| {
            self.0.refused.inc();
        })?;
        let inner = Arc::clone(&self.0);
        let work = spawn_blocking(move || {
            let _place = place;
            let begun = Instant::now();
            let done = work();
            inner.time.observe(begun.elapsed().as_secs_f64());
            done
        });
        work.await.map_err(Error::internal)
    }
}
