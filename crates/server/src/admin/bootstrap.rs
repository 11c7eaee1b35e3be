//! The first organization and its owner, outside development mode.

use serde::{Deserialize, Serialize};
use services::{Bootstrap, bootstrap::Seed};
use sts::{RelationshipCheck, Workers};

use super::Failure;
use crate::Core;

/// What to make.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Wish {
    /// The organization's name.
    pub organization: String,
    /// The issuer of the owner's tokens.
    pub issuer: String,
    /// The owner's subject there.
    pub subject: String,
    /// The owner's address.
    pub email: Option<String>,
}

/// What there is now.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Made {
    /// Whether it was made now; `false` when it was there.
    pub new: bool,
    /// The organization's UID.
    pub organization: String,
    /// The organization's name.
    pub organization_name: String,
    /// The owner's UID.
    pub identity: String,
    /// The owner's name.
    pub identity_name: String,
    /// The UID of the binding that makes the owner one.
    pub role_binding: String,
    /// Whether the user may log in without naming the identity.
    pub issuer_is_provider: bool,
    /// The server's URL, when one is known.
    pub base_url: String,
}

pub(super) async fn perform(core: &Core, wish: Wish, asked_by: &str) -> Result<Made, Failure> {
    let ctx = core.operators().ctx("admin bootstrap", asked_by)?;
    let rules = RelationshipCheck::new(&core.sts, Workers::new(&core.sts));
    let seed = Seed::parse(&wish.organization, wish.issuer, wish.subject, wish.email, ctx.now, &rules).await?;
    let issuer_is_provider = core.sts.providers.iter().any(|provider| provider.issuer == seed.issuer);
    let bootstrap = Bootstrap::new(core.store.clone());
    // No server may have run on this data yet.
    bootstrap.built_in_roles(&core.system("update built-in roles")).await?;
    let (seeded, new) = bootstrap.organization_once(&ctx, seed).await?;
    Ok(Made {
        new,
        organization: seeded.organization.uid.to_string(),
        organization_name: seeded.organization.spec.name.to_string(),
        identity: seeded.owner.uid.to_string(),
        identity_name: seeded.owner.spec.name.to_string(),
        role_binding: seeded.binding.uid.to_string(),
        issuer_is_provider,
        base_url: core.sts.base_url.clone(),
    })
}
