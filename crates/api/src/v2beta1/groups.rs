//! Groups, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::{
        CheckEligibilityRequest, CheckEligibilityResponse, CreateGroupRequest, Group, LookupGroupRequest, LookupGroupResponse,
        UpdateGroupRequest, rpc,
    },
};
use domain::{Ctx, Result, Violations};
use services::{Groups, iam::groups::GroupFilter};

use crate::{
    endpoint::{Endpoint, answer, on},
    list, mask,
    noun::{deletes, gets, lists},
    uidp,
};

pub(crate) mod convert;

/// The RPCs of groups.
pub(crate) fn endpoints(groups: &Groups) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetGroup, groups, |request| &request.uid, convert::to_wire),
        lists(rpc::ListGroups, groups, |request, _| GroupFilter { name: list::filter(&request.name) }, convert::to_wire),
        on(rpc::CreateGroup, groups, create),
        on(rpc::UpdateGroup, groups, update),
        deletes(rpc::DeleteGroup, groups),
        on(rpc::LookupGroup, groups, lookup),
        on(rpc::CheckEligibility, groups, check_eligibility),
    ]
}

async fn lookup(groups: Arc<Groups>, ctx: Arc<Ctx>, _: LookupGroupRequest) -> Result<LookupGroupResponse> {
    Ok(LookupGroupResponse { group: Some(convert::to_wire(&groups.lookup(&ctx).await?)) })
}

async fn check_eligibility(groups: Arc<Groups>, ctx: Arc<Ctx>, _: CheckEligibilityRequest) -> Result<CheckEligibilityResponse> {
    Ok(CheckEligibilityResponse { eligible: groups.may_create_organization(&ctx) })
}

async fn create(groups: Arc<Groups>, ctx: Arc<Ctx>, request: CreateGroupRequest) -> Result<Reply<Group>> {
    let mut violations = Violations::default();
    let parent = uidp::optional("parent", &request.parent, &mut violations);
    violations.check()?;
    let spec = convert::spec_from_wire(contract::mask::writable(&request.group.unwrap_or_default()))?;
    Ok(answer(&ctx, &groups.create(&ctx, parent.as_ref(), spec).await?, convert::to_wire))
}

async fn update(groups: Arc<Groups>, ctx: Arc<Ctx>, request: UpdateGroupRequest) -> Result<Reply<Group>> {
    let group = request.group.unwrap_or_default();
    let uid = uidp::one("uid", &group.uid)?;
    let patch = mask::patch(group, request.update_mask, convert::spec_to_wire, convert::spec_from_wire);
    Ok(answer(&ctx, &groups.update(&ctx, &uid, patch).await?, convert::to_wire))
}
