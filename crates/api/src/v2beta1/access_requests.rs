//! Access requests, v2beta1: making them.

use std::sync::Arc;

use contract::chainguard::platform::iam::v2beta1::{RequestGroupAccessRequest, RequestGroupAccessResponse, rpc};
use domain::{Ctx, Result};
use services::AccessRequests;

use crate::{
    endpoint::{Endpoint, on},
    uidp,
};

/// The RPC that makes access requests.
pub(crate) fn endpoints(requests: &AccessRequests) -> Vec<Endpoint> {
    vec![on(rpc::RequestGroupAccess, requests, ask)]
}

async fn ask(
    requests: Arc<AccessRequests>,
    ctx: Arc<Ctx>,
    request: RequestGroupAccessRequest,
) -> Result<RequestGroupAccessResponse> {
    requests.ask(&ctx, &uidp::one("group_uid", &request.group_uid)?).await?;
    Ok(RequestGroupAccessResponse {})
}
