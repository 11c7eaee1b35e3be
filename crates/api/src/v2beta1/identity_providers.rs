//! Identity providers, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::{
        CreateIdentityProviderRequest, GetIdentityProviderRequest, IdentityProvider, UpdateIdentityProviderRequest, rpc,
    },
};
use domain::{Ctx, Result, iam};
use services::{IdentityProviders, iam::identity_providers::IdentityProviderFilter};

use crate::{
    endpoint::{Endpoint, answer, on},
    list, mask,
    noun::{deletes, lists},
    uidp,
};

pub(crate) mod convert;
mod scim;

/// The RPCs of identity providers.
pub(crate) fn endpoints(providers: &IdentityProviders) -> Vec<Endpoint> {
    let nouns = vec![
        on(rpc::GetIdentityProvider, providers, get),
        lists(
            rpc::ListIdentityProviders,
            providers,
            |request, _| IdentityProviderFilter { name: list::filter(&request.name) },
            convert::to_wire,
        ),
        on(rpc::CreateIdentityProvider, providers, create),
        on(rpc::UpdateIdentityProvider, providers, update),
        deletes(rpc::DeleteIdentityProvider, providers),
    ];
    [nouns, scim::endpoints(providers)].concat()
}

/// An identity provider with its SCIM access.
fn whole(providers: &IdentityProviders, ctx: &Ctx, provider: &iam::IdentityProvider) -> Reply<IdentityProvider> {
    answer(ctx, provider, |provider| IdentityProvider {
        scim: scim::to_wire(providers, ctx, provider),
        ..convert::to_wire(provider)
    })
}

async fn get(
    providers: Arc<IdentityProviders>,
    ctx: Arc<Ctx>,
    request: GetIdentityProviderRequest,
) -> Result<Reply<IdentityProvider>> {
    let found = providers.get(&ctx, &uidp::one("uid", &request.uid)?).await?;
    Ok(whole(&providers, &ctx, &found))
}

async fn create(
    providers: Arc<IdentityProviders>,
    ctx: Arc<Ctx>,
    request: CreateIdentityProviderRequest,
) -> Result<Reply<IdentityProvider>> {
    let parent = uidp::one("parent", &request.parent)?;
    let provider = contract::mask::writable(&request.identity_provider.unwrap_or_default());
    let secret = convert::secret(&provider);
    let made = providers.create(&ctx, &parent, convert::spec_from_wire(provider)?, secret).await?;
    Ok(answer(&ctx, &made, convert::to_wire))
}

async fn update(
    providers: Arc<IdentityProviders>,
    ctx: Arc<Ctx>,
    request: UpdateIdentityProviderRequest,
) -> Result<Reply<IdentityProvider>> {
    let wished = request.identity_provider.unwrap_or_default();
    let uid = uidp::one("uid", &wished.uid)?;
    let secret = convert::secret_change(&wished, request.update_mask.as_ref());
    let current = convert::current_to_wire(&wished);
    let patch = mask::patch(wished, request.update_mask, current, convert::spec_from_wire);
    let changed = providers.update(&ctx, &uid, patch, secret).await?;
    Ok(whole(&providers, &ctx, &changed))
}
