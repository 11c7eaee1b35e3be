//! What is counted about requests and connections.

use std::{
    ops::Deref,
    sync::{Arc, OnceLock},
    time::Duration,
};

use contract::{METHODS, Method};
use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};

/// How a request arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Transport {
    /// gRPC over HTTP/2.
    Grpc,
    /// JSON by the contract's HTTP rules.
    Json,
    /// Everything else.
    #[default]
    Http,
}

impl Transport {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Grpc => "grpc",
            Self::Json => "json",
            Self::Http => "http",
        }
    }
}

/// A limit of the port, as metrics name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Limit {
    /// All bytes under way.
    Memory,
    /// The bytes of all strangers.
    Strangers,
    /// The bytes of one address.
    Address,
    /// The bytes of one address's strangers.
    AddressStrangers,
    /// The bytes of one identity.
    Identity,
    /// The requests of one address.
    Requests,
    /// Those of them that read and are handled at once.
    Reads,
    /// Questions and watches of health and reflection of one address that go on.
    Watches,
    /// The slowest body.
    BodyRate,
    /// The longest time without progress of an answer.
    SendTimeout,
    /// Refusals that one address has not read.
    Refusals,
    /// All connections.
    Connections,
    /// The connections of one address.
    AddressConnections,
    /// TLS handshakes.
    Handshakes,
}

/// The instruments of the port. Every label has few values, none of which a client chooses: what is no method of the
/// contract counts as `other`.
#[derive(Debug)]
pub struct Metrics {
    requests: Family<Labels<3>, Counter>,
    durations: Family<Labels<2>, Histogram, fn() -> Histogram>,
    /// What most requests need, found by number: by method, with `other` behind the last one, and by transport.
    known: Box<[[Known; 3]]>,
    under_way: Gauge,
    sent: Counter,
    connections: Gauge,
    accepted: Counter,
    /// What all requests hold, and what strangers hold of it.
    pub(crate) bytes: Gauge,
    pub(crate) strange_bytes: Gauge,
    limits_reached: Family<Labels<1>, Counter>,
}

/// Names with their values.
type Labels<const N: usize> = [(&'static str, &'static str); N];

/// The instruments of one method over one transport, made when it is first called.
#[derive(Debug, Default)]
struct Known {
    ok: OnceLock<Counter>,
    duration: OnceLock<Histogram>,
}

/// The instruments in the hands of one connection, for its requests to share: a count of holders that all connections changed
/// with every request would go to and fro between the cores of the processor.
#[derive(Clone, Debug)]
pub(crate) struct Meter(Arc<Held>);

/// A holder of its own.
#[derive(Debug)]
struct Held(Arc<Metrics>);

/// Something that is counted while it exists.
#[derive(Debug)]
pub(crate) struct Counted(Gauge);

/// The label for everything that is no method of the contract.
const OTHER: &str = "other";
/// From half a millisecond to half of the longest time that a request may take by default.
const SECONDS: [f64; 14] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

impl Metrics {
    pub(crate) fn new() -> Arc<Self> {
        let limits_reached = Family::<Labels<1>, Counter>::default();
        // Told from the beginning: a rate needs a first value.
        for limit in Limit::ALL {
            drop(limits_reached.get_or_create(&[("limit", limit.as_str())]));
        }
        Arc::new(Self {
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            known: std::iter::repeat_with(Default::default).take(METHODS.len() + 1).collect(),
            under_way: Gauge::default(),
            sent: Counter::default(),
            connections: Gauge::default(),
            accepted: Counter::default(),
            bytes: Gauge::default(),
            strange_bytes: Gauge::default(),
            limits_reached,
        })
    }

    /// Adds the instruments to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let help = "Finished requests by method of the contract (or other), transport (grpc, json, http) and canonical code; \
                    answers outside the contract have the class of their status instead, such as 2xx";
        registry.register("requests", help, self.requests.clone());
        let help = "From a request's head until its answer was sent, by method and transport";
        registry.register_with_unit("request_duration", help, Unit::Seconds, self.durations.clone());
        registry.register("requests_under_way", "Requests that are being read, served or answered", self.under_way.clone());
        registry.register_with_unit("response", "Bytes of the bodies of answers", Unit::Bytes, self.sent.clone());
        registry.register("connections", "Open connections", self.connections.clone());
        registry.register("connections_accepted", "Connections that were accepted", self.accepted.clone());
        let help = "What requests under way hold, as the budget counts it: bodies, answers until they are sent, and 16 KiB each";
        registry.register_with_unit("under_way", help, Unit::Bytes, self.bytes.clone());
        let help = "Of these bytes, those of callers without a good token";
        registry.register_with_unit("under_way_of_strangers", help, Unit::Bytes, self.strange_bytes.clone());
        let help = "Requests, answers and connections that a limit refused or ended, by limit";
        registry.register("limits_reached", help, self.limits_reached.clone());
    }

    /// A request begins. It must [end](Metrics::end).
    pub(crate) fn begin(&self) {
        self.under_way.inc();
    }

    /// A request ended, and its answer had a body of `bytes`.
    pub(crate) fn end(&self, request: (Option<&'static Method>, Transport), code: &'static str, took: Duration, bytes: u64) {
        self.under_way.dec();
        let (method, transport) = request;
        let path = method.map_or(OTHER, |method| method.path);
        let labels = || [("method", path), ("transport", transport.as_str()), ("code", code)];
        let known = self.known.get(method.map_or(METHODS.len(), |method| method.index));
        // Three transports, three places.
        let Some(known) = known.and_then(|known| known.get(transport as usize)) else { return };
        if code == "OK" {
            known.ok.get_or_init(|| self.requests.get_or_create(&labels()).clone()).inc();
        } else {
            self.requests.get_or_create(&labels()).inc();
        }
        let duration = known.duration.get_or_init(|| {
            let [method, transport, _] = labels();
            self.durations.get_or_create(&[method, transport]).clone()
        });
        duration.observe(took.as_secs_f64());
        self.sent.inc_by(bytes);
    }

    /// A limit refused or ended something.
    pub(crate) fn reached(&self, limit: Limit) {
        self.limits_reached.get_or_create(&[("limit", limit.as_str())]).inc();
    }

    /// A connection begins.
    pub(crate) fn connected(&self) -> Counted {
        self.accepted.inc();
        Counted::new(&self.connections)
    }
}

impl Meter {
    pub(crate) fn new(metrics: &Arc<Metrics>) -> Self {
        Self(Arc::new(Held(Arc::clone(metrics))))
    }
}

impl Deref for Meter {
    type Target = Metrics;

    fn deref(&self) -> &Metrics {
        &self.0.0
    }
}

impl Counted {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}
