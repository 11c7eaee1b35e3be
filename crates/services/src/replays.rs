//! The answers of idempotent requests, kept for 24 hours.

use async_trait::async_trait;
use domain::{
    Ctx, Result, Timestamp,
    ctx::IdempotencyClaim,
    ports::{Replay, Replays},
};
use store::{Store, idempotency};

/// Remembers answers in the store.
#[derive(Clone, Debug)]
pub struct ReplayStore {
    store: Store,
}

impl ReplayStore {
    /// Over `store`.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store }
    }
}

#[async_trait]
impl Replays for ReplayStore {
    async fn find(&self, claim: &IdempotencyClaim, now: Timestamp) -> Result<Option<Replay>> {
        let mut reader = self.store.reader().await?;
        idempotency::find(&mut reader, claim, now).await
    }

    async fn save(&self, ctx: &Ctx, claim: &IdempotencyClaim, answer: Replay) -> Result<()> {
        self.store.save_answer(ctx, claim, answer).await
    }
}
