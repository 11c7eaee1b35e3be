//! Refused calls in the audit log.

use std::sync::Arc;

use domain::{Actor, Ctx, Error, Uidp, ports::Refusals};
use store::{AuditEntry, Later, Store};

use crate::minutes::Minutes;

/// Most refusals of one identity that are recorded in a minute.
pub const OF_ONE_IDENTITY: u32 = 120;
/// Most refusals of all callers without identity that are recorded in a minute.
pub const OF_ALL_STRANGERS: u32 = 600;

/// Records refusals through the store's batches: within a second, outside the request's path.
///
/// Being refused costs a caller nothing, so what one caller can write to the audit log in a minute is limited: nobody fills
/// the disk in hours or crowds out the entries of others. The access log has every request.
#[derive(Clone, Debug)]
pub struct AuditRefusals {
    store: Store,
    counts: Arc<Minutes>,
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
            Actor::Caller(caller) => (Some(&caller.identity), OF_ONE_IDENTITY),
            Actor::Anonymous => (None, OF_ALL_STRANGERS),
            Actor::System(_) => return true,
        };
        let refusals = self.counts.add(caller, 1, ctx.now);
        if refusals == most.saturating_add(1) {
            let caller = caller.map(Uidp::as_str);
            tracing::warn!(caller, most, "too many refused calls in a minute; further ones are in the access log alone");
        }
        refusals <= most
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
