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
        if let Some(waited) = self.0.ping().await? {
            return Ok(Fitness::Degraded(format!("writes have been waiting for {} s", waited.as_secs())));
        }
        // Before the first write there is none either, and no codes.
        if self.0.is_headless().await? {
            return Ok(Fitness::Degraded("the audit log has lost its head: run `provost admin check`".to_owned()));
        }
        Ok(Fitness::Well)
    }
}
