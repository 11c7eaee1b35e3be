//! Identities, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::{
        CreateIdentityRequest, DeleteIdentityRequest, GetIdentityRequest, Identity, ListIdentitiesRequest,
        ListIdentitiesResponse, LookupIdentityRequest, LookupIdentityResponse, UpdateIdentityRequest, rpc,
    },
};
use domain::{Ctx, Result, Violations};
use services::{
    Identities,
    iam::identities::{IdentityFilter, KeyLife},
};

use crate::{
    endpoint::{Endpoint, naming, on, tagged},
    list, mask, uidp,
};

pub(crate) mod convert;
mod relationship;

/// A year.
const KEYS: KeyLife = KeyLife { days: 365 };

/// The RPCs of identities.
pub(crate) fn endpoints(identities: &Identities) -> Vec<Endpoint> {
    vec![
        on(rpc::GetIdentity, identities, get),
        on(rpc::ListIdentities, identities, list),
        naming(convert::name, rpc::CreateIdentity, identities, create),
        naming(convert::name, rpc::UpdateIdentity, identities, update),
        on(rpc::DeleteIdentity, identities, delete),
        on(rpc::LookupIdentity, identities, lookup),
    ]
}

async fn get(identities: Arc<Identities>, ctx: Arc<Ctx>, request: GetIdentityRequest) -> Result<Reply<Identity>> {
    Ok(answer(&identities.get(&ctx, &uidp::one("uid", &request.uid)?).await?))
}

async fn list(identities: Arc<Identities>, ctx: Arc<Ctx>, request: ListIdentitiesRequest) -> Result<ListIdentitiesResponse> {
    let mut violations = Violations::default();
    let relationship_type = convert::type_from_wire(request.relationship_type, &mut violations);
    let filter = IdentityFilter { name: list::filter(&request.name), relationship_type };
    let page = identities.list(&ctx, list::parse(&request, violations)?, filter).await?;
    Ok(list::answer(page, convert::to_wire))
}

async fn create(identities: Arc<Identities>, ctx: Arc<Ctx>, request: CreateIdentityRequest) -> Result<Reply<Identity>> {
    let parent = uidp::one("parent", &request.parent)?;
    let spec = convert::spec_from_wire(contract::mask::writable(&request.identity.unwrap_or_default()))?;
    Ok(answer(&identities.create(&ctx, &parent, spec, KEYS).await?))
}

async fn update(identities: Arc<Identities>, ctx: Arc<Ctx>, request: UpdateIdentityRequest) -> Result<Reply<Identity>> {
    let identity = request.identity.unwrap_or_default();
    let uid = uidp::one("uid", &identity.uid)?;
    let patch = mask::patch(identity, request.update_mask, convert::spec_to_wire, convert::spec_from_wire);
    Ok(answer(&identities.update(&ctx, &uid, patch, KEYS).await?))
}

async fn delete(identities: Arc<Identities>, ctx: Arc<Ctx>, request: DeleteIdentityRequest) -> Result<()> {
    identities.delete(&ctx, &uidp::one("uid", &request.uid)?).await
}

async fn lookup(identities: Arc<Identities>, ctx: Arc<Ctx>, request: LookupIdentityRequest) -> Result<LookupIdentityResponse> {
    let uid = identities.lookup(&ctx, &request.issuer, &request.subject)?;
    Ok(LookupIdentityResponse { uid: uid.to_string() })
}

/// The resource with its entity tag.
fn answer(identity: &domain::iam::Identity) -> Reply<Identity> {
    tagged(convert::to_wire(identity), identity.revision)
}
