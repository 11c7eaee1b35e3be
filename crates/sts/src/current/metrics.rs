//! What is counted about what is remembered.

use std::fmt;

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{counter::Counter, family::Family, gauge::ConstGauge},
    registry::Registry,
};

type Label = [(&'static str, &'static str); 1];

/// How often something was found in memory, and how often not.
#[derive(Clone, Debug)]
pub(crate) struct Lookups {
    family: Family<Label, Counter>,
    hit: Counter,
    miss: Counter,
}

impl Lookups {
    pub(crate) fn new() -> Self {
        let family = Family::<Label, Counter>::default();
        let of = |outcome| family.get_or_create(&[("outcome", outcome)]).clone();
        Self { hit: of("hit"), miss: of("miss"), family }
    }

    pub(crate) fn count(&self, hit: bool) {
        if hit { &self.hit } else { &self.miss }.inc();
    }

    pub(crate) fn register(&self, registry: &mut Registry, name: &str, help: &str) {
        registry.register(name, help, self.family.clone());
    }
}

/// Tells how many entries a cache has, when asked.
pub(crate) struct Entries<F> {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) count: F,
}

impl<F: Fn() -> usize + Send + Sync + 'static> Collector for Entries<F> {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let gauge = ConstGauge::new(i64::try_from((self.count)()).unwrap_or(i64::MAX));
        gauge.encode(encoder.encode_descriptor(self.name, self.help, None, gauge.metric_type())?)
    }
}

impl<F> fmt::Debug for Entries<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The instruments of [`super::Current`].
#[derive(Clone, Debug)]
pub(super) struct Metrics {
    standings: Lookups,
    questions: Family<Label, Counter>,
}

impl Metrics {
    pub(super) fn new() -> Self {
        Self { standings: Lookups::new(), questions: Family::default() }
    }

    pub(super) fn register(
        &self,
        registry: &mut Registry,
        entries: impl Fn() -> usize + Send + Sync + 'static,
        revision: impl Fn() -> usize + Send + Sync + 'static,
    ) {
        let help = "Lookups of what an identity holds, by outcome: hit (remembered, and confirmed), miss (read from the store)";
        self.standings.register(registry, "grant_cache_lookups", help);
        let help = "Identities whose grants are remembered.";
        registry.register_collector(Box::new(Entries { name: "grant_cache_entries", help, count: entries }));
        let help = "The commit up to which this server knows what has changed about identities, roles and keys.";
        registry.register_collector(Box::new(Entries { name: "grant_cache_revision", help, count: revision }));
        let help = "Questions to the store what has changed about identities, roles and keys, each for all requests that \
                    wait for it, by outcome: ok, failed (those requests are refused)";
        registry.register("freshness_queries", help, self.questions.clone());
    }

    pub(super) fn looked_up(&self, hit: bool) {
        self.standings.count(hit);
    }

    pub(super) fn asked(&self, ok: bool) {
        self.questions.get_or_create(&[("outcome", if ok { "ok" } else { "failed" })]).inc();
    }
}
