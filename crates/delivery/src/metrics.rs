//! What is counted about deliveries.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use domain::Clock;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{counter::Counter, family::Family, gauge::ConstGauge, histogram::Histogram},
    registry::{Registry, Unit},
};
use store::deliveries::Backlog;

/// One label with its value.
type Label = [(&'static str, &'static str); 1];

/// Up to the longest that a request may take by default.
const SECONDS: [f64; 9] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0];

/// The instruments. Clones are handles to the same ones.
#[derive(Clone, Debug)]
pub(crate) struct Metrics {
    attempts: Family<Label, Counter>,
    given_up: Counter,
    pub(crate) request: Histogram,
    backlog: Arc<Mutex<Backlog>>,
}

/// What became of an attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Attempt {
    Delivered,
    Down,
    Refused,
}

impl Metrics {
    /// Instruments that say 0 of every outcome.
    pub(crate) fn new() -> Self {
        let metrics = Self {
            attempts: Family::default(),
            given_up: Counter::default(),
            request: Histogram::new(SECONDS),
            backlog: Arc::default(),
        };
        for attempt in [Attempt::Delivered, Attempt::Down, Attempt::Refused] {
            drop(metrics.attempts.get_or_create(&attempt.label()));
        }
        metrics
    }

    pub(crate) fn register(&self, registry: &mut Registry, clock: Arc<dyn Clock>) {
        let attempts = "Attempts to deliver an event to a sink, by outcome: delivered, down (no answer, or 429 or 5xx), refused";
        registry.register("event_deliveries", attempts, self.attempts.clone());
        let given_up = "Events that were given up and became dead letters";
        registry.register("events_given_up", given_up, self.given_up.clone());
        let request = "How long requests to sinks took";
        registry.register_with_unit("event_delivery_request", request, Unit::Seconds, self.request.clone());
        registry.register_collector(Box::new(Waiting { backlog: Arc::clone(&self.backlog), clock }));
    }

    pub(crate) fn attempted(&self, attempt: Attempt) {
        self.attempts.get_or_create(&attempt.label()).inc();
    }

    pub(crate) fn gave_up(&self, events: usize) {
        self.given_up.inc_by(events as u64);
    }

    pub(crate) fn set_backlog(&self, backlog: Backlog) {
        *self.backlog.lock().unwrap_or_else(PoisonError::into_inner) = backlog;
    }
}

impl Attempt {
    fn label(self) -> Label {
        let outcome = match self {
            Self::Delivered => "delivered",
            Self::Down => "down",
            Self::Refused => "refused",
        };
        [("outcome", outcome)]
    }
}

/// Tells what waits, as it was measured last.
#[derive(Debug)]
struct Waiting {
    backlog: Arc<Mutex<Backlog>>,
    clock: Arc<dyn Clock>,
}

impl Collector for Waiting {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let backlog = *self.backlog.lock().unwrap_or_else(PoisonError::into_inner);
        let mut gauge = |name, help: &str, value: u64| {
            let gauge = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)
        };
        gauge("subscriptions_waiting", "Subscriptions with events that their sinks have not taken yet.", backlog.waiting)?;
        gauge("subscriptions_failing", "Subscriptions whose sinks did not take the last event.", backlog.failing)?;
        gauge("dead_letters", "Events that were given up and are kept.", backlog.dead_letters)?;
        let lag = backlog.oldest.map_or(0.0, |oldest| Self::seconds(self.clock.now().0.saturating_sub(oldest.0)));
        let lag = ConstGauge::new(lag);
        let help = "How long ago the oldest event was announced that may not be delivered yet.";
        lag.encode(encoder.encode_descriptor("event_delivery_lag", help, Some(&Unit::Seconds), lag.metric_type())?)
    }
}

impl Waiting {
    fn seconds(milliseconds: i64) -> f64 {
        std::time::Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0)).as_secs_f64()
    }
}
