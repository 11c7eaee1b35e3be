//! What need not be durable at once: gathered for up to a second and written together.
//!
//! The loss window: a crash loses what was queued in the second before it. The other way round, an outage that hides for seconds
//! whether a batch was committed leaves its audit entries twice: one too many is better than none. Nothing here decides about
//! access.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use domain::{Ctx, Error, Kind, Result, Timestamp, Uidp};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, timeout_at},
};

use crate::{AuditEntry, Metrics, audit, engine, iam::identities, store::Inner, writer::Mode};

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

#[derive(Debug)]
enum Item {
    Later(Later),
    Flush { last: bool, done: oneshot::Sender<()> },
}

/// The sending side.
#[derive(Debug)]
pub(crate) struct Queue {
    items: mpsc::Sender<Item>,
    metrics: Metrics,
}

/// The writing side.
#[derive(Debug)]
pub(crate) struct Items {
    queue: mpsc::Receiver<Item>,
    metrics: Metrics,
    /// How many drops the log was told of.
    told: u64,
}

impl Queue {
    pub(crate) fn new(metrics: &Metrics) -> (Self, Items) {
        Self::with_room(QUEUE, metrics)
    }

    fn with_room(room: usize, metrics: &Metrics) -> (Self, Items) {
        let (sender, receiver) = mpsc::channel(room);
        let items = Items { queue: receiver, metrics: metrics.clone(), told: 0 };
        (Self { items: sender, metrics: metrics.clone() }, items)
    }

    pub(crate) fn push(&self, item: Later) {
        self.metrics.later_waiting.inc();
        if self.items.try_send(Item::Later(item)).is_err() {
            self.metrics.later_waiting.dec();
            self.metrics.later_full.inc();
        }
    }

    /// Waits until everything queued so far is written; after the `last` time nothing more is taken.
    pub(crate) async fn flush(&self, last: bool) -> Result<()> {
        let (done, written) = oneshot::channel();
        self.items.send(Item::Flush { last, done }).await.map_err(|_| engine::closed())?;
        written.await.map_err(|_| engine::closed())
    }
}

impl Items {
    /// Writes what arrives until the store is gone. The task holds no claim on the store between batches.
    pub(crate) fn serve(self, store: Weak<Inner>) -> Result<()> {
        let runtime = tokio::runtime::Handle::try_current().map_err(Error::internal)?;
        runtime.spawn(self.run(store));
        Ok(())
    }

    async fn run(mut self, store: Weak<Inner>) {
        let mut waiting = Vec::new();
        loop {
            let mut flush = None;
            if waiting.is_empty() {
                match self.queue.recv().await {
                    Some(Item::Later(item)) => waiting.push(item),
                    Some(Item::Flush { last, done }) => flush = Some((last, done)),
                    None => return,
                }
            }
            let end = Instant::now() + WINDOW;
            while flush.is_none() && waiting.len() < BATCH {
                match timeout_at(end, self.queue.recv()).await {
                    Ok(Some(Item::Later(item))) => waiting.push(item),
                    Ok(Some(Item::Flush { last, done })) => flush = Some((last, done)),
                    Ok(None) => return,
                    Err(_) => break,
                }
            }
            let Some(store) = store.upgrade() else { return };
            self.warn_of_drops();
            write(&store, &mut waiting).await;
            if let Some((last, done)) = flush {
                // Whoever asked may have gone.
                _ = done.send(());
                if last {
                    return;
                }
            }
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
async fn write(store: &Inner, waiting: &mut Vec<Later>) {
    if waiting.is_empty() {
        return;
    }
    let items = waiting.clone();
    let ctx = Ctx::system("store.later", store.clock.now(), Arc::clone(&store.entropy));
    let written = store
        .write(ctx, Mode::Bookkeeping, |tx| {
            Box::pin(async move {
                let mut seen: HashMap<&Uidp, Timestamp> = HashMap::new();
                for item in &items {
                    match item {
                        Later::Seen { identity, at } => {
                            seen.entry(identity).and_modify(|known| *known = (*known).max(*at)).or_insert(*at);
                        }
                        Later::Audit(entry) => audit::append(tx, entry).await?,
                    }
                }
                for (identity, at) in seen {
                    identities::seen(tx, identity, at).await?;
                }
                Ok(())
            })
        })
        .await;
    match written {
        Ok(()) => forget(store, waiting),
        Err(error) if matches!(error.kind(), Kind::Unavailable | Kind::ResourceExhausted) && waiting.len() < BATCH => {
            tracing::warn!(?error, items = waiting.len(), "cannot write audit entries and last-seen times yet");
        }
        Err(error) => {
            tracing::error!(?error, items = waiting.len(), "audit entries and last-seen times are lost");
            store.metrics.later_failed.inc_by(waiting.len() as u64);
            forget(store, waiting);
        }
    }
}

/// These items are done with.
fn forget(store: &Inner, waiting: &mut Vec<Later>) {
    store.metrics.later_waiting.dec_by(i64::try_from(waiting.len()).unwrap_or(i64::MAX));
    waiting.clear();
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
}
