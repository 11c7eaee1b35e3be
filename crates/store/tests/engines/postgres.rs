//! The conformance suite on PostgreSQL, and what only a server over the network can show.

mod explained;
mod filters;
mod generic;
mod nodes;
mod outages;
mod pipeline;
mod plans;
mod poolers;
mod proxy;
mod ranks;
mod restore;
mod scratch;
mod tls;
mod world;

use std::sync::Arc;

use proxy::{Mood, Proxy};
use store::{Database, Postgres, Store, StoreConfig};

use crate::conformance::{self, Engine, kit};

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
