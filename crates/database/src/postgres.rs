//! PostgreSQL: one writing connection per node with group commit, and a bounded pool of connections that read.
//!
//! Writes are serial over all nodes: every write transaction first locks the one row of `revision`. See ADR 8.

mod alone;
mod batches;
mod check;
mod claim;
mod connection;
mod connector;
mod fault;
mod group_commit;
mod look;
mod manager;
mod migrate;
mod pool;
mod pooler;
mod scratch;
mod session;
mod tls;

use std::{sync::Arc, time::Duration};

use domain::Result;

pub(crate) use alone::run as alone;
pub(crate) use check::probes;
pub(crate) use connection::Connection;
use connector::Connector;
use group_commit::GroupCommit;
pub(crate) use look::Look;
pub(crate) use pool::Pool;
pub use scratch::Scratch;

use crate::{metrics::Metrics, place::Postgres as Database, queue::Job, steps::Step, sums::Sums};

/// Its name, where people and programs are told of it (`db.system.name` of OpenTelemetry).
pub(crate) const NAME: &str = "postgresql";

/// The number of schema steps that the database has; 0 when it is empty.
///
/// # Errors
/// Unavailable when it cannot be reached; failed precondition through a pooler that shares connections.
pub(crate) async fn schema(database: &Database) -> Result<usize> {
    let connector = Connector::new(database)?;
    let mut session = connector.connect().await.map_err(|failure| failure.at(database))?;
    pooler::refuse(&connector, database, &mut session).await?;
    migrate::version(&mut session).await
}

/// An open database.
#[derive(Debug)]
pub(crate) struct Postgres {
    pool: Pool,
    writer: GroupCommit,
    connector: Arc<Connector>,
}

impl Postgres {
    /// Opens the database, making and migrating its tables as needed.
    ///
    /// # Errors
    /// Unavailable when it cannot be reached or used, or is being restored; failed precondition when it is newer than this
    /// program, is one that this program cannot use, or is reached through a pooler that shares connections.
    pub(crate) async fn open(database: &Database, steps: &[Step], sums: Arc<dyn Sums>, metrics: &Metrics) -> Result<Self> {
        let connector = Arc::new(Connector::new(database)?);
        let mut session = connector.connect().await.map_err(|failure| failure.at(database))?;
        pooler::refuse(&connector, database, &mut session).await?;
        migrate::migrate(&mut session, steps).await?;
        claim::share(&mut session).await?;
        let readers = database.max_connections().saturating_sub(1).max(1) as usize;
        metrics.set_read_connections(readers);
        let pool = Pool::new(Arc::clone(&connector), readers)?;
        let writer = GroupCommit::start(Arc::clone(&connector), session, sums, metrics.clone()).await?;
        Ok(Self { pool, writer, connector })
    }

    /// What gives snapshots of it.
    pub(crate) fn snapshots(&self) -> Pool {
        self.pool.clone()
    }

    pub(crate) fn write<T, F, R>(&self, job: Job, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(Connection) -> R + Clone + Send + 'static,
        R: Future<Output = Result<T>> + Send + 'static,
    {
        self.writer.write(job, work)
    }

    pub(crate) fn stalled(&self) -> Result<Option<Duration>> {
        self.writer.stalled()
    }

    /// The size of the database in bytes.
    pub(crate) async fn size(&self) -> Result<u64> {
        let mut size = 0;
        self.pool
            .snapshot()
            .await?
            .query("SELECT pg_database_size(current_database())", &[], &mut |row| {
                size = u64::try_from(row.int(0)?).unwrap_or(0);
                Ok(std::ops::ControlFlow::Break(()))
            })
            .await?;
        Ok(size)
    }

    /// Finishes what is queued and ends the connections. One that somebody still reads with is waited for, not for long.
    pub(crate) async fn close(&self) {
        self.pool.close();
        self.writer.close().await;
        self.connector.goodbye().await;
    }
}
