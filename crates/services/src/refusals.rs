//! Refused calls in the audit log.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use domain::{Actor, Ctx, Error, Timestamp, Uidp, ports::Refusals};
use store::{AuditEntry, Later, Store};

/// Most refusals of one identity that are recorded in a minute.
pub const OF_ONE_IDENTITY: u32 = 120;
/// Most refusals of all callers without identity that are recorded in a minute.
pub const OF_ALL_STRANGERS: u32 = 600;

const MINUTE_MILLIS: i64 = 60_000;
/// Identities whose refusals are counted at once; with more, those whose minute is over are forgotten.
const COUNTED: usize = 4096;

/// Records refusals through the store's batches: within a second, outside the request's path.
///
/// Being refused costs a caller nothing, so what one caller can write to the audit log in a minute is limited: nobody fills
/// the disk in hours or crowds out the entries of others. The access log has every request.
#[derive(Clone, Debug)]
pub struct AuditRefusals {
    store: Store,
    counts: Arc<Mutex<HashMap<Option<Uidp>, Count>>>,
}

/// The refusals of one caller in one minute.
#[derive(Clone, Copy, Debug)]
struct Count {
    since: Timestamp,
    refusals: u32,
}

impl AuditRefusals {
    /// Over `store`.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store, counts: Arc::default() }
    }
}

impl AuditRefusals {
    /// Counts a refusal; whether it is still within the limit.
    fn admits(&self, ctx: &Ctx) -> bool {
        let (caller, most) = match &ctx.actor {
            Actor::Caller(caller) => (Some(caller.identity.clone()), OF_ONE_IDENTITY),
            Actor::Anonymous => (None, OF_ALL_STRANGERS),
            Actor::System(_) => return true,
        };
        let is_over = |count: &Count| !(0..MINUTE_MILLIS).contains(&ctx.now.0.saturating_sub(count.since.0));
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= COUNTED {
            counts.retain(|_, count| !is_over(count));
        }
        let fresh = Count { since: ctx.now, refusals: 0 };
        let count = counts.entry(caller).or_insert(fresh);
        if is_over(count) {
            *count = fresh;
        }
        count.refusals = count.refusals.saturating_add(1);
        if count.refusals == most.saturating_add(1) {
            let caller = ctx.caller().ok().map(|caller| caller.identity.as_str());
            tracing::warn!(caller, most, "too many refused calls in a minute; further ones are in the access log alone");
        }
        count.refusals <= most
    }
}

impl Refusals for AuditRefusals {
    fn record(&self, ctx: &Ctx, place: Option<&str>, error: &Error) {
        if !self.admits(ctx) {
            return;
        }
        self.store.later(Later::Audit(Box::new(AuditEntry::refused(ctx, place, error))));
    }
}
