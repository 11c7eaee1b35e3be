//! A connection inside a transaction, whichever engine is behind it.

use std::ops::ControlFlow;

use domain::{Error, Result, Revision, Rule};

use crate::{
    fault::Executed,
    index::Index,
    param::Param,
    postgres,
    probe::Probe,
    row::{Reading, Row},
    sqlite,
};

/// A connection inside a transaction: a snapshot of everything, or the writer's own for the time of one request.
///
/// Statements are one text for every engine, with `$1` for the first value. Texts among the values must not have the character
/// U+0000, which is an invalid argument. After a statement that failed, a write can only fail (see [`Connection::is_spoilt`]).
/// The errors of a statement are those of [`Fault`](crate::Fault).
#[derive(Debug)]
pub struct Connection(Kind);

#[derive(Debug)]
enum Kind {
    Sqlite(sqlite::Connection),
    Postgres(postgres::Connection),
}

impl From<sqlite::Connection> for Connection {
    fn from(connection: sqlite::Connection) -> Self {
        Self(Kind::Sqlite(connection))
    }
}

impl From<postgres::Connection> for Connection {
    fn from(connection: postgres::Connection) -> Self {
        Self(Kind::Postgres(connection))
    }
}

impl Connection {
    /// Reads every row of an answer.
    ///
    /// # Errors
    /// What the statement or `read` answers.
    pub async fn query_map<T: Send>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        let mut each = |row: &Row<'_>| {
            rows.push(read(row)?);
            Ok(ControlFlow::Continue(()))
        };
        self.query(sql, params, &mut each).await?;
        Ok(rows)
    }

    /// Reads the first row of an answer, if it has any.
    ///
    /// # Errors
    /// What the statement or `read` answers.
    pub async fn query_one<T: Send>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        let (mut read, mut found) = (Some(read), None);
        let mut first = |row: &Row<'_>| {
            found = read.take().map(|read| read(row)).transpose()?;
            Ok(ControlFlow::Break(()))
        };
        self.query(sql, params, &mut first).await?;
        Ok(found)
    }

    /// Reads rows until `read` has seen enough. For answers that may be large: they are never gathered as a whole.
    ///
    /// # Errors
    /// What the statement or `read` answers.
    pub async fn query_while(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>> + Send,
    ) -> Result<()> {
        storable(params)?;
        match &mut self.0 {
            Kind::Sqlite(connection) => connection.query(sql, params, &mut read),
            Kind::Postgres(connection) => Box::pin(connection.walk(sql, params, &mut read)).await,
        }
    }

    async fn query(&mut self, sql: &str, params: &[Param<'_>], read: &mut Reading<'_>) -> Result<()> {
        storable(params)?;
        match &mut self.0 {
            Kind::Sqlite(connection) => connection.query(sql, params, read),
            Kind::Postgres(connection) => Box::pin(connection.query(sql, params, read)).await,
        }
    }

    /// Runs a statement without answer; gives the number of rows it touched.
    ///
    /// # Errors
    /// What the statement answers: the constraint that it violates, or anything else.
    pub async fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Executed {
        storable(params)?;
        match &mut self.0 {
            Kind::Sqlite(connection) => connection.execute(sql, params),
            Kind::Postgres(connection) => Box::pin(connection.execute(sql, params)).await,
        }
    }

    /// Runs a statement whose answer nobody looks at. An engine over a network does not wait for it: a failure then shows
    /// with a later statement, at the latest with [`Connection::settle`].
    ///
    /// # Errors
    /// What has failed so far.
    pub async fn send(&mut self, sql: &str, params: &[Param<'_>]) -> Result<()> {
        storable(params)?;
        match &mut self.0 {
            Kind::Sqlite(connection) => Ok(connection.execute(sql, params).map(drop)?),
            Kind::Postgres(connection) => Box::pin(connection.send(sql, params)).await,
        }
    }

    /// Waits for everything that was sent; fails when any of it has failed.
    ///
    /// # Errors
    /// The first failure.
    pub async fn settle(&mut self) -> Result<()> {
        match &mut self.0 {
            Kind::Sqlite(_) => Ok(()),
            Kind::Postgres(connection) => connection.settle().await,
        }
    }

    /// The next revision: that of the write that this connection is in.
    ///
    /// # Errors
    /// Internal in a snapshot.
    pub fn next_revision(&mut self) -> Result<Revision> {
        match &mut self.0 {
            Kind::Sqlite(connection) => connection.next_revision(),
            Kind::Postgres(connection) => connection.next_revision(),
        }
    }

    /// The words after a table's name that make a query walk the named index. Engines that keep statistics need none.
    #[must_use]
    pub fn walk(&self, index: Index<'_>) -> String {
        match (&self.0, index) {
            (Kind::Sqlite(_), index) => sqlite::by(index),
            (Kind::Postgres(_), _) => String::new(),
        }
    }

    /// The expression for a number that another server of the database, or one that was restored or promoted, does not have.
    #[must_use]
    pub fn server(&self) -> &'static str {
        match &self.0 {
            // One process has the file for as long as it runs.
            Kind::Sqlite(_) => "0",
            Kind::Postgres(_) => "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint",
        }
    }

    /// The expression for which process of the server answers, see [`Connection::check_process`].
    #[must_use]
    pub fn process(&self) -> &'static str {
        match &self.0 {
            Kind::Sqlite(_) => "0",
            Kind::Postgres(_) => "pg_backend_pid()::bigint",
        }
    }

    /// Refuses an answer of another process than serves this connection: it is shared with others.
    ///
    /// # Errors
    /// Unavailable when it is shared.
    pub fn check_process(&mut self, process: i64) -> Result<()> {
        match &mut self.0 {
            Kind::Sqlite(_) => Ok(()),
            Kind::Postgres(connection) => connection.check_process(process),
        }
    }

    /// Says whether statements may take long from now on, so that they hold up nobody else.
    pub fn at_length(&mut self, at_length: bool) {
        match &mut self.0 {
            Kind::Sqlite(connection) => connection.at_length(at_length),
            // They run elsewhere.
            Kind::Postgres(_) => {}
        }
    }

    /// The name of its engine, as [`Engine::name`](crate::Engine::name).
    #[must_use]
    pub fn engine(&self) -> &'static str {
        match &self.0 {
            Kind::Sqlite(_) => sqlite::NAME,
            Kind::Postgres(_) => postgres::NAME,
        }
    }

    /// The query for every column of every table, by name.
    fn columns(&self) -> &'static str {
        match &self.0 {
            Kind::Sqlite(_) => {
                "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c \
                 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~'"
            }
            Kind::Postgres(_) => {
                "SELECT table_name::text, column_name::text FROM information_schema.columns \
                 WHERE table_schema = current_schema()"
            }
        }
    }

    /// What a check asks of the engine itself, and what cannot be asked of this one.
    ///
    /// # Errors
    /// What the statements answer.
    pub async fn probes(&mut self) -> Result<(Vec<Probe>, Vec<String>)> {
        match &mut self.0 {
            Kind::Sqlite(connection) => Ok((sqlite::probes(connection)?, Vec::new())),
            Kind::Postgres(connection) => postgres::probes(connection).await,
        }
    }

    /// Every column of every table of the schema, as the names of both.
    ///
    /// # Errors
    /// What the statement answers.
    pub async fn schema(&mut self) -> Result<Vec<(String, String)>> {
        let sql = self.columns();
        self.query_map(sql, &[], |row| Ok((row.string(0)?, row.string(1)?))).await
    }

    /// Sets the number of the last commit, for a restore: its transaction takes no further one.
    ///
    /// # Errors
    /// Internal in a snapshot.
    pub fn set_revision(&mut self, revision: Revision) -> Result<()> {
        match &mut self.0 {
            Kind::Sqlite(connection) => connection.set_revision(revision),
            Kind::Postgres(connection) => connection.set_revision(revision),
        }
    }

    /// Lifts the limits of time that keep a node which hangs from holding up others, for as long as this transaction lasts.
    ///
    /// # Errors
    /// What the statements answer.
    pub async fn take_time(&mut self) -> Result<()> {
        match &mut self.0 {
            Kind::Sqlite(_) => Ok(()),
            Kind::Postgres(connection) => connection.take_time().await,
        }
    }

    /// Whether a statement has failed in this transaction.
    #[must_use]
    pub fn is_spoilt(&self) -> bool {
        match &self.0 {
            Kind::Sqlite(connection) => connection.is_spoilt(),
            Kind::Postgres(connection) => connection.is_spoilt(),
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
