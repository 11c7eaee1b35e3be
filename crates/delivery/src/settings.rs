//! Everything about delivery that can be set.

use std::time::Duration;

use aws_lc_rs::digest;
use domain::Timestamp;

/// The settings of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many subscriptions are served at once by one node; with none it delivers nothing. An organization gets a quarter of that at
    /// most, and all whose sinks failed last half of it.
    pub at_once: usize,
    /// How long a request to a sink may take.
    pub timeout: Duration,
    /// How long the first retry waits; each further one waits about twice as long.
    pub first_retry: Duration,
    /// How long a retry waits at most.
    pub last_retry: Duration,
    /// How long an event is retried before it is given up.
    pub give_up_after: Duration,
    /// How many dead letters a subscription keeps.
    pub dead_letters: u32,
    /// How long dead letters are kept.
    pub keep_dead_letters: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            at_once: 64,
            timeout: Duration::from_secs(10),
            first_retry: Duration::from_secs(5),
            last_retry: Duration::from_hours(1),
            give_up_after: Duration::from_hours(24),
            dead_letters: 1000,
            keep_dead_letters: Duration::from_hours(30 * 24),
        }
    }
}

impl Settings {
    /// What an organization gets of [`Settings::at_once`].
    pub(crate) fn per_organization(&self) -> usize {
        (self.at_once / 4).max(1)
    }

    /// What subscriptions get whose sinks failed last.
    pub(crate) fn for_failing(&self) -> usize {
        (self.at_once / 2).max(1)
    }

    /// How long to wait after that many failures: between half of a time that doubles and all of it, so that sinks which failed
    /// together are not retried together. What is drawn follows from `seed`.
    pub(crate) fn wait(&self, attempts: i64, seed: &str) -> Duration {
        let doublings = u32::try_from(attempts.saturating_sub(1)).unwrap_or(u32::MAX).min(30);
        let most = self.first_retry.saturating_mul(1 << doublings).min(self.last_retry);
        let drawn = digest::digest(&digest::SHA256, format!("{attempts} {seed}").as_bytes()).as_ref().first().copied();
        most / 2 + most.mul_f64(f64::from(drawn.unwrap_or(0)) / 510.0)
    }
}

/// `at` and that long.
pub(crate) fn later(at: Timestamp, by: Duration) -> Timestamp {
    Timestamp(at.0.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_differ() {
        let settings = Settings::default();
        for attempts in 1..100 {
            let most = settings.first_retry.saturating_mul(1 << (attempts - 1).min(20)).min(settings.last_retry);
            for seed in ["a", "b", "c"] {
                let wait = settings.wait(attempts, seed);
                assert!(wait >= most / 2 && wait <= most, "{attempts}: {wait:?}");
            }
        }
        let drawn: std::collections::BTreeSet<_> = (0..50).map(|seed| settings.wait(1, &seed.to_string())).collect();
        assert!(drawn.len() > 25, "they are spread: {drawn:?}");
    }

    #[test]
    fn every_share_is_at_least_one() {
        let settings = Settings { at_once: 1, ..Settings::default() };
        assert_eq!((settings.per_organization(), settings.for_failing()), (1, 1));
    }
}
