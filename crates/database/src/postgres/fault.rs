//! PostgreSQL's errors in the words of the boundary.

use std::{error::Error as _, fmt::Write, time::Duration};

use domain::{Error, Kind, Rule, error::Detail};
use tokio_postgres::error::{DbError, Severity, SqlState};

use crate::{fault::Fault, place::Postgres};

/// Why a statement has no answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// The server or the client library says so.
    Told(tokio_postgres::Error),
    /// A statement that begins, marks or ends a part of a transaction has failed: what belongs to which part is not known.
    Astray(tokio_postgres::Error),
    /// No answer came in time.
    Silence,
}

/// What a failure means for a second try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outlook {
    /// The same would happen again.
    Stays,
    /// It passes: the transaction may run again, on this connection.
    Passes,
    /// It passes, but this connection is gone or can do nothing more.
    Lost,
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Told(error)
    }
}

impl Failure {
    pub(super) fn outlook(&self) -> Outlook {
        let Some(db) = self.said().and_then(|error| error.as_db_error()).filter(|db| !is_fatal(db)) else {
            return Outlook::Lost;
        };
        match *db.code() {
            SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED | SqlState::LOCK_NOT_AVAILABLE => Outlook::Passes,
            SqlState::READ_ONLY_SQL_TRANSACTION
            | SqlState::ADMIN_SHUTDOWN
            | SqlState::CRASH_SHUTDOWN
            | SqlState::CANNOT_CONNECT_NOW
            | SqlState::TOO_MANY_CONNECTIONS
            // A plan of before a migration by a newer program.
            | SqlState::FEATURE_NOT_SUPPORTED
            | SqlState::INVALID_SQL_STATEMENT_NAME
            // Of a session that a pooler has given to others meanwhile.
            | SqlState::DUPLICATE_PSTATEMENT => Outlook::Lost,
            ref code if code.code().starts_with("08") => Outlook::Lost,
            _ if matches!(self, Self::Astray(_)) => Outlook::Passes,
            _ => Outlook::Stays,
        }
    }

    /// What the server or the client library says.
    fn said(&self) -> Option<&tokio_postgres::Error> {
        match self {
            Self::Told(error) | Self::Astray(error) => Some(error),
            Self::Silence => None,
        }
    }

    /// Whether pgbouncer says that it has no transactions: its own words, under the code of whatever the protocol forbids.
    pub(super) fn is_refused_by_pooler(&self) -> bool {
        self.said().and_then(|error| error.as_db_error()).is_some_and(|db| db.message().contains("statement pooling mode"))
    }

    /// Whether the server has certainly rolled the transaction back when this is the answer to COMMIT.
    pub(super) fn is_rolled_back(&self) -> bool {
        self.said().and_then(|error| error.as_db_error()).is_some_and(|db| !is_fatal(db))
    }

    /// Which kind of failure this is.
    pub(super) fn classify(self) -> Fault {
        if let Self::Told(error) = &self
            && let Some(db) = error.as_db_error()
        {
            match *db.code() {
                SqlState::UNIQUE_VIOLATION => return Fault::Unique(db.constraint().unwrap_or("unknown").to_owned()),
                SqlState::FOREIGN_KEY_VIOLATION => return Fault::Reference,
                _ => {}
            }
        }
        Fault::Other(self.translate())
    }

    /// The error that the caller sees: what passes by itself says so, everything else is a defect.
    pub(super) fn translate(self) -> Error {
        let error = match self {
            Self::Told(error) => error,
            Self::Astray(error) => return unavailable("the database does not answer; retry in a moment").because(error),
            Self::Silence => return unavailable("the database does not answer; retry in a moment"),
        };
        let code = error.code().cloned();
        let message = match code {
            Some(SqlState::DISK_FULL) => {
                let message = "the disk of the database is full; the operator has to free space, then retry";
                return Error::new(Kind::ResourceExhausted, Rule::Overloaded, message).because(error);
            }
            Some(SqlState::IO_ERROR) => "the disk of the database fails; the operator has to look at it, then retry",
            Some(SqlState::READ_ONLY_SQL_TRANSACTION) => "the database takes no writes at the moment; retry in a moment",
            Some(SqlState::LOCK_NOT_AVAILABLE | SqlState::QUERY_CANCELED | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT) => {
                "the database took too long; retry in a moment"
            }
            Some(SqlState::TOO_MANY_CONNECTIONS) => "the database has no connection left; retry in a moment",
            Some(SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED) => {
                "others write the same in the database; retry in a moment"
            }
            // Without a word of the server, the connection failed.
            None => "the database does not answer; retry in a moment",
            Some(_) => match Self::Told(error) {
                failure if failure.outlook() == Outlook::Lost => {
                    return unavailable("the database does not answer; retry in a moment").because(failure.text());
                }
                failure => return Error::internal(failure.text()),
            },
        };
        unavailable(message).because(chain(&error))
    }

    /// The error for who starts a server: with everything that the database says.
    pub(super) fn at(self, database: &Postgres) -> Error {
        let text = self.text();
        Error::new(Kind::Unavailable, Rule::Unavailable, format!("cannot use the database {database}: {text}"))
    }

    fn text(&self) -> String {
        self.said().map_or_else(|| "it does not answer".to_owned(), chain)
    }
}

/// What passes by itself.
pub(super) fn unavailable(message: &str) -> Error {
    Error::new(Kind::Unavailable, Rule::Unavailable, message).with(Detail::RetryAfter(Duration::from_secs(1)))
}

fn is_fatal(db: &DbError) -> bool {
    !matches!(db.parsed_severity(), Some(Severity::Error) | None)
}

/// An error and its causes.
fn chain(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing into a text cannot fail.
        _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
