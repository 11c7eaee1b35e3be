//! Whether writes get on.

use std::{
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A group commit that takes longer holds up the writes behind it. It takes a twentieth of that where nothing is wrong.
const LATE: Duration = Duration::from_secs(1);

/// How long the writer has been at what it does. Clones are handles to the same one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// When it was begun, tries that failed included; `None` when nothing waits for the writer.
    since: Option<Instant>,
    /// Whether the log says that it takes long.
    told: bool,
}

impl Progress {
    /// Something is to be written, or cannot be.
    pub(crate) fn begin(&self) {
        self.state().since.get_or_insert_with(Instant::now);
    }

    /// The storage has taken it.
    pub(crate) fn done(&self) {
        let State { since, told } = std::mem::take(&mut *self.state());
        if let Some(took) = since.map(|since| since.elapsed()).filter(|took| told || *took > LATE) {
            tracing::warn!(waited_ms = took.as_millis(), "writes go on");
        }
    }

    /// Whether something was begun and is not done.
    pub(crate) fn is_begun(&self) -> bool {
        self.state().since.is_some()
    }

    /// How long writes have been waiting, where that is longer than they should.
    pub(crate) fn stalled(&self) -> Option<Duration> {
        self.state().since.map(|since| since.elapsed()).filter(|waited| *waited > LATE)
    }

    /// Waits for a part of what was begun, and says so when that takes long: once, until it is done.
    pub(crate) async fn watch<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        if let Ok(done) = tokio::time::timeout(LATE, &mut work).await {
            return done;
        }
        if !std::mem::replace(&mut self.state().told, true) {
            tracing::warn!("writes are waiting: another node holds the write lock, or the database does not answer");
        }
        work.await
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As if it had begun so long ago.
    fn begun(ago: Duration) -> Progress {
        let progress = Progress::default();
        progress.state().since = Instant::now().checked_sub(ago);
        progress
    }

    #[test]
    fn writes_stall_when_something_was_begun_long_ago() {
        assert_eq!(Progress::default().stalled(), None);
        assert_eq!(begun(Duration::ZERO).stalled(), None);
        let late = begun(Duration::from_secs(3));
        late.begin();
        assert!(
            late.is_begun() && late.stalled().is_some_and(|waited| waited >= Duration::from_secs(3)),
            "a try counts from the first"
        );
        late.done();
        assert_eq!((late.is_begun(), late.stalled()), (false, None));
    }

    #[tokio::test]
    async fn who_is_watched_is_waited_for() {
        let progress = Progress::default();
        progress.begin();
        let until_told = async {
            while !progress.state().told {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            1
        };
        assert_eq!(progress.watch(until_told).await, 1);
        progress.done();
        assert!(!progress.state().told);
    }
}
