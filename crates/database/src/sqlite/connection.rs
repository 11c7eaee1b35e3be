//! A connection to SQLite inside a transaction.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{Error, Result, Revision};
use rusqlite::{
    ToSql,
    types::{ToSqlOutput, Value, ValueRef},
};
use tokio::runtime::{Handle, RuntimeFlavor};

use super::{
    fault,
    lease::Lease,
    ledger::Ledger,
    shared::{Shared, lock},
};
use crate::{
    fault::Executed,
    param::Param,
    row::{Reading, Row},
};

/// A connection inside a transaction: a snapshot of the pool, that of a look, or the writer's own for the time of one request.
#[derive(Debug)]
pub(crate) struct Connection {
    raw: Shared,
    role: Role,
    spoilt: bool,
    /// Whether statements may take long from now on.
    at_length: bool,
}

#[derive(Debug)]
enum Role {
    /// Gives the connection back when dropped.
    Reads(#[expect(dead_code, reason = "gives the connection back when dropped")] Lease),
    /// Belongs to whoever looks.
    Looks,
    /// Counts revisions, and how long statements run.
    Writes(Arc<Ledger>),
}

impl Connection {
    pub(super) fn reading(raw: Shared, lease: Lease) -> Self {
        Self { raw, role: Role::Reads(lease), spoilt: false, at_length: false }
    }

    pub(super) fn looking(raw: Shared) -> Self {
        Self { raw, role: Role::Looks, spoilt: false, at_length: false }
    }

    pub(super) fn writing(raw: Shared, ledger: Arc<Ledger>) -> Self {
        Self { raw, role: Role::Writes(ledger), spoilt: false, at_length: false }
    }

    pub(crate) fn query(&mut self, sql: &str, params: &[Param<'_>], read: &mut Reading<'_>) -> Result<()> {
        let raw = lock(&self.raw);
        let mut clock = self.clock();
        let mut run = || {
            let mut statement = raw.prepare_cached(&placeholders(sql)).map_err(fault::translate)?;
            let mut rows = statement.query(rusqlite::params_from_iter(params)).map_err(fault::translate)?;
            while let Some(row) = rows.next().map_err(fault::translate)? {
                clock.pause();
                let read = read(&Row::sqlite(row))?;
                clock.go_on();
                if read.is_break() {
                    break;
                }
            }
            Ok(())
        };
        let outcome = if self.at_length && may_block() { tokio::task::block_in_place(run) } else { run() };
        clock.pause();
        drop(raw);
        self.ran(&clock);
        self.spoilt |= outcome.is_err();
        outcome
    }

    pub(crate) fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Executed {
        let raw = lock(&self.raw);
        let mut clock = self.clock();
        let outcome = raw
            .prepare_cached(&placeholders(sql))
            .and_then(|mut statement| statement.execute(rusqlite::params_from_iter(params)))
            .map_err(fault::classify);
        clock.pause();
        drop(raw);
        self.ran(&clock);
        self.spoilt |= outcome.is_err();
        outcome.map(|rows| rows as u64)
    }

    /// Says whether statements may take long from now on. Others than the caller go on meanwhile.
    pub(crate) fn at_length(&mut self, at_length: bool) {
        self.at_length = at_length;
    }

    pub(crate) fn next_revision(&mut self) -> Result<Revision> {
        match &self.role {
            Role::Writes(ledger) => ledger.next_revision(),
            Role::Reads(_) | Role::Looks => Err(Error::internal("a snapshot takes no revision")),
        }
    }

    pub(crate) fn set_revision(&mut self, revision: Revision) -> Result<()> {
        match &self.role {
            Role::Writes(ledger) => {
                ledger.set_revision(revision);
                Ok(())
            }
            Role::Reads(_) | Role::Looks => Err(Error::internal("a snapshot takes no revision")),
        }
    }

    pub(crate) fn is_spoilt(&self) -> bool {
        self.spoilt
    }

    /// A clock that runs, if anybody wants to know.
    fn clock(&self) -> Stopwatch {
        let wanted = matches!(self.role, Role::Writes(_));
        Stopwatch { since: wanted.then(Instant::now), wanted, ran: Duration::ZERO }
    }

    /// Notes how long a statement has run, without what was done with its rows. Only those of a write are timed.
    fn ran(&self, clock: &Stopwatch) {
        if let Role::Writes(ledger) = &self.role {
            ledger.ran(clock.ran);
        }
    }
}

/// How long a statement runs.
struct Stopwatch {
    /// Since when it runs.
    since: Option<Instant>,
    wanted: bool,
    /// How long it has run before.
    ran: Duration,
}

impl Stopwatch {
    fn pause(&mut self) {
        self.ran += self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
    }

    fn go_on(&mut self) {
        self.since = self.wanted.then(Instant::now);
    }
}

/// Whether a worker of the runtime can give its other tasks away: the writer's thread has none, nor has a runtime of one thread.
fn may_block() -> bool {
    Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread)
}

/// SQLite takes `$1` as a name, numbered in order of appearance; `?1` is a position.
pub(super) fn placeholders(sql: &str) -> String {
    let bytes = sql.bytes().map(|byte| if byte == b'$' { b'?' } else { byte });
    // INVARIANT: UTF-8 stays UTF-8 when one character of ASCII stands for another.
    String::from_utf8(bytes.collect()).unwrap_or_default()
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
