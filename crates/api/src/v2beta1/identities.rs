//! Identities, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::{
        CreateIdentityRequest, Identity, ListIdentitiesRequest, LookupIdentityRequest, LookupIdentityResponse,
        UpdateIdentityRequest, rpc,
    },
};
use domain::{Ctx, Result, Violations};
use services::{
    Identities,
    iam::identities::{IdentityFilter, KeyLife},
};

use crate::{
    endpoint::{Endpoint, naming, on},
    list, mask,
    noun::{deletes, gets, lists},
    relationship::answer,
    uidp,
};

pub(crate) mod convert;
mod relationship;

/// A year.
const KEYS: KeyLife = KeyLife { days: 365 };

/// The RPCs of identities.
pub(crate) fn endpoints(identities: &Identities) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetIdentity, identities, |request| &request.uid, convert::to_wire),
        lists(rpc::ListIdentities, identities, filter, convert::to_wire),
        naming(convert::name, rpc::CreateIdentity, identities, create),
        naming(convert::name, rpc::UpdateIdentity, identities, update),
        deletes(rpc::DeleteIdentity, identities),
        on(rpc::LookupIdentity, identities, lookup),
    ]
}

fn filter(request: &ListIdentitiesRequest, violations: &mut Violations) -> IdentityFilter {
    let relationship_type = convert::type_from_wire(request.relationship_type, violations);
    IdentityFilter { name: list::filter(&request.name), relationship_type }
}

async fn create(identities: Arc<Identities>, ctx: Arc<Ctx>, request: CreateIdentityRequest) -> Result<Reply<Identity>> {
    let parent = uidp::one("parent", &request.parent)?;
    let spec = convert::spec_from_wire(contract::mask::writable(&request.identity.unwrap_or_default()))?;
    Ok(answer(&ctx, &identities, &identities.create(&ctx, &parent, spec, KEYS).await?, convert::to_wire))
}

async fn update(identities: Arc<Identities>, ctx: Arc<Ctx>, request: UpdateIdentityRequest) -> Result<Reply<Identity>> {
    let identity = request.identity.unwrap_or_default();
    let uid = uidp::one("uid", &identity.uid)?;
    let patch = mask::patch(identity, request.update_mask, convert::spec_to_wire, convert::spec_from_wire);
    Ok(answer(&ctx, &identities, &identities.update(&ctx, &uid, patch, KEYS).await?, convert::to_wire))
}

async fn lookup(identities: Arc<Identities>, ctx: Arc<Ctx>, request: LookupIdentityRequest) -> Result<LookupIdentityResponse> {
    let uid = identities.lookup(&ctx, &request.issuer, &request.subject)?;
    Ok(LookupIdentityResponse { uid: uid.to_string() })
}
