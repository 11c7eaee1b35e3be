//! The boundary to the storage engines: what a connection gives, whichever engine is behind it.
//!
//! Above it there is one SQL text with `$1` placeholders; everything that differs between engines is below.
//! A statement that fails inside a write spoils that write: its transaction cannot go on (one engine would not allow it).

mod fault;
mod param;
pub(crate) mod postgres;
mod progress;
mod queue;
mod row;
pub(crate) mod schema;
pub(crate) mod sqlite;

use std::{ops::ControlFlow, time::Duration};

use domain::{Ctx, Error, Result, Revision, Rule};

pub(crate) use fault::{Executed, Fault};
pub(crate) use param::Param;
pub(crate) use row::{Row, json, word};

use crate::{
    BoxFuture, Database, Metrics, StoreConfig,
    check::Probe,
    counts::Pending,
    writer::{Mode, Writer},
};

/// Gives snapshots of an engine. Whoever has it keeps neither the writer nor its claim on the data.
#[derive(Clone, Debug)]
pub(crate) enum Snapshots {
    Sqlite(sqlite::Snapshots),
    Postgres(postgres::Pool),
}

impl Snapshots {
    /// A connection that sees one unchanging state of everything until it is dropped.
    pub(crate) async fn take(&self) -> Result<Connection> {
        match self {
            Self::Sqlite(snapshots) => Ok(Connection::Sqlite(snapshots.take().await?)),
            // Boxed, as what follows: the state of a handshake would make every request that reads that large.
            Self::Postgres(pool) => Ok(Connection::Postgres(Box::pin(pool.snapshot()).await?)),
        }
    }

    /// The last commit that anybody was told of, where that is known without asking.
    pub(crate) fn published(&self) -> Option<Revision> {
        match self {
            Self::Sqlite(snapshots) => Some(snapshots.published()),
            // Other nodes write as well.
            Self::Postgres(_) => None,
        }
    }
}

/// An open engine.
#[derive(Debug)]
pub(crate) enum Engine {
    Sqlite(sqlite::Sqlite),
    Postgres(postgres::Postgres),
}

impl Engine {
    /// What gives snapshots of it.
    pub(crate) fn snapshots(&self) -> Snapshots {
        match self {
            Self::Sqlite(engine) => Snapshots::Sqlite(engine.snapshots()),
            Self::Postgres(engine) => Snapshots::Postgres(engine.snapshots()),
        }
    }

    /// Runs `work` in a transaction and keeps what it did, unless it fails or the context only validates.
    pub(crate) async fn write<T, F>(&self, ctx: Ctx, mode: Mode, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a mut Writer) -> BoxFuture<'a, Result<T>> + Clone + Send + 'static,
    {
        match self {
            Self::Sqlite(engine) => engine.write(ctx, mode, work).await,
            Self::Postgres(engine) => Box::pin(engine.write(ctx, mode, work)).await,
        }
    }

    /// How long writes have been waiting, where that is longer than they should. Asks nobody and waits for nothing.
    ///
    /// # Errors
    /// Unavailable when the writer has ended.
    pub(crate) fn stalled(&self) -> Result<Option<Duration>> {
        match self {
            Self::Sqlite(engine) => engine.stalled(),
            Self::Postgres(engine) => engine.stalled(),
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => sqlite::NAME,
            Self::Postgres(_) => postgres::NAME,
        }
    }

    /// The size of the database with its journal, in bytes.
    pub(crate) async fn size(&self) -> Result<u64> {
        match self {
            Self::Sqlite(engine) => engine.size(),
            Self::Postgres(engine) => engine.size().await,
        }
    }

    /// Finishes what is queued and lets go of the data. Later calls fail.
    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(engine) => engine.close().await,
            Self::Postgres(engine) => engine.close().await,
        }
    }
}

/// Opens the database for `work` alone: one transaction that may take as long as it needs, while nobody else has the database
/// open. Tables are made and migrated as needed.
///
/// # Errors
/// Failed precondition or unavailable when somebody has it open; whatever opening it and `work` answer.
pub(crate) async fn alone<T, F>(config: &StoreConfig, ctx: Ctx, work: F) -> Result<T>
where
    T: Send + 'static,
    F: for<'a> FnOnce(&'a mut Writer) -> BoxFuture<'a, Result<T>> + Clone + Send + 'static,
{
    match &config.database {
        Database::Sqlite => {
            // Its folder is locked as long as it is open.
            let engine = sqlite::Sqlite::open(&config.data, &Metrics::new())?;
            let outcome = engine.write(ctx, Mode::Bookkeeping, work).await;
            engine.close().await;
            outcome
        }
        Database::Postgres(database) => postgres::alone(database, ctx, work).await,
    }
}

/// A database that is read without being opened: nothing is made, migrated or written.
#[derive(Debug)]
pub(crate) enum Look {
    Sqlite(sqlite::Look),
    Postgres(postgres::Look),
}

impl Look {
    /// Looks at the database; `None` where there is none yet.
    ///
    /// # Errors
    /// Unavailable when it cannot be read, or somebody has it for himself: on SQLite a server, else a restore.
    pub(crate) async fn at(config: &StoreConfig) -> Result<Option<Self>> {
        Ok(match &config.database {
            Database::Sqlite => sqlite::Look::at(&config.data)?.map(Self::Sqlite),
            Database::Postgres(database) => postgres::Look::at(database).await?.map(Self::Postgres),
        })
    }

    /// The number of schema steps that it has.
    pub(crate) fn schema(&self) -> usize {
        match self {
            Self::Sqlite(look) => look.schema,
            Self::Postgres(look) => look.schema,
        }
    }

    /// What the next start would leave out of the engine's own journal, where that is a file of ours.
    pub(crate) fn left_out(&self) -> Option<sqlite::LeftOut> {
        match self {
            Self::Sqlite(look) => look.left_out,
            Self::Postgres(_) => None,
        }
    }

    /// A connection that sees one unchanging state of everything.
    pub(crate) async fn snapshot(&self) -> Result<Connection> {
        Ok(match self {
            Self::Sqlite(look) => Connection::Sqlite(look.snapshot()),
            Self::Postgres(look) => Connection::Postgres(look.snapshot().await?),
        })
    }

    /// Lets go of the data.
    pub(crate) async fn close(self) {
        match self {
            Self::Sqlite(_) => {}
            Self::Postgres(look) => look.close().await,
        }
    }
}

/// A connection inside a transaction.
#[derive(Debug)]
pub(crate) enum Connection {
    Sqlite(sqlite::Connection),
    Postgres(postgres::Connection),
}

impl Connection {
    /// Reads every row of an answer.
    pub(crate) async fn query_map<T: Send>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        self.query(sql, params, |row| {
            rows.push(read(row)?);
            Ok(ControlFlow::Continue(()))
        })
        .await?;
        Ok(rows)
    }

    /// Reads the first row of an answer, if it has any.
    pub(crate) async fn query_one<T: Send>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        let (mut read, mut found) = (Some(read), None);
        self.query(sql, params, |row| {
            found = read.take().map(|read| read(row)).transpose()?;
            Ok(ControlFlow::Break(()))
        })
        .await?;
        Ok(found)
    }

    /// Reads rows until `read` has seen enough. For answers that may be large: they are never gathered as a whole.
    pub(crate) async fn query_while(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        read: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>> + Send,
    ) -> Result<()> {
        storable(params)?;
        match self {
            Self::Sqlite(connection) => connection.query(sql, params, read),
            Self::Postgres(connection) => Box::pin(connection.walk(sql, params, read)).await,
        }
    }

    async fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        read: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>> + Send,
    ) -> Result<()> {
        storable(params)?;
        match self {
            Self::Sqlite(connection) => connection.query(sql, params, read),
            Self::Postgres(connection) => Box::pin(connection.query(sql, params, read)).await,
        }
    }

    /// Runs a statement without answer; gives the number of rows it touched.
    pub(crate) async fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Executed {
        storable(params)?;
        match self {
            Self::Sqlite(connection) => connection.execute(sql, params),
            Self::Postgres(connection) => Box::pin(connection.execute(sql, params)).await,
        }
    }

    /// Runs a statement whose answer nobody looks at. An engine over a network does not wait for it: a failure then shows
    /// with a later statement, at the latest with [`Connection::settle`].
    pub(crate) async fn send(&mut self, sql: &str, params: &[Param<'_>]) -> Result<()> {
        storable(params)?;
        match self {
            Self::Sqlite(connection) => Ok(connection.execute(sql, params).map(drop)?),
            Self::Postgres(connection) => Box::pin(connection.send(sql, params)).await,
        }
    }

    /// Waits for everything that was sent; fails when any of it has failed.
    pub(crate) async fn settle(&mut self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(connection) => connection.settle().await,
        }
    }

    /// The revision of the write that this connection is in.
    pub(crate) fn next_revision(&mut self) -> Result<Revision> {
        match self {
            Self::Sqlite(connection) => connection.next_revision(),
            Self::Postgres(connection) => connection.next_revision(),
        }
    }

    /// What the requests of this group commit add to the counters; `None` in a snapshot.
    pub(crate) fn pending<T>(&mut self, with: impl FnOnce(&mut Pending) -> T) -> Option<T> {
        match self {
            Self::Sqlite(connection) => connection.pending(with),
            Self::Postgres(connection) => connection.pending(with),
        }
    }

    /// The words after a table's name that make a query walk the named index. Engines that keep statistics need none.
    pub(crate) fn walk(&self, index: Index<'_>) -> String {
        match (self, index) {
            (Self::Sqlite(_), index) => sqlite::by(index),
            (Self::Postgres(_), _) => String::new(),
        }
    }

    /// The expression for a number that another server of the database, or one that was restored or promoted, does not have.
    pub(crate) fn server(&self) -> &'static str {
        match self {
            // One process has the file for as long as it runs.
            Self::Sqlite(_) => "0",
            Self::Postgres(_) => "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint",
        }
    }

    /// The expression for which process of the server answers, see [`Connection::check_process`].
    pub(crate) fn process(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "0",
            Self::Postgres(_) => "pg_backend_pid()::bigint",
        }
    }

    /// Refuses an answer of another process than serves this connection: it is shared with others.
    pub(crate) fn check_process(&mut self, process: i64) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(connection) => connection.check_process(process),
        }
    }

    /// Says whether statements may take long from now on, so that they hold up nobody else.
    pub(crate) fn at_length(&mut self, at_length: bool) {
        match self {
            Self::Sqlite(connection) => connection.at_length(at_length),
            // They run elsewhere.
            Self::Postgres(_) => {}
        }
    }

    /// The name of its engine, as [`Engine::name`].
    pub(crate) fn engine(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => sqlite::NAME,
            Self::Postgres(_) => postgres::NAME,
        }
    }

    /// The query for every column of every table of ours, by name.
    fn columns(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => {
                "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c \
                 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~'"
            }
            Self::Postgres(_) => {
                "SELECT table_name::text, column_name::text FROM information_schema.columns                  WHERE table_schema = current_schema()"
            }
        }
    }

    /// What a check asks of the engine itself, and what cannot be asked of this one.
    pub(crate) async fn probes(&mut self) -> Result<(Vec<Probe>, Vec<String>)> {
        match self {
            Self::Sqlite(connection) => Ok((sqlite::probes(connection)?, Vec::new())),
            Self::Postgres(connection) => postgres::probes(connection).await,
        }
    }

    /// Every column of every table of ours, by name.
    pub(crate) async fn schema(&mut self) -> Result<Vec<(String, String)>> {
        let sql = self.columns();
        self.query_map(sql, &[], |row| Ok((row.string(0)?, row.string(1)?))).await
    }

    /// Sets the number of the last commit, for a restore: its transaction takes no further one.
    pub(crate) fn set_revision(&mut self, revision: Revision) -> Result<()> {
        match self {
            Self::Sqlite(connection) => connection.set_revision(revision),
            Self::Postgres(connection) => connection.set_revision(revision),
        }
    }

    /// Lifts the limits of time that keep a node which hangs from holding up others, for as long as this transaction lasts.
    pub(crate) async fn take_time(&mut self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(connection) => connection.take_time().await,
        }
    }

    /// How long statements have run on the thread that asked for them, without what was done with their rows. Zero for an
    /// engine over a network: whoever waits for that keeps nobody.
    pub(crate) fn in_statements(&self) -> Duration {
        match self {
            Self::Sqlite(connection) => connection.in_statements(),
            Self::Postgres(_) => Duration::ZERO,
        }
    }

    /// Whether a statement has failed in this transaction.
    pub(crate) fn is_spoilt(&self) -> bool {
        match self {
            Self::Sqlite(connection) => connection.is_spoilt(),
            Self::Postgres(connection) => connection.is_spoilt(),
        }
    }
}

/// Refuses texts that not every engine can keep or compare: PostgreSQL's have no NUL.
fn storable(params: &[Param<'_>]) -> Result<()> {
    let has_nul = |param: &Param<'_>| matches!(param, Param::Text(text) if text.contains('\0'));
    if params.iter().any(has_nul) {
        return Err(Error::invalid(Rule::Field, "texts must not contain the character U+0000"));
    }
    Ok(())
}

/// An index of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index<'a> {
    /// Of the primary key.
    Primary(&'a str),
    /// The one called `<table>_<columns>`.
    Named(&'a str, &'a str),
}

/// The error for a store that was closed or whose writer is gone.
pub(crate) fn closed() -> Error {
    Error::new(domain::Kind::Unavailable, domain::Rule::Unavailable, "the store is closed; the server is stopping")
}
