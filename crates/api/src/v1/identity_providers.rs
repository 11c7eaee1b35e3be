//! Identity providers, v1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::{
        CreateIdentityProviderRequest, IdentityProvider, IdentityProviderFilter, IdentityProviderList, rpc,
    },
};
use domain::{Ctx, Result, Violations};
use services::{
    IdentityProviders,
    iam::identity_providers::{self, SecretChange},
};

use crate::{
    endpoint::{Endpoint, answer, naming, on},
    list, mask,
    noun::{deletes, lists_whole},
    uidp,
};

pub(crate) mod convert;
mod scim;

/// The RPCs of identity providers.
pub(crate) fn endpoints(providers: &IdentityProviders) -> Vec<Endpoint> {
    let nouns = vec![
        naming(super::parent_id, rpc::IdentityProvidersCreate, providers, create),
        on(rpc::IdentityProvidersUpdate, providers, update),
        lists_whole(rpc::IdentityProvidersList, providers, part, convert::to_wire, |items| IdentityProviderList { items }),
        deletes(rpc::IdentityProvidersDelete, providers),
    ];
    [nouns, scim::endpoints(providers)].concat()
}

async fn create(
    providers: Arc<IdentityProviders>,
    ctx: Arc<Ctx>,
    request: CreateIdentityProviderRequest,
) -> Result<Reply<IdentityProvider>> {
    let parent = uidp::one("parent_id", &request.parent_id)?;
    let provider = request.identity_provider.unwrap_or_default();
    let secret = convert::secret(&provider);
    let made = providers.create(&ctx, &parent, convert::spec_from_wire(provider)?, secret).await?;
    Ok(answer(&ctx, &made, convert::to_wire))
}

/// All is replaced but a secret that the request does not have.
async fn update(providers: Arc<IdentityProviders>, ctx: Arc<Ctx>, provider: IdentityProvider) -> Result<Reply<IdentityProvider>> {
    let uid = uidp::one("id", &provider.id)?;
    let secret = convert::secret(&provider).map_or(SecretChange::Keep, SecretChange::Set);
    let patch = mask::replace(convert::spec_from_wire(provider)?);
    let changed = providers.update(&ctx, &uid, patch, secret).await?;
    let with_scim =
        |changed: &_| IdentityProvider { scim: scim::to_wire(&providers, &ctx, changed), ..convert::to_wire(changed) };
    Ok(answer(&ctx, &changed, with_scim))
}

fn part(request: IdentityProviderFilter) -> Result<list::Asked<identity_providers::IdentityProviderFilter>> {
    let part = list::part(request.uidp, &request.id, Violations::default())?;
    Ok((part, identity_providers::IdentityProviderFilter { name: list::filter(&request.name) }))
}
