//! The last statements of a group commit: what its requests have added up.

use rusqlite::Connection;

use super::connection::placeholders;
use crate::sums::Batch;

/// Runs the statement of each batch for each of its rows.
pub(super) fn write(raw: &Connection, batches: &[Batch]) -> rusqlite::Result<()> {
    for Batch { row, rows, .. } in batches {
        let mut statement = raw.prepare_cached(&placeholders(row))?;
        for values in rows {
            statement.execute(rusqlite::params_from_iter(values))?;
        }
    }
    Ok(())
}
