//! A clock that moves only when told to.

use std::sync::atomic::{AtomicI64, Ordering};

use domain::{Clock, Timestamp};

/// A clock that stands still at 2026-01-02T03:04:05.678Z until a test moves it.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl Default for FixedClock {
    fn default() -> Self {
        Self(AtomicI64::new(1_767_323_045_678))
    }
}

impl FixedClock {
    /// Moves the clock on, or back by less than nothing.
    pub fn advance_seconds(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1000, Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}
