//! The schema, made and brought up to date at start.

use domain::{Error, Result};
use rusqlite::{Connection, TransactionBehavior};

use super::fault::translate;
use crate::engine::schema;

/// Every step in order. A released step never changes; new ones are added at the end.
const STEPS: &[&str] = &[include_str!("../../../migrations/sqlite/0001_core.sql")];

/// Applies the steps that the database does not have yet, all or none.
///
/// # Errors
/// Failed precondition when a newer provost wrote the database.
pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(translate)?;
    transaction
        .execute_batch("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT")
        .map_err(translate)?;
    let version: Option<i64> =
        transaction.query_row("SELECT max(version) FROM schema_version", [], |row| row.get(0)).map_err(translate)?;
    let done = usize::try_from(version.unwrap_or(0)).map_err(Error::internal)?;
    schema::left(done, STEPS.len())?;
    for (step, number) in STEPS.iter().zip(1_i64..).skip(done) {
        transaction.execute_batch(step).map_err(translate)?;
        transaction.execute("INSERT INTO schema_version (version) VALUES (?1)", [number]).map_err(translate)?;
        tracing::info!(version = number, "schema migrated");
    }
    transaction.commit().map_err(translate)
}
