//! `provost auth delete-account`

use client::Client;
use contract::chainguard::platform::auth::{DeletionRequest, rpc::Delete};

use crate::{claims::Claims, confirm::confirm, exit::Failure, global::Global, session, token_cache::TokenCache};

/// Deletes the caller's own user, and forgets its token.
pub(super) async fn run(global: &Global) -> Result<(), Failure> {
    let token = session::token(global).await?;
    let id = Claims::read(&token).map(|claims| claims.sub).unwrap_or_default();
    if !global.yes {
        confirm(global, &format!("delete your account {id} with all its role bindings"))?;
    }
    Client::connect(&global.api, Some(token)).await?.call::<Delete>(DeletionRequest { id: id.clone() }).await?;
    TokenCache::of(&global.audience)?.remove()?;
    global.output.deleted(&id)
}
