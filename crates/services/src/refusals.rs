//! Refused calls in the audit log.

use domain::{Ctx, Error, ports::Refusals};
use store::{AuditEntry, Later, Store};

/// Records refusals through the store's batches: within a second, outside the request's path.
#[derive(Clone, Debug)]
pub struct AuditRefusals {
    store: Store,
}

impl AuditRefusals {
    /// Over `store`.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store }
    }
}

impl Refusals for AuditRefusals {
    fn record(&self, ctx: &Ctx, place: Option<&str>, error: &Error) {
        self.store.later(Later::Audit(Box::new(AuditEntry::refused(ctx, place, error))));
    }
}
