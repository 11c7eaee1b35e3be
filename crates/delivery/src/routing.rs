//! Handing new events to the subscriptions that they concern.

use std::collections::{BTreeMap, HashMap};

use domain::{Ctx, Result, Revision, Uidp};
use store::{
    Store,
    deliveries::{self, Announced, Offset, Wanted},
};

/// Events that are looked at at once.
const BATCH: u32 = 500;
/// Subscriptions from which on a batch is cut short.
const MANY: usize = 500;
/// Events that concern nobody are remembered in the database after so many.
const SILENT: usize = 1000;

/// How far a node has looked through the outbox.
#[derive(Debug)]
pub(crate) struct Router {
    store: Store,
    /// The mark in the database, as this node knows it.
    mark: Offset,
    /// Up to where this node has looked, at or behind the mark: what lies between concerns nobody.
    seen: Offset,
    /// How many events those are.
    silent: usize,
}

impl Router {
    pub(crate) fn new(store: Store, mark: Offset) -> Self {
        Self { store, mark, seen: mark, silent: 0 }
    }

    /// Hands on what is new. Answers whether there may be more already.
    ///
    /// # Errors
    /// Whatever keeps the store from reading or writing.
    pub(crate) async fn advance(&mut self, ctx: &Ctx) -> Result<bool> {
        // Asked before the snapshot is taken, which has at least that.
        let published = self.store.published();
        if published.is_some_and(|revision| revision <= self.seen.revision && self.seen.ordinal == i64::MAX) {
            return Ok(false);
        }
        let mut reader = self.store.reader().await?;
        let events = deliveries::ahead(&mut reader, self.seen, BATCH).await?;
        let Some(last) = events.last() else {
            if let Some(revision) = published {
                self.seen = self.seen.max(Offset { revision, ordinal: i64::MAX });
            }
            return Ok(false);
        };
        let mut to = last.offset;
        let mut known: HashMap<&str, Vec<(Uidp, Revision)>> = HashMap::new();
        let mut wanted: BTreeMap<Uidp, Wanted> = BTreeMap::new();
        for Announced { offset, customer, group } in &events {
            let group = group.as_str();
            // What belongs to no group has no subscriptions.
            let Some(place) = customer.then(|| group.parse::<Uidp>().ok()).flatten() else { continue };
            if !known.contains_key(group) {
                known.insert(group, deliveries::concerned(&mut reader, &place).await?);
            }
            for (subscription, since) in known.get(group).into_iter().flatten() {
                if *since < offset.revision {
                    let new = || Wanted { subscription: subscription.clone(), first: *offset, last: *offset };
                    wanted.entry(subscription.clone()).or_insert_with(new).last = *offset;
                }
            }
            if wanted.len() >= MANY {
                to = *offset;
                break;
            }
        }
        drop(reader);
        let many = events.len() >= BATCH as usize || to < last.offset;
        self.silent += events.len();
        if wanted.is_empty() && self.silent < SILENT {
            self.seen = to;
            return Ok(many);
        }
        if self.store.route_events(ctx, self.mark, to, wanted.into_values().collect()).await? {
            (self.mark, self.seen, self.silent) = (to, to, 0);
            return Ok(many);
        }
        // Another node was faster.
        let mark = deliveries::mark(&mut self.store.reader().await?).await?.unwrap_or_default();
        (self.mark, self.seen, self.silent) = (mark, mark, 0);
        Ok(true)
    }
}
