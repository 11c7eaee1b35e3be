//! The right to a connection for reads.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

use super::{idle::Idle, shared::Shared};

/// The right to a connection; dropping it gives the connection back.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) raw: Shared,
    /// Which writes its snapshot shows at least.
    pub(super) writes: u64,
    pub(super) idle: Arc<Idle>,
    /// Goes after the connection was given back.
    pub(super) _permit: OwnedSemaphorePermit,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.idle.give_back(Arc::clone(&self.raw), self.writes);
    }
}
