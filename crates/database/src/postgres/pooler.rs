//! Poolers that give a connection of PostgreSQL to whoever has a transaction, and not to whoever has connected. Nothing that
//! belongs to a connection holds behind them: neither prepared statements nor settings nor the lock on the whole database.
//!
//! A session in its own right is served by one process of PostgreSQL from its beginning to its end, and by one that serves
//! nobody else meanwhile. That is looked at when a database is opened, while a second session is there that would be given the
//! first one's process; by the writer in each of its transactions, since the mode of a pooler may change at any time; and by who
//! asks with a query of its own ([`Connection::check_process`](super::Connection::check_process)), for a node that only reads.

use domain::{Error, Kind, Rule};

use super::{
    connector::Connector,
    fault::{Failure, unavailable},
    session::Session,
};
use crate::place::Postgres;

/// How often it is looked. Others who use the pool may hide it once.
const ROUNDS: usize = 3;

/// Refuses a database whose connections are shared between transactions.
///
/// # Errors
/// Failed precondition when they are; unavailable when no second connection can be made.
pub(super) async fn refuse(connector: &Connector, database: &Postgres, session: &mut Session) -> domain::Result<()> {
    if !is_shared(connector, session).await.map_err(|failure| failure.at(database))? {
        return Ok(());
    }
    let message = format!(
        "cannot use the database {database}: a connection pooler in front of it, such as pgbouncer, shares connections between \
         transactions; set pool_mode = session for this database there, or connect to PostgreSQL itself"
    );
    Err(Error::new(Kind::FailedPrecondition, Rule::Unavailable, message))
}

/// The error of a running server whose connections have come to be shared.
pub(super) fn shared() -> Error {
    unavailable(
        "a connection pooler in front of the database shares connections between transactions; the operator has to set \
         pool_mode = session there, then retry",
    )
}

/// Whether the process that serves the session also serves others, or it is served by several.
pub(super) async fn is_shared(connector: &Connector, session: &mut Session) -> Result<bool, Failure> {
    let mut other = connector.connect().await?;
    for _ in 0..ROUNDS {
        // A pooler gives out the connection that came back last, or each in turn.
        if process(session).await? != session.process {
            return Ok(true);
        }
        match other.batch("BEGIN").await {
            // In pgbouncer's statement mode there are no transactions.
            Err(failure) if failure.is_refused_by_pooler() => return Ok(true),
            begun => begun?,
        }
        if process(&mut other).await? == session.process || process(session).await? != session.process {
            return Ok(true);
        }
        other.batch("ROLLBACK").await?;
    }
    Ok(false)
}

/// Which process of PostgreSQL serves the session now.
async fn process(session: &mut Session) -> Result<i32, Failure> {
    session.process_after("").await
}
