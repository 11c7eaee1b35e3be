//! Access requests.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::RoleBinding,
    provost::iam::v1::{self as wire, GrantAccessRequestRequest, RefuseAccessRequestRequest, rpc},
};
use domain::{Ctx, Result, Violations, iam::AccessRequest};
use services::{AccessRequests, iam::access_requests::AccessRequestFilter};

use crate::{
    endpoint::{Endpoint, answer, naming},
    noun::{gets, lists},
    time, uidp,
    v2beta1::role_bindings,
};

/// The RPCs of access requests.
pub(crate) fn endpoints(requests: &AccessRequests) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetAccessRequest, requests, |request| &request.uid, to_wire),
        lists(rpc::ListAccessRequests, requests, |_, _| AccessRequestFilter, to_wire),
        naming(name, rpc::GrantAccessRequest, requests, grant),
        naming(name, rpc::RefuseAccessRequest, requests, refuse),
    ]
}

async fn grant(requests: Arc<AccessRequests>, ctx: Arc<Ctx>, request: GrantAccessRequestRequest) -> Result<Reply<RoleBinding>> {
    let mut violations = Violations::default();
    let uid = uidp::parse("uid", &request.uid, &mut violations);
    let role = uidp::parse("role_uid", &request.role_uid, &mut violations);
    let (uid, role) = violations.finish(uid.zip(role))?;
    Ok(answer(&ctx, &requests.grant(&ctx, &uid, role).await?, role_bindings::convert::to_wire))
}

async fn refuse(
    requests: Arc<AccessRequests>,
    ctx: Arc<Ctx>,
    request: RefuseAccessRequestRequest,
) -> Result<Reply<wire::AccessRequest>> {
    Ok(answer(&ctx, &requests.refuse(&ctx, &uidp::one("uid", &request.uid)?).await?, to_wire))
}

fn to_wire(request: &AccessRequest) -> wire::AccessRequest {
    wire::AccessRequest {
        uid: request.uid.to_string(),
        identity_uid: request.identity.to_string(),
        email: request.email.clone(),
        create_time: Some(time::to_wire(request.created_at)),
        refuse_time: request.refused_at.map(time::to_wire),
    }
}

/// What a field of a binding is called here.
fn name(path: &str) -> Option<String> {
    (path == "role").then(|| "role_uid".to_owned())
}
