//! One snapshot of everything.

use std::{ops::ControlFlow, sync::Arc};

use database::{Connection, Counted, Index, Param, Row};
use domain::{Error, Result};
use tracing::Span;

use crate::{
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
    _in_use: Option<Counted>,
    /// From the wait for the snapshot to its end.
    _span: Span,
}

impl Reader {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection, pending: None, ranks: None, _in_use: None, _span: Span::none() }
    }

    /// One that reads within a write.
    pub(crate) fn writing(connection: Connection, pending: Arc<pending::Shared>) -> Self {
        Self { pending: Some(pending), ..Self::new(connection) }
    }

    pub(crate) fn counted((connection, in_use): (Connection, Counted), ranks: Arc<Ranks>, span: Span) -> Self {
        Self { connection, pending: None, ranks: Some(ranks), _in_use: Some(in_use), _span: span }
    }

    pub(crate) async fn query_map<T: Send>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        self.connection.query_map(sql, params, read).await
    }

    pub(crate) async fn query_one<T: Send>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        self.connection.query_one(sql, params, read).await
    }

    pub(crate) async fn query_while(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        read: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>> + Send,
    ) -> Result<()> {
        self.connection.query_while(sql, params, read).await
    }

    /// Whether the query has a row.
    pub(crate) async fn exists(&mut self, sql: &str, params: &[Param<'_>]) -> Result<bool> {
        Ok(self.query_one(sql, params, |_| Ok(())).await?.is_some())
    }

    /// What the writes of this group commit add to the counters; `None` in a snapshot, which shows what is committed.
    pub(crate) fn pending<T>(&self, with: impl FnOnce(&mut Pending) -> T) -> Option<T> {
        self.pending.as_ref().map(|pending| with(&mut pending.lock()))
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
