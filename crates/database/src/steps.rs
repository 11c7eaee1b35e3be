//! The steps that lead to a schema, and what its version means.

use domain::{Error, Kind, Result, Rule};

/// A step from one version of a schema to the next. A released one never changes; new ones are added at the end.
///
/// The first makes, beside tables of others, those that the engine uses itself: `revision` with one row, whose number `n` is that
/// of the last commit; and for PostgreSQL `writers`, with the columns `node`, `batch` and `seen` (ADR 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it brings.
    pub name: &'static str,
    /// Its statements for SQLite.
    pub sqlite: &'static str,
    /// Its statements for PostgreSQL, with the same names of tables, columns, constraints and indexes.
    pub postgres: &'static str,
}

/// How many of the program's `known` steps a database that has `done` of them still needs.
///
/// # Errors
/// Failed precondition when a newer provost wrote the database.
pub fn left(done: usize, known: usize) -> Result<usize> {
    known.checked_sub(done).ok_or_else(|| {
        Error::new(
            Kind::FailedPrecondition,
            Rule::Unavailable,
            format!(
                "the database has schema {done}, and this provost knows {known} at most: run the newer provost that wrote it, \
                 or restore a backup from before the upgrade"
            ),
        )
    })
}
