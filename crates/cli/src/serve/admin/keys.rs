//! The signing keys: which there are, and new ones.

use serde::{Deserialize, Serialize};
use sts::keys::{KeyInfo, Rotation};

use crate::{exit::Failure, output::time, serve::Core};

/// A key, as it is told to operators. Times are RFC 3339.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) id: String,
    pub(crate) algorithm: String,
    pub(crate) state: String,
    pub(crate) created_at: String,
    pub(crate) signs_from: String,
    pub(crate) signs_until: Option<String>,
    pub(crate) published_until: Option<String>,
}

impl From<KeyInfo> for Key {
    fn from(key: KeyInfo) -> Self {
        Self {
            id: key.key_id,
            algorithm: key.algorithm,
            state: key.state.as_str().to_owned(),
            created_at: time::text(key.created_at),
            signs_from: time::text(key.signs_from),
            signs_until: key.signs_until.map(time::text),
            published_until: key.verifies_until.map(time::text),
        }
    }
}

pub(super) async fn list(core: &Core) -> Result<Vec<Key>, Failure> {
    Ok(core.signing.list(core.clock.now()).await?.into_iter().map(Key::from).collect())
}

pub(super) async fn rotate(core: &Core, at_once: bool, asked_by: &str) -> Result<Vec<Key>, Failure> {
    let ctx = core.operators().ctx("admin rotate-keys", asked_by)?;
    let key = core.signing.rotate(&ctx, if at_once { Rotation::Now } else { Rotation::Planned }).await?;
    tracing::info!(kid = key.key_id, signs_from = %time::text(key.signs_from), "signing keys rotated");
    list(core).await
}
