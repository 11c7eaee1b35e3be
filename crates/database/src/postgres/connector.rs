//! Makes connections.

use std::{
    fmt,
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use domain::Result;
use tokio::sync::Notify;
use tokio_postgres::Config;
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_util::task::TaskTracker;

use super::{fault::Failure, session::Session, tls};
use crate::place::Postgres;

/// How long making a connection may take, over all hosts of the database: each may use its share of what is left.
const CONNECT: Duration = Duration::from_secs(8);
/// How long connections may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(2);
/// Settings of every connection. A node that hangs in a transaction holds the write lock, or a snapshot, for three seconds and
/// no longer: its own pauses take milliseconds, and others wait four for the lock. The server notices within half a minute that one
/// is gone whose machine cannot say so. Every statement has an index to walk through, and its
/// plan is kept: one that was made while a table was small, or before its statistics were, must not read it from end to end
/// when it has grown. No statement is planned again for the values that it is asked with: that takes as long as answering it.
/// Nothing is worth compiling.
const SETTINGS: &str = "SET statement_timeout = '10s'; SET lock_timeout = '4s'; \
    SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan; \
    SET idle_in_transaction_session_timeout = '3s'; \
    SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4; \
    SELECT set_config('synchronous_commit', 'on', false) \
    WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')";

/// Makes connections to the database, of which each takes writes.
pub(super) struct Connector {
    database: Postgres,
    tls: MakeRustlsConnect,
    /// The host that took writes when it was last asked: the next connection begins there.
    preferred: AtomicUsize,
    /// Counts the times that the server behind the connections was found to be another one, or none.
    generation: AtomicU64,
    /// Whether connections were found to be shared with others, and not found to be sessions in their own right since.
    shared: AtomicBool,
    /// Tells the writer when that is found.
    is_found_shared: Notify,
    /// What drives the connections.
    drivers: TaskTracker,
}

impl Connector {
    pub(super) fn new(database: &Postgres) -> Result<Self> {
        let tls = tls::connector(database)?;
        let (preferred, generation) = (AtomicUsize::new(0), AtomicU64::new(0));
        let (shared, is_found_shared, drivers) = (AtomicBool::new(false), Notify::new(), TaskTracker::new());
        Ok(Self { database: database.clone(), tls, preferred, generation, shared, is_found_shared, drivers })
    }

    /// A connection to the first host that takes writes. One that accepts and then says nothing costs its share of the time.
    pub(super) async fn connect(&self) -> std::result::Result<Session, Failure> {
        let (hosts, begun) = (self.database.hosts(), Instant::now());
        let first = self.preferred.load(Ordering::Relaxed);
        let mut outcome = Err(Failure::Silence);
        for (left, (at, host)) in (1..=hosts.len()).rev().zip(hosts.iter().enumerate().cycle().skip(first)) {
            let share = CONNECT.saturating_sub(begun.elapsed()) / u32::try_from(left).unwrap_or(u32::MAX);
            // Boxed: it is large, and every read would carry it along for the case that it has to connect.
            let connecting = Box::pin(self.connect_to(host));
            outcome = tokio::time::timeout(share, connecting).await.unwrap_or(Err(Failure::Silence));
            if outcome.is_ok() {
                self.preferred.store(at, Ordering::Relaxed);
                break;
            }
        }
        outcome
    }

    async fn connect_to(&self, host: &Config) -> std::result::Result<Session, Failure> {
        let generation = self.generation();
        let (client, connection) = host.connect(self.tls.clone()).await?;
        let mut session = Session::new(client, connection, generation, &self.drivers);
        session.process = session.process_after(SETTINGS).await?;
        Ok(session)
    }

    /// Whether a pooler shares the connections between transactions, as far as is known.
    pub(super) fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    /// Says that connections were found to be shared: none of before is fit, and nothing is read or written until the writer
    /// has found new ones to be sessions in their own right.
    pub(super) fn found_shared(&self) {
        self.distrust();
        if !self.shared.swap(true, Ordering::Relaxed) {
            tracing::warn!("a connection pooler shares the connections to the database between transactions");
        }
        self.is_found_shared.notify_waiters();
    }

    /// Says that connections were found to be sessions in their own right.
    pub(super) fn found_whole(&self) {
        if self.shared.swap(false, Ordering::Relaxed) {
            tracing::info!("the connections to the database are not shared any more");
        }
    }

    /// Comes back when connections are found to be shared.
    pub(super) async fn until_shared(&self) {
        let found = self.is_found_shared.notified();
        if !self.is_shared() {
            found.await;
        }
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Returns when the server was told of the end of every connection that was let go of, or when one does not end.
    pub(super) async fn goodbye(&self) {
        self.drivers.close();
        if tokio::time::timeout(GOODBYE, self.drivers.wait()).await.is_err() {
            tracing::warn!(connections = self.drivers.len(), "connections to the database did not end in time");
        }
    }

    /// Makes every connection of before unfit: the server takes no writes any more, another one may.
    pub(super) fn distrust(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").field("database", &self.database).finish_non_exhaustive()
    }
}
