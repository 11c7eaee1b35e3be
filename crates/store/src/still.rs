//! A store for unit tests, where time stands still.

use std::sync::Arc;

use domain::{Clock, Entropy, Result, Timestamp};

use crate::{Store, StoreConfig};

#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }
}

impl Entropy for Still {
    fn fill(&self, bytes: &mut [u8]) -> Result<()> {
        bytes.fill(7);
        Ok(())
    }
}

pub(crate) async fn open(config: &StoreConfig) -> Store {
    Store::open(config, Arc::new(Still), Arc::new(Still)).await.expect("opens")
}
