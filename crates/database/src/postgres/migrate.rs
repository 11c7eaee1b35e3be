//! The schema, made and brought up to date at start.

use std::ops::ControlFlow;

use domain::{Error, Kind, Result, Rule};

use super::{
    fault::Failure,
    session::{PATIENCE_ALONE, Session},
};
use crate::{
    param::Param,
    steps::{Step, left},
};

/// The oldest server that is supported, as `server_version_num`.
const OLDEST: i64 = 150_000;

/// Applies the steps that the database does not have yet, all or none. Of several nodes one does it, the others wait.
///
/// # Errors
/// Failed precondition when a newer provost wrote the database, or the server is too old or not set up for it.
pub(super) async fn migrate(session: &mut Session, steps: &[Step]) -> Result<()> {
    check_server(session).await?;
    // Who has nothing to do needs neither the lock nor the right to make tables.
    if left(version(session).await?, steps.len())? == 0 {
        return tidy(session).await;
    }
    // A step, and so the wait for another node's, may take longer than any statement of a running server.
    let patience = std::mem::replace(&mut session.patience, PATIENCE_ALONE);
    // The number is "provost" in ASCII. The lock is the session's: it goes with the connection if need be.
    let lock = "BEGIN; SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0; \
                SELECT pg_advisory_lock(31654368886485876); COMMIT";
    session.batch(lock).await?;
    let outcome = catch_up(session, steps).await;
    session.batch("SELECT pg_advisory_unlock(31654368886485876)").await?;
    session.patience = patience;
    outcome?;
    tidy(session).await
}

async fn catch_up(session: &mut Session, steps: &[Step]) -> Result<()> {
    let done = version(session).await?;
    left(done, steps.len())?;
    session.batch("BEGIN; SET LOCAL statement_timeout = 0").await?;
    let applied = apply(session, steps, done).await;
    let end = if applied.is_ok() { "COMMIT" } else { "ROLLBACK" };
    session.batch(end).await?;
    applied
}

async fn apply(session: &mut Session, steps: &[Step], done: usize) -> Result<()> {
    session.batch("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)").await.map_err(forbidden)?;
    for (step, number) in steps.iter().zip(1_i64..).skip(done) {
        session.batch(step.postgres).await.map_err(forbidden)?;
        session.execute("INSERT INTO schema_version (version) VALUES ($1)", &[Param::Int(number)]).await?;
        tracing::info!(version = number, "schema migrated");
    }
    Ok(())
}

/// The number of steps that the database has.
pub(super) async fn version(session: &mut Session) -> Result<usize> {
    if !number(session, "SELECT CASE WHEN to_regclass('schema_version') IS NULL THEN 0::bigint ELSE 1::bigint END").await?.eq(&1)
    {
        return Ok(0);
    }
    let version = number(session, "SELECT coalesce(max(version), 0) FROM schema_version").await?;
    usize::try_from(version).map_err(Error::internal)
}

async fn check_server(session: &mut Session) -> Result<()> {
    if number(session, "SELECT current_setting('server_version_num')::bigint").await? < OLDEST {
        return Err(unfit("the database server is older than PostgreSQL 15; upgrade it"));
    }
    if number(session, "SELECT (current_setting('server_encoding') = 'UTF8')::int::bigint").await? == 0 {
        return Err(unfit("the database is not in UTF8; make it with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"));
    }
    if number(session, "SELECT (current_schema() IS NOT NULL)::int::bigint").await? == 0 {
        return Err(unfit("no schema of the search path exists; make it with CREATE SCHEMA, or correct search_path"));
    }
    Ok(())
}

/// Forgets nodes that have gone.
async fn tidy(session: &mut Session) -> Result<()> {
    session.batch("DELETE FROM writers WHERE seen < now() - interval '1 day'").await?;
    Ok(())
}

async fn number(session: &mut Session, sql: &str) -> Result<i64> {
    let mut number = 0;
    session
        .query(sql, &[], |row| {
            number = row.try_get(0).map_err(Failure::from)?;
            Ok::<_, Failure>(ControlFlow::Break(()))
        })
        .await?;
    Ok(number)
}

fn unfit(message: &str) -> Error {
    Error::new(Kind::FailedPrecondition, Rule::Unavailable, message)
}

fn forbidden(failure: Failure) -> Error {
    match &failure {
        Failure::Told(error) if error.code() == Some(&tokio_postgres::error::SqlState::INSUFFICIENT_PRIVILEGE) => {
            unfit("the database user may not make tables: GRANT CREATE ON SCHEMA to it, or make it the owner of the database")
                .because(failure.translate())
        }
        _ => failure.translate(),
    }
}
