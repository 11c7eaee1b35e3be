//! How much organizations may have.

use std::sync::Arc;

use contract::{
    Reply,
    provost::iam::v1::{GetResourceLimitsRequest, ResourceLimits as Wire, SetResourceLimitsRequest, rpc},
};
use domain::{Ctx, Result, Violations, iam::ResourceLimits};
use services::{Groups, iam::groups::Limited};

use crate::{
    endpoint::{Endpoint, answer, on},
    uidp,
    v2beta1::groups::convert::limits_to_wire,
};

/// The RPCs of resource limits.
pub(crate) fn endpoints(groups: &Groups) -> Vec<Endpoint> {
    vec![on(rpc::GetResourceLimits, groups, get), on(rpc::SetResourceLimits, groups, set)]
}

async fn get(groups: Arc<Groups>, ctx: Arc<Ctx>, request: GetResourceLimitsRequest) -> Result<Reply<Wire>> {
    Ok(answer(&ctx, &groups.limits(&uidp::one("uid", &request.uid)?).await?, to_wire))
}

async fn set(groups: Arc<Groups>, ctx: Arc<Ctx>, request: SetResourceLimitsRequest) -> Result<Reply<Wire>> {
    let mut violations = Violations::default();
    let uid = uidp::parse("uid", &request.uid, &mut violations);
    let limits = ResourceLimits::parse("limits", request.limits, &mut violations);
    let (uid, limits) = violations.finish(uid.zip(limits))?;
    Ok(answer(&ctx, &groups.limit(&ctx, &uid, limits).await?, to_wire))
}

fn to_wire(limited: &Limited) -> Wire {
    let used = |(name, used): &(&str, u64)| ((*name).to_owned(), i64::try_from(*used).unwrap_or(i64::MAX));
    Wire { uid: limited.uid.to_string(), limits: limits_to_wire(&limited.limits), used: limited.used.iter().map(used).collect() }
}
