//! A schema for a while: what is made in it goes with it.

use std::{ops::ControlFlow, sync::Arc};

use domain::{Entropy, Error, Result};
use tokio::sync::Mutex;

use super::{
    connector::Connector,
    fault::Failure,
    session::{PATIENCE_ALONE, Session},
};
use crate::place::Postgres;

/// What the names of all these schemas begin with.
const PREFIX: &str = "provost_scratch_";
/// How often a schema is tried to remove while servers still work in it.
const ATTEMPTS: u32 = 3;
/// Removing waits for nobody for long, and takes the time that it needs.
const SETTINGS: &str = "SET lock_timeout = '10s'; SET statement_timeout = 0";
/// Schemas that this user made and that nobody has a connection for: every connection that works in one has its name. Names
/// are matched to the letter, so that what is found is what [`Scratch::make`] makes, and safe in a statement.
const LEFT: &str = "SELECT nspname::text FROM pg_namespace WHERE nspname ~ '^provost_scratch_[0-9a-f]{16}$' \
    AND nspowner = (SELECT oid FROM pg_roles WHERE rolname = current_user) \
    AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = nspname::text AND datname = current_database())";

/// A schema of its own in a database, empty at first. Whoever opens [`Scratch::database`] sees nothing else of it, and
/// needs no more than the right to make schemas there.
#[derive(Debug)]
pub struct Scratch {
    server: Postgres,
    database: Postgres,
    schema: String,
    /// Shows others that the schema is in use.
    holder: Mutex<Option<Session>>,
}

impl Scratch {
    /// Makes the schema. Those that are left of programs which were killed are removed.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached; failed precondition when its user may not make schemas.
    pub async fn make(server: &Postgres, entropy: &Arc<dyn Entropy>) -> Result<Self> {
        let schema = format!("{PREFIX}{}", hex::encode(entropy.bytes::<8>()?));
        let database = server.within(&schema);
        let mut session = connect(&database).await?;
        for left in left(&mut session).await? {
            drop_schema(&mut session, &left).await.map_err(|failure| failure.at(server))?;
        }
        session.batch(&format!("CREATE SCHEMA {schema}")).await.map_err(|failure| failure.at(server))?;
        Ok(Self { server: server.clone(), database, schema, holder: Mutex::new(Some(session)) })
    }

    /// The database as it looks from inside the schema.
    #[must_use]
    pub fn database(&self) -> &Postgres {
        &self.database
    }

    /// Removes the schema with everything in it, and ends the connections that still work there. Needs no runtime but the
    /// one it is called in.
    ///
    /// # Errors
    /// Unavailable when the database cannot be reached, or others keep what is in it.
    pub async fn remove(&self) -> Result<()> {
        self.holder.lock().await.take();
        let mut session = connect(&self.server).await?;
        let end = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE application_name = '{}' AND datname = current_database() AND pid <> pg_backend_pid()",
            self.schema
        );
        let mut outcome = Ok(());
        for _ in 0..ATTEMPTS {
            session.batch(&end).await.map_err(|failure| failure.at(&self.server))?;
            outcome = drop_schema(&mut session, &self.schema).await;
            if outcome.is_ok() {
                break;
            }
        }
        outcome.map_err(|failure| failure.at(&self.server))
    }
}

async fn connect(database: &Postgres) -> Result<Session> {
    let mut session = Connector::new(database)?.connect().await.map_err(|failure| failure.at(database))?;
    session.patience = PATIENCE_ALONE;
    session.batch(SETTINGS).await?;
    Ok(session)
}

async fn left(session: &mut Session) -> Result<Vec<String>> {
    let mut names = Vec::new();
    session
        .query(LEFT, &[], |row| {
            names.push(row.try_get::<_, String>(0).map_err(Failure::from)?);
            Ok::<_, Failure>(ControlFlow::Continue(()))
        })
        .await
        .map_err(Error::from)?;
    Ok(names)
}

/// Removes a schema whose name is [`PREFIX`] and hexadecimal digits.
async fn drop_schema(session: &mut Session, name: &str) -> std::result::Result<(), Failure> {
    session.batch(&format!("DROP SCHEMA IF EXISTS {name} CASCADE")).await
}
