//! Another key-encryption key, while servers run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use services::iam::identity_providers::renew_all;
use store::chain::REKEY;
use sts::keys::NextKey;

use super::Failure;
use crate::Core;

/// What has changed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rekeyed {
    /// The name of the new key.
    pub key: String,
    /// Its file, as long as it is only prepared.
    pub file: Option<PathBuf>,
    /// Client secrets that were encrypted anew.
    pub client_secrets: u64,
}

pub(super) async fn perform(core: &Core, prepare: bool, asked_by: &str) -> Result<Rekeyed, Failure> {
    let ctx = core.operators().ctx(REKEY, asked_by)?;
    if prepare {
        let NextKey { file, id } = core.signing.prepare_key(&ctx).await?;
        return Ok(Rekeyed { key: id.to_string(), file: Some(file), client_secrets: 0 });
    }
    // Nobody else can have SQLite's database.
    if core.store.engine() == "postgresql" && !core.signing.has_next_key()? {
        let message = "other servers of this database would not have the new key: make it with --prepare, copy it to each of them, then run this again";
        return Err(Failure::usage(message));
    }
    let key = core.signing.change_key(&ctx).await?;
    let client_secrets = renew_all(&core.store, &*core.sealer(), &ctx).await?;
    tracing::warn!(asked_by, %key, client_secrets, "the key-encryption key was changed");
    Ok(Rekeyed { key: key.to_string(), file: None, client_secrets })
}
