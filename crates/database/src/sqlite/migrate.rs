//! The schema, made and brought up to date at start.

use domain::{Error, Result};
use rusqlite::{Connection, TransactionBehavior};

use super::fault::translate;
use crate::steps::{Step, left};

/// Applies the steps that the database does not have yet, all or none.
///
/// # Errors
/// Failed precondition when a newer provost wrote the database.
pub(super) fn migrate(connection: &mut Connection, steps: &[Step]) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(translate)?;
    transaction
        .execute_batch("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT")
        .map_err(translate)?;
    let done = version(&transaction)?;
    left(done, steps.len())?;
    for (step, number) in steps.iter().zip(1_i64..).skip(done) {
        transaction.execute_batch(step.sqlite).map_err(translate)?;
        transaction.execute("INSERT INTO schema_version (version) VALUES (?1)", [number]).map_err(translate)?;
        tracing::info!(version = number, "schema migrated");
    }
    transaction.commit().map_err(translate)
}

/// The number of steps that the database has.
pub(super) fn version(connection: &Connection) -> Result<usize> {
    let table = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'";
    if connection.query_row(table, [], |row| row.get::<_, i64>(0)).map_err(translate)? == 0 {
        return Ok(0);
    }
    let version: Option<i64> =
        connection.query_row("SELECT max(version) FROM schema_version", [], |row| row.get(0)).map_err(translate)?;
    usize::try_from(version.unwrap_or(0)).map_err(Error::internal)
}
