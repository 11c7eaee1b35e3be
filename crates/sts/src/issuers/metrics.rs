//! What is counted about other issuers and their keys.

use std::{fmt, time::Duration};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{counter::Counter, family::Family, gauge::ConstGauge, histogram::Histogram},
    registry::{Registry, Unit},
};

use super::client::FetchError;

/// One label with its value.
type Label = [(&'static str, &'static str); 1];

/// The instruments of [`super::Issuers`]. Clones are handles to the same ones.
#[derive(Clone, Debug)]
pub(super) struct Metrics {
    lookups: Family<Label, Counter>,
    fetches: Family<Label, Counter>,
    fetch: Histogram,
    stale_age: Histogram,
}

/// Up to the limit for one fetch and its discovery.
const FETCH_SECONDS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];
/// Up to the longest time that keys are used without their issuer.
const STALE_SECONDS: [f64; 6] = [900.0, 1200.0, 1800.0, 2700.0, 3600.0, 4500.0];

impl Metrics {
    pub(super) fn new() -> Self {
        Self {
            lookups: Family::default(),
            fetches: Family::default(),
            fetch: Histogram::new(FETCH_SECONDS),
            stale_age: Histogram::new(STALE_SECONDS),
        }
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        let lookups = "Lookups of an issuer's keys, by where they came from: cached, fetched, stale (the issuer is down or being asked), failed";
        registry.register("issuer_key_lookups", lookups, self.lookups.clone());
        let fetches = "Fetches of an issuer's keys, by outcome: ok, down (a retry may help), refused (no retry helps)";
        registry.register("issuer_key_fetches", fetches, self.fetches.clone());
        let fetch = "How long fetches of an issuer's keys took, discovery included";
        registry.register_with_unit("issuer_key_fetch", fetch, Unit::Seconds, self.fetch.clone());
        let stale = "How old keys were that were used because their issuer is down or being asked";
        registry.register_with_unit("issuer_key_stale_age", stale, Unit::Seconds, self.stale_age.clone());
    }

    /// Counts a lookup; `from` is as in [`super::Found`], or `failed`.
    pub(super) fn looked_up(&self, from: &'static str) {
        self.lookups.get_or_create(&[("from", from)]).inc();
    }

    pub(super) fn fetched<T>(&self, outcome: &Result<T, FetchError>, took: Duration) {
        let outcome = match outcome {
            Ok(_) => "ok",
            Err(FetchError::Down(_) | FetchError::Unreachable { .. }) => "down",
            Err(FetchError::Refused(_) | FetchError::Address { .. }) => "refused",
        };
        self.fetches.get_or_create(&[("outcome", outcome)]).inc();
        self.fetch.observe(took.as_secs_f64());
    }

    pub(super) fn used_stale(&self, age: Duration) {
        self.stale_age.observe(age.as_secs_f64());
    }
}

/// Tells how many issuers are remembered, when asked.
pub(super) struct Remembered<F>(pub(super) F);

impl<F: Fn() -> u64 + Send + Sync + 'static> Collector for Remembered<F> {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let gauge = ConstGauge::new(i64::try_from((self.0)()).unwrap_or(i64::MAX));
        let help = "Issuers that are remembered, with their keys or why there are none.";
        gauge.encode(encoder.encode_descriptor("issuers_remembered", help, None, gauge.metric_type())?)
    }
}

impl<F> fmt::Debug for Remembered<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Remembered")
    }
}
