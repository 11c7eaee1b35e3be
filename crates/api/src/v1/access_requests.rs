//! Access requests, v1: making them.

use std::sync::Arc;

use contract::chainguard::platform::iam::{RequestGroupAccessRequest, RequestGroupAccessResponse, rpc};
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
    requests.ask(&ctx, &uidp::one("group_id", &request.group_id)?).await?;
    Ok(RequestGroupAccessResponse {})
}
