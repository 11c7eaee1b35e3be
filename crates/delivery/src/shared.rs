//! What all turns of a node share.

use std::sync::{Arc, atomic::AtomicBool};

use domain::{Clock, Ctx, Entropy, ports::RenderEvent};
use store::Store;
use sts::Webhooks;

use crate::{Settings, metrics::Metrics};

/// What turns share.
pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) webhooks: Webhooks,
    pub(crate) renderer: Arc<dyn RenderEvent>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) settings: Settings,
    pub(crate) base_url: String,
    pub(crate) node: String,
    pub(crate) metrics: Metrics,
    pub(crate) stopping: AtomicBool,
}

impl Inner {
    /// The context of what it does.
    pub(crate) fn ctx(&self) -> Ctx {
        Ctx::system("deliver events", self.clock.now(), Arc::clone(&self.entropy))
    }
}
