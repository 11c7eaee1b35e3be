//! The signing keys: which there are, and new ones.

use serde::{Deserialize, Serialize};
use sts::keys::{KeyInfo, Rotation};

use super::Failure;
use crate::{Core, time};

/// A key, as it is told to operators. Times are RFC 3339.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Key {
    /// Its name in the header of tokens.
    pub id: String,
    /// What it signs with.
    pub algorithm: String,
    /// What it is there for now.
    pub state: String,
    /// When it was made.
    pub created_at: String,
    /// When it begins to sign.
    pub signs_from: String,
    /// When the next one signs, if there is one.
    pub signs_until: Option<String>,
    /// Until when tokens of it are good, if that is known.
    pub published_until: Option<String>,
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
