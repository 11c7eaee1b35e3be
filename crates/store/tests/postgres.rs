//! The conformance suite on PostgreSQL, and what only a server over the network can show.
//! Where there is no PostgreSQL the tests pass and say so; with `PROVOST_TEST_REQUIRE` they fail.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod conformance;
#[path = "postgres/explained.rs"]
mod explained;
#[path = "postgres/filters.rs"]
mod filters;
#[path = "postgres/generic.rs"]
mod generic;
#[path = "postgres/nodes.rs"]
mod nodes;
#[path = "postgres/outages.rs"]
mod outages;
#[path = "postgres/pipeline.rs"]
mod pipeline;
#[path = "postgres/plans.rs"]
mod plans;
#[path = "postgres/poolers.rs"]
mod poolers;
#[path = "postgres/proxy.rs"]
mod proxy;
#[path = "postgres/ranks.rs"]
mod ranks;
#[path = "postgres/restore.rs"]
mod restore;
#[path = "postgres/scratch.rs"]
mod scratch;
#[path = "postgres/tls.rs"]
mod tls;
#[path = "postgres/world.rs"]
mod world;

use std::sync::Arc;

use conformance::{Engine, kit};
use proxy::{Mood, Proxy};
use store::{Database, Postgres, Store, StoreConfig};

/// An empty database, dropped with the test.
pub(crate) struct Server {
    pub(crate) database: pgcluster::Database,
}

impl Engine for Server {
    fn draws(&self) -> u32 {
        64
    }

    fn config(&self) -> StoreConfig {
        config(&self.database.url())
    }
}

pub(crate) fn config(url: &str) -> StoreConfig {
    let database = Postgres::parse(url).expect("a URL").with_max_connections(6);
    StoreConfig { data: "unused".into(), database: Database::Postgres(database) }
}

pub(crate) async fn open(url: String) -> domain::Result<Store> {
    Store::open(&config(&url), Arc::new(kit::Standing), Arc::new(kit::Counting::default())).await
}

pub(crate) fn engine() -> Option<Server> {
    pgcluster::shared().map(|cluster| Server { database: cluster.database() })
}

conformance::cases!(super::engine());
