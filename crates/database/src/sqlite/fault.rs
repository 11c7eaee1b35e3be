//! SQLite's errors in the words of the boundary.

use std::time::Duration;

use domain::{Error, Kind, Rule, error::Detail};
use rusqlite::{ErrorCode, ffi};

use crate::fault::Fault;

/// Which kind of failure this is.
pub(super) fn classify(error: rusqlite::Error) -> Fault {
    let rusqlite::Error::SqliteFailure(code, Some(message)) = &error else {
        return Fault::Other(translate(error));
    };
    match code.extended_code {
        ffi::SQLITE_CONSTRAINT_UNIQUE => unique(message, false),
        ffi::SQLITE_CONSTRAINT_PRIMARYKEY => unique(message, true),
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => Fault::Reference,
        _ => Fault::Other(translate(error)),
    }
}

/// The error that the caller sees: what passes by itself says so, everything else is a defect.
pub(super) fn translate(error: rusqlite::Error) -> Error {
    let soon = Detail::RetryAfter(Duration::from_secs(1));
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::new(Kind::Unavailable, Rule::Unavailable, "another process holds the database; retry in a moment")
                .with(soon)
                .because(error)
        }
        Some(ErrorCode::DiskFull) => Error::new(
            Kind::ResourceExhausted,
            Rule::Overloaded,
            "the disk of the data folder is full; the operator has to free space, then retry",
        )
        .because(error),
        Some(ErrorCode::SystemIoFailure) => {
            let message = "the disk of the data folder fails, and a write that was under way may be there after the next start; \
                           the operator has to look after it";
            Error::new(Kind::Unavailable, Rule::Unavailable, message).because(error)
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            let message = "the database file is damaged; the operator has to run `provost admin check`";
            Error::new(Kind::Unavailable, Rule::Unavailable, message).because(error)
        }
        _ => Error::internal(error),
    }
}

/// SQLite tells columns ("UNIQUE constraint failed: repos.parent, repos.name"); the boundary speaks names.
fn unique(message: &str, primary: bool) -> Fault {
    let columns: Vec<_> = message.rsplit(": ").next().unwrap_or_default().split(", ").filter_map(|c| c.split_once('.')).collect();
    let table = columns.first().map_or("unknown", |(table, _)| table);
    if primary {
        return Fault::Unique(format!("{table}_pkey"));
    }
    let names: Vec<_> = columns.iter().map(|(_, column)| *column).collect();
    Fault::Unique(format!("{table}_{}_key", names.join("_")))
}
