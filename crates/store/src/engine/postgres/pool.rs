//! Connections that read, each used by one snapshot at a time.

use std::{sync::Arc, time::Duration};

use deadpool::{
    Runtime,
    managed::{self, Metrics, PoolError, RecycleError, RecycleResult, Timeouts},
};
use domain::{Error, Result};

use super::{
    connection::Connection,
    connector::Connector,
    fault::{Failure, unavailable},
    pooler,
    session::{ANSWER, Session},
};
use crate::engine::queue::overloaded;

/// How long a reader waits for a connection before the server calls itself overloaded.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// A bounded number of connections, made when first needed. All clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Pool(managed::Pool<Manager>);

/// Makes connections and looks at them before they are used again.
#[derive(Debug)]
pub(super) struct Manager(Arc<Connector>);

impl Manager {
    /// As [`Connector::found_shared`], of this connection. One of before that was found out tells nothing of those of now.
    pub(super) fn found_shared(&self, session: &Session) {
        if session.generation == self.0.generation() {
            self.0.found_shared();
        }
    }
}

impl managed::Manager for Manager {
    type Type = Session;
    type Error = Failure;

    async fn create(&self) -> std::result::Result<Session, Failure> {
        self.0.connect().await
    }

    async fn recycle(&self, session: &mut Session, _: &Metrics) -> RecycleResult<Failure> {
        session.forget_trouble();
        session.patience = ANSWER;
        if session.is_fit() && session.generation == self.0.generation() {
            Ok(())
        } else {
            Err(RecycleError::message("the connection is closed, or the server is not the one that takes writes any more"))
        }
    }
}

impl Pool {
    pub(super) fn new(connector: Arc<Connector>, size: usize) -> Result<Self> {
        let timeouts = Timeouts { wait: Some(MAX_WAIT), create: None, recycle: None };
        let pool = managed::Pool::builder(Manager(connector)).max_size(size).timeouts(timeouts).runtime(Runtime::Tokio1);
        pool.build().map(Self).map_err(Error::internal)
    }

    /// A connection at the state of the last commit when its first statement runs.
    pub(crate) async fn snapshot(&self) -> Result<Connection> {
        if self.0.manager().0.is_shared() {
            return Err(pooler::shared());
        }
        let session = self.0.get().await.map_err(|error| match error {
            PoolError::Timeout(_) => overloaded("too many reads are under way; retry in a moment"),
            PoolError::Backend(failure) => {
                unavailable("the database takes no connections at the moment; retry in a moment").because(failure.translate())
            }
            PoolError::Closed => crate::engine::closed(),
            PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_) => Error::internal("the pool is not set up"),
        })?;
        Ok(Connection::reading(session))
    }

    /// Refuses new snapshots and closes idle connections.
    pub(super) fn close(&self) {
        self.0.close();
    }
}
