//! `provost auth delete-account`

use clap::Args;
use contract::chainguard::platform::auth::{DeletionRequest, rpc::Delete};

use crate::{
    claims::Claims, commands::iam::Force, confirm::confirm, exit::Failure, global::Global, owners, session,
    token_cache::TokenCache,
};

#[derive(Debug, Args)]
pub(crate) struct DeleteAccount {
    #[command(flatten)]
    force: Force,
}

impl DeleteAccount {
    /// Deletes the caller's own user, and forgets its token.
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let token = session::token(global).await?;
        let id = Claims::read(&token).map(|claims| claims.sub).unwrap_or_default();
        let client = session::api(global, token).await?;
        self.force.or_spare(&client, owners::bindings_of(&client, &id)).await?;
        if global.is_to_confirm() {
            confirm(global, &format!("delete your account {id} with all its role bindings"))?;
        }
        client.call::<Delete>(DeletionRequest { id: id.clone() }).await?;
        if !global.dry_run {
            TokenCache::of(&global.audience)?.remove()?;
        }
        global.deleted(&id)
    }
}
