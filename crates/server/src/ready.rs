//! What `/readyz` asks.

use async_trait::async_trait;
use domain::{
    Error,
    ports::{Fitness, Ready},
};
use store::Store;

/// The store, as a part without which the server is not ready.
#[derive(Debug)]
pub(super) struct StoreReady(pub(super) Store);

#[async_trait]
impl Ready for StoreReady {
    fn name(&self) -> &'static str {
        "store"
    }

    async fn check(&self) -> Result<Fitness, Error> {
        let stalled = self.0.ping().await?;
        Ok(stalled
            .map_or(Fitness::Well, |waited| Fitness::Degraded(format!("writes have been waiting for {} s", waited.as_secs()))))
    }
}
