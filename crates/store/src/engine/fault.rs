//! What can go wrong with a statement.

use domain::Error;

/// Why a statement failed. Converts into the error that the caller sees; noun files look at constraints first.
#[derive(Debug)]
pub(crate) enum Fault {
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
pub(crate) type Executed = std::result::Result<u64, Fault>;
