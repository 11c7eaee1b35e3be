//! A database that is read by one that needs no right but to read.

use std::sync::Arc;

use domain::Result;

use super::{Connector, Database, Pool, claim, connection::Connection, migrate, pooler, session::Session};

/// A database that is not restored meanwhile, as long as this exists. Nodes may be writing to it.
#[derive(Debug)]
pub(crate) struct Look {
    pool: Pool,
    connector: Arc<Connector>,
    /// The number of schema steps that it has.
    pub(crate) schema: usize,
    /// Shares the claim to the database.
    _session: Session,
}

impl Look {
    /// Looks at the database; `None` when it is empty.
    ///
    /// # Errors
    /// Unavailable when it cannot be reached, or is being restored.
    pub(crate) async fn at(database: &Database) -> Result<Option<Self>> {
        let connector = Arc::new(Connector::new(database)?);
        let mut session = connector.connect().await.map_err(|failure| failure.at(database))?;
        let schema = migrate::version(&mut session).await?;
        if schema == 0 {
            return Ok(None);
        }
        pooler::refuse(&connector, database, &mut session).await?;
        claim::share(&mut session).await?;
        Ok(Some(Self { pool: Pool::new(Arc::clone(&connector), 1)?, connector, schema, _session: session }))
    }

    pub(crate) async fn snapshot(&self) -> Result<Connection> {
        self.pool.snapshot().await
    }

    /// Ends the connections.
    pub(crate) async fn close(self) {
        let Self { pool, connector, .. } = self;
        pool.close();
        connector.goodbye().await;
    }
}
