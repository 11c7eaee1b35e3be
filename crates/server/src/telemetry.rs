//! What `/metrics` tells: the instruments of all crates in one registry, written when asked.

use std::time::Duration;

use async_trait::async_trait;
use gateway::Scrape;
use prometheus_client::{encoding::text::encode, metrics::info::Info, registry::Registry};
use store::Store;

use super::{Core, process};

/// The registry of one server, and what has to be measured before it is read.
#[derive(Debug)]
pub(super) struct Telemetry {
    registry: Registry,
    store: Store,
}

/// How long a storage may take to be measured: without it the metrics are told all the same, with its last measures.
const PATIENCE: Duration = Duration::from_secs(1);

/// What all names of ours begin with.
const PREFIX: &str = "provost";

impl Telemetry {
    /// A registry with what is known without a port.
    pub(super) fn new(core: &Core) -> Self {
        let mut registry = Registry::default();
        process::register(&mut registry);
        let mut telemetry = Self { registry, store: core.store.clone() };
        let registry = telemetry.registry();
        let build = [("version", env!("CARGO_PKG_VERSION")), ("engine", core.store.engine())];
        registry.register("build", "The program that runs, and the engine of its store", Info::new(build));
        core.store.metrics().register(registry);
        core.signing.register(registry);
        telemetry
    }

    /// Where names begin with `provost_`.
    pub(super) fn registry(&mut self) -> &mut Registry {
        self.registry.sub_registry_with_prefix(PREFIX)
    }
}

#[async_trait]
impl Scrape for Telemetry {
    async fn scrape(&self) -> String {
        match tokio::time::timeout(PATIENCE, self.store.measure()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "cannot measure the store"),
            Err(_) => tracing::debug!("the store was not measured in time"),
        }
        let mut text = String::new();
        // Writing to a text never fails.
        _ = encode(&mut text, &self.registry);
        text
    }
}
