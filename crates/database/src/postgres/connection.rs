//! A connection to PostgreSQL inside a transaction.

use std::{error::Error as StdError, ops::ControlFlow};

use bytes::BytesMut;
use deadpool::managed::Object;
use domain::{Error, Result, Revision};
use tokio::sync::OwnedMutexGuard;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::{
    fault::Failure,
    manager::Manager,
    pooler,
    session::{self, Session},
};
use crate::{
    fault::{Executed, Fault, closed},
    param::Param,
    row::{Reading, Row},
};

/// Rows fetched at once by a walk that may end early.
const FETCH: usize = 1000;

/// A connection inside a transaction: a snapshot of the pool, or the writer's own for the time of one request.
#[derive(Debug)]
pub(crate) struct Connection {
    lease: Lease,
    spoilt: bool,
}

#[derive(Debug)]
enum Lease {
    /// One that reads. The snapshot begins with its first statement.
    Reads { session: Option<Object<Manager>>, begun: bool },
    /// The writer's.
    Writes(OwnedMutexGuard<Session>),
}

impl Lease {
    /// The session, in a transaction.
    fn session(&mut self) -> Result<&mut Session> {
        match self {
            Self::Writes(session) => Ok(session),
            Self::Reads { session, begun } => {
                let session = session.as_mut().ok_or_else(closed)?;
                if !std::mem::replace(begun, true) {
                    session.send_mark("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
                }
                Ok(session)
            }
        }
    }
}

impl Connection {
    pub(super) fn reading(session: Object<Manager>) -> Self {
        Self { lease: Lease::Reads { session: Some(session), begun: false }, spoilt: false }
    }

    pub(super) fn writing(session: OwnedMutexGuard<Session>) -> Self {
        Self { lease: Lease::Writes(session), spoilt: false }
    }

    pub(crate) async fn query(&mut self, sql: &str, params: &[Param<'_>], read: &mut Reading<'_>) -> Result<()> {
        let outcome = match self.lease.session() {
            Ok(session) => session.query(sql, params, |row| read(&Row::postgres(row))).await,
            Err(error) => Err(error),
        };
        self.spoilt |= outcome.is_err();
        outcome
    }

    /// As [`Connection::query`], for answers that may be large and are seldom read to their end: a cursor.
    pub(crate) async fn walk(&mut self, sql: &str, params: &[Param<'_>], read: &mut Reading<'_>) -> Result<()> {
        self.execute(&format!("DECLARE walk NO SCROLL CURSOR FOR {sql}"), params).await?;
        let fetch = format!("FETCH {FETCH} FROM walk -- {sql}");
        loop {
            let (mut rows, mut ended) = (0, false);
            let mut each = |row: &Row<'_>| {
                rows += 1;
                ended = read(row)?.is_break();
                Ok(if ended { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            };
            self.query(&fetch, &[], &mut each).await?;
            if ended || rows < FETCH {
                break;
            }
        }
        self.execute("CLOSE walk", &[]).await?;
        Ok(())
    }

    pub(crate) async fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Executed {
        let outcome = match self.lease.session() {
            Ok(session) => session.execute(sql, params).await.map_err(Failure::classify),
            Err(error) => Err(Fault::Other(error)),
        };
        self.spoilt |= outcome.is_err();
        outcome
    }

    /// Runs a statement whose answer is only waited for by [`Connection::settle`].
    pub(crate) async fn send(&mut self, sql: &str, params: &[Param<'_>]) -> Result<()> {
        let outcome = self.lease.session()?.send(sql, params).await.map_err(Failure::translate);
        self.spoilt |= outcome.is_err();
        outcome
    }

    /// Waits for all that was sent.
    pub(crate) async fn settle(&mut self) -> Result<()> {
        let outcome = self.lease.session()?.settle().await.map_err(Failure::translate);
        self.spoilt |= outcome.is_err();
        outcome
    }

    pub(crate) fn next_revision(&mut self) -> Result<Revision> {
        match &mut self.lease {
            Lease::Writes(session) => {
                session.revision = session.revision.next()?;
                Ok(session.revision)
            }
            Lease::Reads { .. } => Err(Error::internal("a snapshot takes no revision")),
        }
    }

    pub(crate) fn set_revision(&mut self, revision: Revision) -> Result<()> {
        match &mut self.lease {
            Lease::Writes(session) => {
                session.revision = revision;
                Ok(())
            }
            Lease::Reads { .. } => Err(Error::internal("a snapshot takes no revision")),
        }
    }

    /// Refuses what another process of PostgreSQL than that of the session has answered, and all that comes after it. The writer
    /// has compared when its transaction began.
    pub(crate) fn check_process(&mut self, process: i64) -> Result<()> {
        match &self.lease {
            Lease::Reads { session: Some(session), .. } if i64::from(session.process) != process => {
                if let Some(pool) = Object::pool(session) {
                    pool.manager().found_shared(session);
                }
                self.spoilt = true;
                Err(pooler::shared())
            }
            _ => Ok(()),
        }
    }

    /// Lets statements, and pauses between them, take as long as they need until the transaction ends, and read whole tables.
    pub(crate) async fn take_time(&mut self) -> Result<()> {
        let session = self.lease.session()?;
        session.patience = session::PATIENCE_ALONE;
        Ok(session.batch(session::UNHURRIED).await?)
    }

    pub(crate) fn is_spoilt(&self) -> bool {
        self.spoilt
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Lease::Reads { session, begun: true } = &mut self.lease
            && let Some(mut session) = session.take()
        {
            if session.is_fit() {
                // The connection goes back at once; who takes it next is answered after this.
                session.send_mark("ROLLBACK");
            } else {
                drop(Object::take(session));
            }
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.translate()
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> std::result::Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Bool(value) => value.to_sql_checked(ty, out),
            Self::Int(value) => value.to_sql_checked(ty, out),
            Self::Text(value) => value.to_sql_checked(ty, out),
            Self::Bytes(value) => value.as_ref().to_sql_checked(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        // Each kind of value looks for itself.
        true
    }

    to_sql_checked!();
}
