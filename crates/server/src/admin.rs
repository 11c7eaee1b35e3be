//! What operators ask of a data folder. A running server does it when `provost admin` asks through its socket; without one
//! the command does the same by itself.

pub mod backup;
pub mod bootstrap;
pub mod check;
mod failure;
pub mod keys;
mod log_level;
pub mod protocol;
pub mod rekey;
pub mod seal;
pub mod socket;

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;

pub use self::failure::{Failure, Reason};
use self::protocol::{Request, Update};
use crate::Core;

/// Does what operators ask for.
#[derive(Debug)]
pub struct Admin {
    core: Core,
}

impl Admin {
    /// Works on what `core` has opened.
    #[must_use]
    pub fn new(core: Core) -> Self {
        Self { core }
    }

    /// Does what is asked, for the system's user `asked_by`, whom the audit log keeps. What is known before the outcome goes
    /// to `updates`; the work may stop when nobody receives them any more.
    ///
    /// # Errors
    /// What the command is to print and exit with.
    pub async fn perform(&self, request: Request, asked_by: &str, updates: mpsc::Sender<Update>) -> Result<Value, Failure> {
        match request {
            Request::Token { ttl_seconds } => value(&self.token(Duration::from_secs(ttl_seconds), asked_by).await?),
            Request::Bootstrap(wish) => value(&bootstrap::perform(&self.core, wish, asked_by).await?),
            Request::Keys => value(&keys::list(&self.core).await?),
            Request::LogLevel { filter, seconds } => value(&log_level::perform(filter.as_deref(), seconds, asked_by)?),
            Request::Backup => value(&backup::perform(&self.core, asked_by, updates).await?),
            Request::Check { kept_head } => value(&check::perform(&self.core.store, kept_head, updates).await?),
            Request::Seal => value(&seal::perform(&self.core, asked_by).await?),
            Request::Rekey { prepare } => value(&rekey::perform(&self.core, prepare, asked_by).await?),
            Request::RotateKeys { at_once } => value(&keys::rotate(&self.core, at_once, asked_by).await?),
        }
    }

    async fn token(&self, ttl: Duration, asked_by: &str) -> Result<String, Failure> {
        Ok(self.core.operators().token(ttl, asked_by).await?.expose().clone())
    }
}

fn value<T: Serialize>(answer: &T) -> Result<Value, Failure> {
    serde_json::to_value(answer).map_err(|error| Failure::failed(error.to_string()))
}
