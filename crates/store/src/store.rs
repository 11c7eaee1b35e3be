//! The handle that the rest of the server holds.

use std::{sync::Arc, time::Duration};

use database::{Engine, Snapshots};
use domain::{Clock, Ctx, Entropy, Error, Result, Revision, Sealed, Uidp, ctx::IdempotencyClaim, ports::Replay};

use crate::{
    BoxFuture, Metrics, Reader, StoreConfig, Writer,
    chain::{Head, Keys},
    fences::Ranks,
    iam::identity_providers,
    idempotency,
    later::{Later, Queue},
    nouns::NOUNS,
    pending,
    ranks::{Follower, walks},
    sessions::{self, Room, Session, Turn, Turned},
    writer::Mode,
    writes::Writes,
};

/// Everything that Provost remembers. Cheap to clone; the last clone that goes finishes what is queued.
#[derive(Clone, Debug)]
pub struct Store {
    inner: Arc<Inner>,
}

/// How the audit log of a store stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It has codes, and goes on with them.
    Sealed,
    /// It is empty and begins with its first entry.
    New,
    /// It has no codes: a program wrote it that knew of none. See [`crate::seal`].
    Unsealed,
    /// It has codes and no end: it was changed by other hands.
    Headless,
}

#[derive(Debug)]
struct Inner {
    writes: Arc<Writes>,
    snapshots: Snapshots,
    later: Queue,
    ranks: Arc<Ranks>,
    follower: Follower,
}

impl Store {
    /// Opens the store, making and migrating it as needed. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// Unavailable when another process uses the data folder or it cannot be used; failed precondition when a newer
    /// provost wrote it.
    pub async fn open(config: &StoreConfig, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Result<Self> {
        let metrics = Metrics::new();
        let pending = Arc::<pending::Shared>::default();
        let engine = Engine::open(&config.source(), Arc::<pending::Shared>::clone(&pending), &metrics.engine).await?;
        let (later, items) = Queue::new(&metrics);
        let (snapshots, ranks) = (engine.snapshots(), Arc::new(Ranks::new(walks(NOUNS), metrics.clone())));
        let follower = Follower::start(snapshots.clone(), Arc::clone(&ranks), NOUNS)?;
        let writes = Arc::new(Writes { engine, pending, clock, entropy, metrics });
        items.serve(Arc::downgrade(&writes))?;
        let inner = Arc::new(Inner { writes, snapshots, later, ranks, follower });
        Ok(Self { inner })
    }

    /// A snapshot of the last commit.
    ///
    /// # Errors
    /// Resource exhausted when too many reads are under way; unavailable after [`Store::close`].
    pub async fn reader(&self) -> Result<Reader> {
        let span = self.inner.writes.span("store read");
        let snapshot = self.inner.writes.metrics.engine.reading(self.inner.snapshots.take()).await?;
        Ok(Reader::counted(snapshot, Arc::clone(&self.inner.ranks), span))
    }

    /// The same, of which nothing is older than the call: it shows what was changed past this program as well.
    ///
    /// # Errors
    /// As [`Store::reader`].
    pub(crate) async fn reader_anew(&self) -> Result<Reader> {
        let span = self.inner.writes.span("store read");
        let snapshot = self.inner.writes.metrics.engine.reading(self.inner.snapshots.take_anew()).await?;
        Ok(Reader::counted(snapshot, Arc::clone(&self.inner.ranks), span))
    }

    /// Vouches with these keys for what is written from now on. A store that nothing was written to begins its audit log with them.
    /// Answers how the log stands.
    ///
    /// # Errors
    /// Whatever keeps the store from reading.
    pub async fn use_keys(&self, keys: Arc<Keys>) -> Result<Standing> {
        let mut reader = self.reader().await?;
        let standing = if reader.head().await?.is_some() {
            Standing::Sealed
        } else if !reader.exists("SELECT 1 FROM audit LIMIT 1", &[]).await? {
            Standing::New
        } else if reader.exists("SELECT 1 FROM audit WHERE code IS NOT NULL LIMIT 1", &[]).await? {
            Standing::Headless
        } else {
            Standing::Unsealed
        };
        drop(reader);
        self.change_keys(keys);
        if standing == Standing::New {
            self.inner.writes.pending.links().start();
        }
        Ok(standing)
    }

    /// Vouches with these keys from now on, where the store has been used with others.
    pub fn change_keys(&self, keys: Arc<Keys>) {
        self.inner.writes.pending.links().use_keys(keys);
    }

    /// The keys that it vouches with.
    #[must_use]
    pub fn keys(&self) -> Option<Arc<Keys>> {
        self.inner.writes.pending.links().keys()
    }

    /// The end of the audit log; none where it has no codes.
    ///
    /// # Errors
    /// Whatever keeps the store from reading.
    pub async fn head(&self) -> Result<Option<Head>> {
        self.reader().await?.head().await
    }

    /// The last commit that anybody was told of: every write that was answered before this call is at or before it. `None`
    /// where other nodes write as well, so that only the database knows.
    #[must_use]
    pub fn published(&self) -> Option<Revision> {
        self.inner.snapshots.published()
    }

    /// Runs `work` in a transaction. When it succeeds, what it changed is kept together with an audit row, the feed, the
    /// events it announced and the request's idempotency claim; the answer comes when all that is durable. When it fails,
    /// panics or `ctx` only validates, nothing is kept.
    ///
    /// All writes wait for `work`, so it holds statements and comparisons of values that have limits; what grows with a request
    /// beyond the rows that it writes is done before. The metric `store_writer_busy_seconds` and the log tell who does otherwise.
    ///
    /// `work` must await nothing but functions of its writer, and change nothing else: it may run more than once, each time
    /// after what it did before was rolled back.
    ///
    /// # Errors
    /// Whatever `work` returns; invalid argument or aborted when the idempotency claim is taken; resource exhausted and
    /// unavailable when the storage cannot take the write; internal when it fails.
    pub fn write<T, F>(&self, ctx: &Ctx, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a mut Writer) -> BoxFuture<'a, Result<T>> + Clone + Send + 'static,
    {
        self.inner.writes.write(ctx.clone(), Mode::Audited, work)
    }

    /// Queues something that need not be durable at once. It is written within a second; a crash before that loses it,
    /// and so does a queue that has no room, which is counted.
    pub fn later(&self, item: Later) {
        self.inner.later.push(item);
    }

    /// Writes what [`Store::later`] has queued so far.
    ///
    /// # Errors
    /// Unavailable after [`Store::close`].
    pub async fn flush(&self) -> Result<()> {
        self.inner.later.flush(false).await
    }

    /// Whether the audit log has lost its head: there are codes, and no end of them.
    ///
    /// # Errors
    /// Internal when it cannot be read.
    pub async fn is_headless(&self) -> Result<bool> {
        let mut reader = self.reader().await?;
        Ok(reader.head().await?.is_none() && reader.exists("SELECT 1 FROM audit WHERE code IS NOT NULL LIMIT 1", &[]).await?)
    }

    /// Whether the store reads. Where its writes have been waiting for longer than they should, the answer says how long: for
    /// a node that holds the write lock, or for the database. No write is made to find that out.
    ///
    /// # Errors
    /// Whatever keeps it from reading; unavailable when it has stopped taking writes for good.
    pub async fn ping(&self) -> Result<Option<Duration>> {
        let found = self.reader().await?.exists("SELECT n FROM revision", &[]).await?;
        if !found {
            return Err(Error::internal("the store has lost its revision"));
        }
        self.inner.writes.engine.stalled()
    }

    /// What the store counts about itself.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.inner.writes.metrics
    }

    /// Whether every order of every list has the ranks that pages far behind the first are found with. They are made in the
    /// background from when the store opens; until then such a page takes the longer the farther it is.
    #[must_use]
    pub fn ranks_stand(&self) -> bool {
        self.inner.ranks.stand()
    }

    /// Sets from how many rows on a page's skip goes by ranks, and has them made anew. Fewer take more memory: one key of each
    /// so many rows is kept.
    pub fn set_rank_stride(&self, rows: usize) {
        self.inner.ranks.set_stride(rows);
    }

    /// The name of the engine: `sqlite` or `postgresql`.
    #[must_use]
    pub fn engine(&self) -> &'static str {
        self.inner.writes.engine.name()
    }

    /// Brings up to date what the store does not count as it goes: how long writes have been waiting, the size of the database, and
    /// the end of the audit log.
    ///
    /// # Errors
    /// Whatever keeps the engine from telling it.
    pub async fn measure(&self) -> Result<()> {
        // Whoever measures is not counted.
        let head = Reader::new(self.inner.snapshots.take().await?).head().await?;
        self.metrics().set_head(head.as_ref());
        self.inner.writes.engine.measure().await
    }

    /// Writes everything that is queued and lets go of the data. Later calls are unavailable.
    pub async fn close(&self) {
        // Fails only when it was closed before.
        _ = self.inner.later.flush(true).await;
        self.inner.follower.stop().await;
        self.inner.writes.engine.close().await;
    }

    /// Keeps the answer of the request that took the claim.
    ///
    /// # Errors
    /// Internal or unavailable when the storage fails. The request itself has been applied all the same.
    pub async fn save_answer(&self, ctx: &Ctx, claim: &IdempotencyClaim, answer: Replay) -> Result<()> {
        let claim = claim.clone();
        let ctx = Ctx::system("idempotency.save", ctx.now, Arc::clone(&ctx.entropy));
        self.bookkeeping(ctx, move |tx| Box::pin(async move { idempotency::save(&mut tx.connection, &claim, &answer).await }))
            .await
    }

    /// Keeps client secrets of identity providers in other words: as they were, and as they are to be. One that was changed meanwhile
    /// stays.
    ///
    /// # Errors
    /// Resource exhausted and unavailable when the storage cannot take the write; internal when it fails. Then nothing has changed.
    pub async fn reseal_client_secrets(&self, ctx: &Ctx, secrets: Vec<(Uidp, Sealed, Sealed)>) -> Result<()> {
        let reseal = self.bookkeeping(ctx.clone(), move |tx| {
            Box::pin(async move {
                for (uid, from, to) in &secrets {
                    identity_providers::reseal(tx, uid, from, to).await?;
                }
                Ok(())
            })
        });
        reseal.await
    }

    /// Begins a session of a user.
    ///
    /// # Errors
    /// Internal when the user is gone; resource exhausted and unavailable when the storage cannot take the write; internal when
    /// it fails.
    pub async fn start_session(&self, ctx: &Ctx, session: Session, room: Room) -> Result<()> {
        self.bookkeeping(ctx.clone(), move |tx| Box::pin(async move { sessions::start(tx, &session, room).await })).await
    }

    /// Replaces the refresh token of a session, or ends the session when the token was used before.
    ///
    /// # Errors
    /// Resource exhausted and unavailable when the storage cannot take the write; internal when it fails. Then nothing has changed.
    pub async fn turn_session(&self, ctx: &Ctx, session: &Session, turn: Turn) -> Result<Turned> {
        let session = session.clone();
        self.bookkeeping(ctx.clone(), move |tx| Box::pin(async move { sessions::turn(tx, &session, turn).await })).await
    }

    /// A write without audit row, revision and feed.
    pub(crate) fn bookkeeping<T, F>(&self, ctx: Ctx, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a mut Writer) -> BoxFuture<'a, Result<T>> + Clone + Send + 'static,
    {
        self.inner.writes.write(ctx, Mode::Bookkeeping, work)
    }
}
