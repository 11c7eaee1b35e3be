//! What goes on on one connection, shared by its stream, its requests and its watch.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Counts the requests of a connection. The numbers only steer timeouts, so no ordering among them is needed.
#[derive(Debug)]
pub(crate) struct Activity {
    opened: Instant,
    under_way: AtomicUsize,
    begun: AtomicUsize,
    /// When the last request ended, in milliseconds after `opened`.
    rests_since: AtomicU64,
    linger: AtomicBool,
}

/// A request under way; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct UnderWay(Arc<Activity>);

impl Activity {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            opened: Instant::now(),
            under_way: AtomicUsize::new(0),
            begun: AtomicUsize::new(0),
            rests_since: AtomicU64::new(0),
            linger: AtomicBool::new(false),
        })
    }

    /// Notes that a request begins.
    pub(crate) fn begin(self: &Arc<Self>) -> UnderWay {
        self.under_way.fetch_add(1, Relaxed);
        self.begun.fetch_add(1, Relaxed);
        UnderWay(Arc::clone(self))
    }

    /// Whether no request is under way.
    pub(crate) fn rests(&self) -> bool {
        self.under_way.load(Relaxed) == 0
    }

    /// How many requests have begun so far.
    pub(crate) fn begun(&self) -> usize {
        self.begun.load(Relaxed)
    }

    /// How long no request has been under way.
    pub(crate) fn idle_for(&self) -> Duration {
        if self.rests() {
            self.opened.elapsed().saturating_sub(Duration::from_millis(self.rests_since.load(Relaxed)))
        } else {
            Duration::ZERO
        }
    }

    /// Asks that what the client still sends is read before the connection is closed, so that it gets the answer: a socket
    /// closed with unread data resets the connection, and the answer is lost with it.
    pub(crate) fn linger(&self) {
        self.linger.store(true, Relaxed);
    }

    pub(crate) fn should_linger(&self) -> bool {
        self.linger.load(Relaxed)
    }
}

impl UnderWay {
    /// See [`Activity::linger`].
    pub(crate) fn linger(&self) {
        self.0.linger();
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let now = u64::try_from(self.0.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.rests_since.store(now, Relaxed);
        self.0.under_way.fetch_sub(1, Relaxed);
    }
}
