//! One snapshot of everything.

use std::{
    ops::ControlFlow,
    sync::{Arc, MutexGuard},
};

use database::{Connection, Index, Param, Reading, Row};
use domain::{Error, Result};
use tracing::Span;

use crate::{
    chain::{Code, Head, Links},
    fences::Ranks,
    pending::{self, Pending},
    position::Position,
};

/// One snapshot: every function that reads from it sees the same state, that of the last commit when it began.
///
/// It holds one of few connections, so drop it soon, and never wait for a second one or for a write while holding it.
#[derive(Debug)]
pub struct Reader {
    pub(crate) connection: Connection,
    /// What the writes of this group commit add to the counters; a snapshot shows what is committed.
    pending: Option<Arc<pending::Shared>>,
    /// What pages far behind the first are found with; a writer finds them without.
    ranks: Option<Arc<Ranks>>,
    /// While a snapshot of its own is in use; a writer reads within its transaction.
    reading: Option<Reading>,
    /// From the wait for the snapshot to its end.
    _span: Span,
}

impl Reader {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection, pending: None, ranks: None, reading: None, _span: Span::none() }
    }

    /// One that reads within a write.
    pub(crate) fn writing(connection: Connection, pending: Arc<pending::Shared>) -> Self {
        Self { pending: Some(pending), ..Self::new(connection) }
    }

    pub(crate) fn counted((connection, reading): (Connection, Reading), ranks: Arc<Ranks>, span: Span) -> Self {
        Self { connection, pending: None, ranks: Some(ranks), reading: Some(reading), _span: span }
    }

    pub(crate) async fn query_map<T: Send>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        self.statement();
        self.connection.query_map(sql, params, read).await
    }

    pub(crate) async fn query_one<T: Send>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        self.statement();
        self.connection.query_one(sql, params, read).await
    }

    pub(crate) async fn query_while(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        read: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>> + Send,
    ) -> Result<()> {
        self.statement();
        self.connection.query_while(sql, params, read).await
    }

    fn statement(&self) {
        if let Some(reading) = &self.reading {
            reading.statement();
        }
    }

    /// Whether the query has a row.
    pub(crate) async fn exists(&mut self, sql: &str, params: &[Param<'_>]) -> Result<bool> {
        Ok(self.query_one(sql, params, |_| Ok(())).await?.is_some())
    }

    /// What the writes of this group commit add to the counters; `None` in a snapshot, which shows what is committed.
    pub(crate) fn pending<T>(&self, with: impl FnOnce(&mut Pending) -> T) -> Option<T> {
        self.pending.as_ref().map(|pending| with(&mut pending.lock()))
    }

    /// The end of the audit log's chain, within a write.
    ///
    /// # Errors
    /// Internal in a snapshot.
    pub(crate) fn links(&self) -> Result<MutexGuard<'_, Links>> {
        self.pending.as_ref().map(|pending| pending.links()).ok_or_else(|| Error::internal("a snapshot writes no audit log"))
    }

    /// The expression for which server this is, see [`Connection::server`].
    pub(crate) fn server(&self) -> &'static str {
        self.connection.server()
    }

    /// The expression for which process of the server answers, for [`Reader::check_process`].
    pub(crate) fn process(&self) -> &'static str {
        self.connection.process()
    }

    /// Refuses an answer of another process than serves this connection: it is shared with others.
    pub(crate) fn check_process(&mut self, process: i64) -> Result<()> {
        self.connection.check_process(process)
    }

    /// The name of the engine behind it.
    pub(crate) fn engine(&self) -> &'static str {
        self.connection.engine()
    }

    /// Lifts the limits of time, for a read of everything.
    pub(crate) async fn take_time(&mut self) -> Result<()> {
        self.connection.take_time().await
    }

    /// Every column of every table, by name.
    pub(crate) async fn columns(&mut self) -> Result<Vec<(String, String)>> {
        self.connection.schema().await
    }

    /// Says whether statements may take long from now on, so that they hold up nobody else.
    pub(crate) fn at_length(&mut self, at_length: bool) {
        self.connection.at_length(at_length);
    }

    /// What pages far behind the first are found with.
    pub(crate) fn ranks(&self) -> Option<Arc<Ranks>> {
        self.ranks.clone()
    }

    /// The end of the audit log.
    pub(crate) async fn head(&mut self) -> Result<Option<Head>> {
        let found = self.query_one("SELECT n, head FROM revision", &[], |row| {
            let code = row.opt_bytes(1)?.map(Code::of_bytes);
            let revision = row.revision(0)?;
            Ok(code.map(|code| Head { revision, code }))
        });
        Ok(found.await?.flatten())
    }

    /// The state that it sees.
    pub(crate) async fn position(&mut self) -> Result<Position> {
        let sql = format!("SELECT n, {} FROM revision", self.server());
        let found = self.query_one(&sql, &[], |row| Ok(Position { revision: row.revision(0)?, server: row.int(1)? })).await?;
        found.ok_or_else(|| Error::internal("the store has lost its revision"))
    }

    pub(crate) fn walk(&self, index: Index<'_>) -> String {
        self.connection.walk(index)
    }
}
