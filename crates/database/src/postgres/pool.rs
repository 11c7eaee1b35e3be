//! Connections that read, each used by one snapshot at a time.

use std::{sync::Arc, time::Duration};

use deadpool::{
    Runtime,
    managed::{self, PoolError, Timeouts},
};
use domain::{Error, Result};

use super::{connection::Connection, connector::Connector, fault::unavailable, manager::Manager, pooler};
use crate::fault::{closed, overloaded};

/// How long a reader waits for a connection before the server calls itself overloaded.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// A bounded number of connections, made when first needed. All clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Pool(managed::Pool<Manager>);

impl Pool {
    pub(super) fn new(connector: Arc<Connector>, size: usize) -> Result<Self> {
        let timeouts = Timeouts { wait: Some(MAX_WAIT), create: None, recycle: None };
        let pool = managed::Pool::builder(Manager::new(connector)).max_size(size).timeouts(timeouts).runtime(Runtime::Tokio1);
        pool.build().map(Self).map_err(Error::internal)
    }

    /// A connection at the state of the last commit when its first statement runs.
    pub(crate) async fn snapshot(&self) -> Result<Connection> {
        if self.0.manager().is_shared() {
            return Err(pooler::shared());
        }
        let session = self.0.get().await.map_err(|error| match error {
            PoolError::Timeout(_) => overloaded("too many reads are under way; retry in a moment"),
            PoolError::Backend(failure) => {
                unavailable("the database takes no connections at the moment; retry in a moment").because(failure.translate())
            }
            PoolError::Closed => closed(),
            PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_) => Error::internal("the pool is not set up"),
        })?;
        Ok(Connection::reading(session))
    }

    /// Refuses new snapshots and closes idle connections.
    pub(super) fn close(&self) {
        self.0.close();
    }
}
