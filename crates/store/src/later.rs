//! What need not be durable at once: gathered for up to a second and written together.
//!
//! The loss window: a crash loses what was queued in the second before it. The other way round, an outage that hides for seconds
//! whether a batch was committed leaves its audit entries twice: one too many is better than none. Nothing here decides about
//! access.

use std::{
    collections::HashMap,
    ops::ControlFlow,
    sync::{Arc, Weak},
    time::Duration,
};

use database::closed;
use domain::{Ctx, Error, Kind, Result, Timestamp, Uidp};
use tokio::{
    sync::{Notify, mpsc, oneshot},
    time::sleep,
};

use crate::{AuditEntry, Metrics, iam::identities, writer::Mode, writes::Writes};

/// Items that may wait.
const QUEUE: usize = 16_384;
/// Items that are written together at most.
const BATCH: usize = 4096;
/// How long the first item of a batch waits for more.
const WINDOW: Duration = Duration::from_secs(1);

/// Something that is written soon.
#[derive(Clone, Debug)]
pub enum Later {
    /// An identity exchanged a token at that time.
    Seen {
        /// Which one.
        identity: Uidp,
        /// When.
        at: Timestamp,
    },
    /// An entry for the audit log of something that wrote nothing: an exchange, a refused call.
    Audit(Box<AuditEntry>),
}

/// Somebody who waits until everything that was queued before is written.
#[derive(Debug)]
struct Flush {
    /// Nothing is taken afterwards.
    last: bool,
    done: oneshot::Sender<()>,
}

/// The sending side.
#[derive(Debug)]
pub(crate) struct Queue {
    items: mpsc::Sender<Later>,
    flushes: mpsc::Sender<Flush>,
    /// There is enough for a batch.
    enough: Arc<Notify>,
    metrics: Metrics,
}

/// The writing side.
#[derive(Debug)]
pub(crate) struct Items {
    queue: mpsc::Receiver<Later>,
    flushes: mpsc::Receiver<Flush>,
    enough: Arc<Notify>,
    metrics: Metrics,
    /// How many drops the log was told of.
    told: u64,
}

impl Queue {
    pub(crate) fn new(metrics: &Metrics) -> (Self, Items) {
        Self::with_room(QUEUE, metrics)
    }

    fn with_room(room: usize, metrics: &Metrics) -> (Self, Items) {
        let (items, queue) = mpsc::channel(room);
        let (flushes, waiters) = mpsc::channel(1);
        let enough = Arc::<Notify>::default();
        let writing = Items { queue, flushes: waiters, enough: Arc::clone(&enough), metrics: metrics.clone(), told: 0 };
        (Self { items, flushes, enough, metrics: metrics.clone() }, writing)
    }

    pub(crate) fn push(&self, item: Later) {
        self.metrics.later_waiting.inc();
        if self.items.try_send(item).is_err() {
            self.metrics.later_waiting.dec();
            self.metrics.later_full.inc();
        } else if self.items.max_capacity() - self.items.capacity() >= BATCH {
            self.enough.notify_one();
        }
    }

    /// Waits until everything queued so far is written; after the `last` time nothing more is taken.
    pub(crate) async fn flush(&self, last: bool) -> Result<()> {
        let (done, written) = oneshot::channel();
        self.flushes.send(Flush { last, done }).await.map_err(|_| closed())?;
        written.await.map_err(|_| closed())
    }
}

impl Items {
    /// Writes what arrives until the store is gone. The task holds no claim on the store between batches.
    pub(crate) fn serve(self, store: Weak<Writes>) -> Result<()> {
        let runtime = tokio::runtime::Handle::try_current().map_err(Error::internal)?;
        runtime.spawn(self.run(store));
        Ok(())
    }

    async fn run(mut self, store: Weak<Writes>) {
        let mut waiting = Vec::new();
        while let ControlFlow::Continue(flush) = self.gather(&mut waiting).await {
            let Some(store) = store.upgrade() else { return };
            self.warn_of_drops();
            loop {
                self.take(&mut waiting);
                write(&store, &mut waiting).await;
                // What cannot be written now is tried again later, whoever waits for it.
                if flush.is_none() || self.queue.is_empty() || !waiting.is_empty() {
                    break;
                }
            }
            if let Some(Flush { last, done }) = flush {
                // Whoever asked may have gone.
                _ = done.send(());
                if last {
                    self.give_up(&waiting);
                    return;
                }
            }
        }
    }

    /// Waits for the first item and then for as long as a batch lasts, or until somebody does not want to wait. Items that
    /// come meanwhile wake nobody: there may be thousands in a second. Breaks when the store is gone.
    async fn gather(&mut self, waiting: &mut Vec<Later>) -> ControlFlow<(), Option<Flush>> {
        let flushed = |flush: Option<Flush>| flush.map_or(ControlFlow::Break(()), |flush| ControlFlow::Continue(Some(flush)));
        if waiting.is_empty() {
            tokio::select! {
                item = self.queue.recv() => match item {
                    Some(item) => waiting.push(item),
                    None => return ControlFlow::Break(()),
                },
                flush = self.flushes.recv() => return flushed(flush),
            }
        }
        if waiting.len() >= BATCH {
            return ControlFlow::Continue(None);
        }
        tokio::select! {
            () = sleep(WINDOW) => ControlFlow::Continue(None),
            () = self.enough.notified() => ControlFlow::Continue(None),
            flush = self.flushes.recv() => flushed(flush),
        }
    }

    /// Adds what is queued to the batch, up to its size.
    fn take(&mut self, waiting: &mut Vec<Later>) {
        while waiting.len() < BATCH
            && let Ok(item) = self.queue.try_recv()
        {
            waiting.push(item);
        }
    }

    /// Tells what is lost with the store.
    fn give_up(&self, waiting: &[Later]) {
        let count = waiting.len() + self.queue.len();
        if count > 0 {
            tracing::error!(items = count, "audit entries and last-seen times are lost: the storage took nothing until the end");
            self.metrics.later_failed.inc_by(count as u64);
        }
    }

    fn warn_of_drops(&mut self) {
        let dropped = self.metrics.later_full.get();
        if dropped > self.told {
            let count = dropped - self.told;
            tracing::warn!(count, "the queue for audit entries and last-seen times was full; entries were dropped");
            self.told = dropped;
        }
    }
}

/// Writes the items in one transaction. They stay when the storage may take them later.
async fn write(store: &Writes, waiting: &mut Vec<Later>) {
    if waiting.is_empty() {
        return;
    }
    let items = Arc::new(std::mem::take(waiting));
    let ctx = Ctx::system("store.later", store.clock.now(), Arc::clone(&store.entropy));
    let batch = Arc::clone(&items);
    let written = store
        .write(ctx, Mode::Bookkeeping, move |tx| {
            Box::pin(async move {
                let (mut seen, mut entries) = (HashMap::<&Uidp, Timestamp>::new(), Vec::new());
                for item in &*batch {
                    match item {
                        Later::Seen { identity, at } => {
                            seen.entry(identity).and_modify(|known| *known = (*known).max(*at)).or_insert(*at);
                        }
                        Later::Audit(entry) => entries.push(&**entry),
                    }
                }
                tx.note(&entries).await?;
                for (identity, at) in seen {
                    identities::seen(tx, identity, at).await?;
                }
                Ok(())
            })
        })
        .await;
    let count = items.len();
    match written {
        Ok(()) => {}
        Err(error) if matches!(error.kind(), Kind::Unavailable | Kind::ResourceExhausted) && count < BATCH => {
            tracing::warn!(?error, items = count, "cannot write audit entries and last-seen times yet");
            *waiting = Arc::unwrap_or_clone(items);
            return;
        }
        Err(error) => {
            tracing::error!(?error, items = count, "audit entries and last-seen times are lost");
            store.metrics.later_failed.inc_by(count as u64);
        }
    }
    store.metrics.later_waiting.dec_by(i64::try_from(count).unwrap_or(i64::MAX));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_drops_and_counts() {
        let metrics = Metrics::new();
        let (queue, items) = Queue::with_room(2, &metrics);
        for second in 0..5 {
            let identity = Uidp::root_from([0; 20]);
            queue.push(Later::Seen { identity, at: Timestamp::from_seconds(second) });
        }
        assert_eq!((metrics.later_full.get(), metrics.later_waiting.get()), (3, 2));
        assert_eq!(items.queue.len(), 2);
    }

    #[test]
    fn what_cannot_be_written_before_the_end_is_counted() {
        let metrics = Metrics::new();
        let (queue, mut items) = Queue::with_room(2, &metrics);
        let seen = |second| Later::Seen { identity: Uidp::root_from([0; 20]), at: Timestamp::from_seconds(second) };
        queue.push(seen(0));
        let mut waiting = Vec::new();
        items.take(&mut waiting);
        queue.push(seen(1));
        queue.push(seen(2));
        items.give_up(&waiting);
        assert_eq!(metrics.later_failed.get(), 3);
        items.take(&mut waiting);
        items.give_up(&[]);
        assert_eq!(metrics.later_failed.get(), 3, "nothing is lost where nothing waits");
    }
}
