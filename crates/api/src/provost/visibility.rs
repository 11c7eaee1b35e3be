//! What everybody may see without logging in.

use std::sync::Arc;

use contract::{
    Reply,
    provost::registry::v1::{
        GetGroupVisibilityRequest, GetRepoVisibilityRequest, SetGroupVisibilityRequest, SetRepoVisibilityRequest,
        Visibility as Wire, rpc,
    },
};
use domain::{Ctx, Result, iam::Group, registry::Repo};
use services::{Visibilities, registry::visibility::Visibility};

use crate::{
    endpoint::{Endpoint, answer, on},
    uidp,
};

/// The RPCs of what is public.
pub(crate) fn endpoints(visibilities: &Visibilities) -> Vec<Endpoint> {
    vec![
        on(rpc::GetRepoVisibility, visibilities, get_repo),
        on(rpc::SetRepoVisibility, visibilities, set_repo),
        on(rpc::GetGroupVisibility, visibilities, get_group),
        on(rpc::SetGroupVisibility, visibilities, set_group),
    ]
}

async fn get_repo(visibilities: Arc<Visibilities>, ctx: Arc<Ctx>, request: GetRepoVisibilityRequest) -> Result<Reply<Wire>> {
    Ok(answer(&ctx, &visibilities.get::<Repo>(&uidp::one("uid", &request.uid)?).await?, to_wire))
}

async fn set_repo(visibilities: Arc<Visibilities>, ctx: Arc<Ctx>, request: SetRepoVisibilityRequest) -> Result<Reply<Wire>> {
    let uid = uidp::one("uid", &request.uid)?;
    Ok(answer(&ctx, &visibilities.set::<Repo>(&ctx, &uid, request.public).await?, to_wire))
}

async fn get_group(visibilities: Arc<Visibilities>, ctx: Arc<Ctx>, request: GetGroupVisibilityRequest) -> Result<Reply<Wire>> {
    Ok(answer(&ctx, &visibilities.get::<Group>(&uidp::one("uid", &request.uid)?).await?, to_wire))
}

async fn set_group(visibilities: Arc<Visibilities>, ctx: Arc<Ctx>, request: SetGroupVisibilityRequest) -> Result<Reply<Wire>> {
    let uid = uidp::one("uid", &request.uid)?;
    Ok(answer(&ctx, &visibilities.set::<Group>(&ctx, &uid, request.public).await?, to_wire))
}

fn to_wire(visibility: &Visibility) -> Wire {
    let public_by = visibility.public_by.as_ref().map(ToString::to_string).unwrap_or_default();
    Wire { uid: visibility.uid.to_string(), public: visibility.public, public_by }
}
