//! A connection to SQLite inside a transaction.

use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use domain::{Error, Result, Revision};
use rusqlite::{
    ToSql,
    types::{ToSqlOutput, Value, ValueRef},
};

use super::{fault, pool::Lease};
use crate::engine::{Executed, Param, Row};

/// A connection that may be shared by its owner and whoever is in a transaction on it, one after the other.
pub(crate) type Shared = Arc<Mutex<rusqlite::Connection>>;

/// A connection inside a transaction: a snapshot of the pool, or the writer's own for the time of one request.
#[derive(Debug)]
pub(crate) struct Connection {
    raw: Shared,
    role: Role,
    spoilt: bool,
}

#[derive(Debug)]
enum Role {
    /// Gives the connection back when dropped.
    Reads { _lease: Lease },
    /// Counts revisions.
    Writes(Arc<AtomicI64>),
}

/// The raw connection. A panic while somebody held it leaves nothing half done: statements reset when dropped.
pub(super) fn lock(raw: &Shared) -> MutexGuard<'_, rusqlite::Connection> {
    raw.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Connection {
    pub(super) fn reading(raw: Shared, lease: Lease) -> Self {
        Self { raw, role: Role::Reads { _lease: lease }, spoilt: false }
    }

    pub(super) fn writing(raw: Shared, revisions: Arc<AtomicI64>) -> Self {
        Self { raw, role: Role::Writes(revisions), spoilt: false }
    }

    pub(crate) fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let raw = lock(&self.raw);
        let outcome = (|| {
            let mut statement = raw.prepare_cached(&placeholders(sql)).map_err(fault::translate)?;
            let mut rows = statement.query(rusqlite::params_from_iter(params)).map_err(fault::translate)?;
            while let Some(row) = rows.next().map_err(fault::translate)? {
                if read(&Row::sqlite(row))?.is_break() {
                    break;
                }
            }
            Ok(())
        })();
        drop(raw);
        self.spoilt |= outcome.is_err();
        outcome
    }

    pub(crate) fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Executed {
        let raw = lock(&self.raw);
        let outcome = raw
            .prepare_cached(&placeholders(sql))
            .and_then(|mut statement| statement.execute(rusqlite::params_from_iter(params)))
            .map_err(fault::classify);
        drop(raw);
        self.spoilt |= outcome.is_err();
        outcome.map(|rows| rows as u64)
    }

    pub(crate) fn next_revision(&mut self) -> Result<Revision> {
        match &self.role {
            Role::Writes(last) => Ok(Revision(last.fetch_add(1, Ordering::Relaxed) + 1)),
            Role::Reads { .. } => Err(Error::internal("a snapshot takes no revision")),
        }
    }

    pub(crate) fn set_revision(&mut self, revision: Revision) -> Result<()> {
        match &self.role {
            Role::Writes(last) => {
                last.store(revision.0, Ordering::Relaxed);
                Ok(())
            }
            Role::Reads { .. } => Err(Error::internal("a snapshot takes no revision")),
        }
    }

    pub(crate) fn is_spoilt(&self) -> bool {
        self.spoilt
    }
}

/// SQLite takes `$1` as a name, numbered in order of appearance; `?1` is a position.
fn placeholders(sql: &str) -> String {
    sql.replace('$', "?")
}

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Bool(value) => ToSqlOutput::Owned(Value::Integer((*value).into())),
            Self::Int(value) => ToSqlOutput::Owned(Value::Integer(*value)),
            Self::Text(value) => ToSqlOutput::Borrowed(ValueRef::Text(value.as_bytes())),
            Self::Bytes(value) => ToSqlOutput::Borrowed(ValueRef::Blob(value)),
        })
    }
}
