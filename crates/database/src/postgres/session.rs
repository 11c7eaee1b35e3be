//! A connection to the server: statements are prepared once, and may be sent without waiting for those before.

use std::{
    collections::HashMap,
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use domain::{Error, Revision};
use futures::{StreamExt, TryStreamExt, stream::FuturesOrdered};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::{Client, Row, SimpleQueryMessage, Statement, types::ToSql};
use tokio_util::task::TaskTracker;

use super::fault::{Failure, Outlook};
use crate::{param::Param, queue};

/// Prepared statements kept per connection.
const STATEMENTS: usize = 512;
/// How long an answer may take. The server cancels statements before that; this is for one that is not there any more.
pub(super) const ANSWER: Duration = Duration::from_secs(11);
/// The same for a transaction that works on everything there is.
pub(super) const PATIENCE_ALONE: Duration = Duration::from_hours(1);
/// Settings of such a transaction, which reads whole tables. It may pause for as long as an answer may take: what a backup goes
/// to, or a restore comes from, may be slow.
pub(super) const UNHURRIED: &str = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '1h'; \
    SET LOCAL enable_seqscan = on";

type Answer<T> = std::result::Result<T, Failure>;
type Sent = Pin<Box<dyn Future<Output = Answer<()>> + Send>>;

/// A connection.
pub(super) struct Session {
    client: Arc<Client>,
    statements: HashMap<Box<str>, Statement>,
    /// Statements whose answers nobody has waited for yet, oldest first.
    sent: Box<FuturesOrdered<Sent>>,
    /// Somebody waits for an answer, or has stopped waiting before it came.
    waits: bool,
    /// What went wrong since [`Session::forget_trouble`] and may go well another time.
    trouble: Option<(Outlook, Error)>,
    driver: tokio::task::JoinHandle<()>,
    /// The generation of its connector.
    pub(super) generation: u64,
    /// How long an answer may take.
    pub(super) patience: Duration,
    /// The last revision that was given to a write.
    pub(super) revision: Revision,
    /// The process of PostgreSQL that serves it.
    pub(super) process: i32,
}

/// A value for every row that a statement makes or looks for.
pub(super) type List = Box<dyn ToSql + Send + Sync>;

impl Session {
    /// A session on a connection, which is driven by a task among `drivers`.
    pub(super) fn new<S, T>(
        client: Client,
        connection: tokio_postgres::Connection<S, T>,
        generation: u64,
        drivers: &TaskTracker,
    ) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let drive = async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to the database ended");
            }
        };
        Self {
            client: Arc::new(client),
            statements: HashMap::new(),
            sent: Box::default(),
            waits: false,
            trouble: None,
            driver: drivers.spawn(drive),
            generation,
            patience: ANSWER,
            revision: Revision::default(),
            process: 0,
        }
    }

    /// Whether another transaction may begin on it.
    pub(super) fn is_fit(&self) -> bool {
        !self.waits && !self.client.is_closed() && !matches!(self.trouble, Some((Outlook::Lost, _)))
    }

    /// Comes back when the connection has ended.
    pub(super) async fn ended(&mut self) {
        if !self.driver.is_finished() {
            // It may have been aborted.
            _ = (&mut self.driver).await;
        }
    }

    /// What went wrong and may go well another time.
    pub(super) fn trouble(&self) -> Option<(Outlook, Error)> {
        self.trouble.as_ref().map(|(outlook, error)| (*outlook, queue::copy(error)))
    }

    pub(super) fn forget_trouble(&mut self) {
        self.trouble = None;
    }

    /// Notes a failure, and gives it back.
    pub(super) fn note(&mut self, failure: Failure) -> Failure {
        let outlook = failure.outlook();
        if outlook != Outlook::Stays && !self.trouble.as_ref().is_some_and(|(known, _)| *known == Outlook::Lost) {
            let error = super::fault::unavailable("the database does not answer; retry in a moment");
            self.trouble = Some((outlook, error.because(format!("{failure:?}"))));
        }
        failure
    }

    /// Sends statements without parameters and waits for all of them.
    pub(super) async fn batch(&mut self, sql: &str) -> Answer<()> {
        let client = Arc::clone(&self.client);
        self.wait(client.batch_execute(sql)).await
    }

    /// Sends statements without parameters, waits for all of them and tells which process of PostgreSQL ran them.
    pub(super) async fn process_after(&mut self, sql: &str) -> Answer<i32> {
        let client = Arc::clone(&self.client);
        let messages = self.wait(client.simple_query(&format!("{sql}; SELECT pg_backend_pid() AS process"))).await?;
        let process = messages.iter().rev().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.try_get("process").ok()??.parse().ok(),
            _ => None,
        });
        process.ok_or(Failure::Silence)
    }

    /// Sends what begins, marks or ends a part of a transaction. A failure shows with the next answer, and makes the whole
    /// transaction run again: a savepoint that stayed would take what was done before it along when it is rolled back to.
    pub(super) fn send_mark(&mut self, sql: &'static str) {
        let client = Arc::clone(&self.client);
        self.push(Box::pin(async move { client.batch_execute(sql).await.map_err(Failure::Astray) }));
    }

    /// Runs a statement; gives the number of rows it touched.
    pub(super) async fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Answer<u64> {
        let statement = self.prepare(sql).await?;
        let client = Arc::clone(&self.client);
        self.wait(client.execute_raw(&statement, params)).await
    }

    /// Sends a statement; a failure shows with the next answer.
    pub(super) async fn send(&mut self, sql: &str, params: &[Param<'_>]) -> Answer<()> {
        let statement = self.prepare(sql).await?;
        let client = Arc::clone(&self.client);
        let params: Vec<_> = params.iter().cloned().map(Param::into_owned).collect();
        self.push(Box::pin(async move {
            client.execute_raw(&statement, params).await?;
            Ok(())
        }));
        Ok(())
    }

    /// The same with a list in the place of each value.
    pub(super) async fn send_lists(&mut self, sql: &str, lists: Vec<List>) -> Answer<()> {
        let statement = self.prepare(sql).await?;
        let client = Arc::clone(&self.client);
        self.push(Box::pin(async move {
            client.execute_raw(&statement, lists).await?;
            Ok(())
        }));
        Ok(())
    }

    /// Reads an answer row by row, until `read` breaks. The rest is waited for all the same: the statement may still fail.
    pub(super) async fn query<E: From<Failure>>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        mut read: impl FnMut(&Row) -> std::result::Result<std::ops::ControlFlow<()>, E>,
    ) -> std::result::Result<(), E> {
        let statement = self.prepare(sql).await?;
        let client = Arc::clone(&self.client);
        let rows = self.wait(client.query_raw(&statement, params)).await?;
        let mut rows = std::pin::pin!(rows);
        while let Some(row) = self.wait(rows.as_mut().try_next()).await? {
            if read(&row)?.is_break() {
                while self.wait(rows.as_mut().try_next()).await?.is_some() {}
                break;
            }
        }
        Ok(())
    }

    /// Waits for everything that was sent.
    pub(super) async fn settle(&mut self) -> Answer<()> {
        if self.sent.is_empty() { Ok(()) } else { self.wait(std::future::ready(Ok(()))).await }
    }

    async fn prepare(&mut self, sql: &str) -> Answer<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let client = Arc::clone(&self.client);
        let statement = self.wait(client.prepare(sql)).await?;
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(sql.into(), statement.clone());
        Ok(statement)
    }

    /// Puts a message on the wire: the first poll of a statement does that, later ones read its answer.
    fn push(&mut self, mut sent: Sent) {
        match sent.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => self.sent.push_back(sent),
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(failure)) => drop(self.note(failure)),
        }
    }

    /// Waits for an answer and for all that come before it. The first failure of them is what is told: the others follow
    /// from it.
    async fn wait<T>(&mut self, answer: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>) -> Answer<T> {
        let mut answer = std::pin::pin!(answer);
        let (mut first, mut own) = (None, None);
        let sent = &mut self.sent;
        self.waits = true;
        let all = poll_fn(|context| {
            // What waits for its turn is put on the wire by its first poll, also when those before it are not answered yet.
            if own.is_none()
                && let Poll::Ready(answer) = answer.as_mut().poll(context)
            {
                own = Some(answer);
            }
            while let Poll::Ready(Some(answer)) = sent.poll_next_unpin(context) {
                if let Err(failure) = answer {
                    first.get_or_insert(failure);
                }
            }
            if own.is_some() && sent.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        });
        let answered = tokio::time::timeout(self.patience, all).await;
        // Without an answer the connection is in an unknown state, and `waits` stays.
        self.waits = answered.is_err();
        let result = match (answered, first, own) {
            (Ok(()), Some(failure), _) => Err(failure),
            (Ok(()), None, Some(Err(error))) => Err(Failure::Told(error)),
            (Ok(()), None, Some(Ok(value))) => return Ok(value),
            _ => Err(Failure::Silence),
        };
        result.map_err(|failure| self.note(failure))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // One that does not answer would hold its socket for as long as the system waits for a lost peer.
        if self.waits {
            self.driver.abort();
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("generation", &self.generation).field("waits", &self.waits).finish_non_exhaustive()
    }
}
