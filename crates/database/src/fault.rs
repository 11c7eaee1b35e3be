//! What can go wrong with a statement, or before there is one.

use std::time::Duration;

use domain::{Error, Kind, Rule, error::Detail};

/// Why a statement failed. Converts into the error that the caller sees; noun files look at constraints first.
#[derive(Debug)]
pub enum Fault {
    /// A unique constraint, by name: `<table>_<columns>_key`, or `<table>_pkey` for the primary key.
    Unique(String),
    /// A foreign key: what the row points at is not there, or something still points at the row.
    Reference,
    /// Anything else.
    Other(Error),
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unique(constraint) => Self::internal(format!("a row violates {constraint}")),
            Fault::Reference => Self::internal("a row violates a foreign key"),
            Fault::Other(error) => error,
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// How many rows a statement touched, or why it failed.
pub type Executed = std::result::Result<u64, Fault>;

/// The error for a store that was closed or whose writer is gone.
#[must_use]
pub fn closed() -> Error {
    Error::new(Kind::Unavailable, Rule::Unavailable, "the store is closed; the server is stopping")
}

/// The error for one of our own limits.
pub(crate) fn overloaded(message: &str) -> Error {
    Error::new(Kind::ResourceExhausted, Rule::Overloaded, message).with(Detail::RetryAfter(Duration::from_secs(1)))
}
