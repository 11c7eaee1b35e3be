//! Makes connections.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use domain::Result;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{fault::Failure, session::Session, tls};
use crate::Postgres;

/// How long making a connection may take, over all hosts of the database.
const CONNECT: Duration = Duration::from_secs(8);
/// Settings of every connection. A node that hangs holds the write lock for so long and no longer.
const SETTINGS: &str = "SET statement_timeout = '10s'; SET lock_timeout = '4s'; \
    SET idle_in_transaction_session_timeout = '20s'; \
    SELECT set_config('synchronous_commit', 'on', false) \
    WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')";

/// Makes connections to the database, of which each takes writes.
pub(super) struct Connector {
    database: Postgres,
    tls: MakeRustlsConnect,
    /// Counts the times that the server behind the connections was found to be another one, or none.
    generation: AtomicU64,
}

impl Connector {
    pub(super) fn new(database: &Postgres) -> Result<Self> {
        Ok(Self { database: database.clone(), tls: tls::connector(database)?, generation: AtomicU64::new(0) })
    }

    /// A connection to the first host that takes writes.
    pub(super) async fn connect(&self) -> std::result::Result<Session, Failure> {
        tokio::time::timeout(CONNECT, self.connect_to_any()).await.unwrap_or(Err(Failure::Silence))
    }

    async fn connect_to_any(&self) -> std::result::Result<Session, Failure> {
        let generation = self.generation();
        // Boxed: it is large, and every read would carry it along for the case that it has to connect.
        let (client, connection) = Box::pin(self.database.config().connect(self.tls.clone())).await?;
        let mut session = Session::new(client, connection, generation);
        session.batch(SETTINGS).await?;
        Ok(session)
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Makes every connection of before unfit: the server takes no writes any more, another one may.
    pub(super) fn distrust(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").field("database", &self.database).finish_non_exhaustive()
    }
}
