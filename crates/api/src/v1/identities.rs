//! Identities, v1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::{self as wire, CreateIdentityRequest, IdentityFilter, IdentityList, LookupRequest, rpc},
};
use domain::{Ctx, Patch, Result, Violations, iam::IdentitySpec};
use services::{
    Identities,
    iam::identities::{self, KeyLife},
};

use crate::{
    endpoint::{Endpoint, naming, on},
    list,
    noun::{deletes, lists_whole},
    relationship::answer,
    uidp,
};

pub(crate) mod convert;
mod relationship;

/// A month.
const KEYS: KeyLife = KeyLife { days: 30 };

/// The RPCs of identities.
pub(crate) fn endpoints(identities: &Identities) -> Vec<Endpoint> {
    vec![
        naming(convert::name, rpc::IdentitiesCreate, identities, create),
        naming(convert::name, rpc::IdentitiesUpdate, identities, update),
        lists_whole(rpc::IdentitiesList, identities, part, convert::to_wire, |items| IdentityList { items }),
        on(rpc::Lookup, identities, lookup),
        deletes(rpc::IdentitiesDelete, identities),
    ]
}

async fn create(identities: Arc<Identities>, ctx: Arc<Ctx>, request: CreateIdentityRequest) -> Result<Reply<wire::Identity>> {
    let parent = uidp::one("parent_id", &request.parent_id)?;
    let spec = convert::spec_from_wire(request.identity.unwrap_or_default())?;
    Ok(answer(&ctx, &identities, &identities.create(&ctx, &parent, spec, KEYS).await?, convert::to_wire))
}

async fn update(identities: Arc<Identities>, ctx: Arc<Ctx>, identity: wire::Identity) -> Result<Reply<wire::Identity>> {
    let uid = uidp::one("id", &identity.id)?;
    let spec = convert::spec_from_wire(identity)?;
    // The company is unknown to this version, and stays.
    let patch: Patch<IdentitySpec> =
        Arc::new(move |current| Ok(IdentitySpec { company: current.company.clone(), ..spec.clone() }));
    Ok(answer(&ctx, &identities, &identities.update(&ctx, &uid, patch, KEYS).await?, convert::to_wire))
}

fn part(request: IdentityFilter) -> Result<list::Asked<identities::IdentityFilter>> {
    let part = list::part(request.uidp, &request.id, Violations::default())?;
    Ok((part, identities::IdentityFilter::default()))
}

async fn lookup(identities: Arc<Identities>, ctx: Arc<Ctx>, request: LookupRequest) -> Result<wire::Identity> {
    let identity = identities.find(&ctx, &request.issuer, &request.subject).await?;
    let found = convert::to_wire(&identity);
    if ctx.caller()?.identity == identity.uid {
        return Ok(found);
    }
    // Others learn which identity it is, and of the user nothing that they have not said themselves.
    Ok(wire::Identity { id: found.id, relationship: found.relationship, ..wire::Identity::default() })
}
