//! Groups, v1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::{
        self as wire, CheckEligibilityRequest, CheckEligibilityResponse, CreateGroupRequest, GroupFilter, GroupList,
        LookupGroupRequest, LookupGroupResponse, rpc,
    },
};
use domain::{
    Ctx, Description, Name, Result, Violations,
    iam::{Group, GroupSpec},
};
use services::{Groups, iam::groups};

use crate::{
    endpoint::{Endpoint, answer, on},
    list, mask, mirror,
    noun::{deletes, lists_whole},
    uidp,
    v2beta1::groups::convert::limits_to_wire,
};

/// The RPCs of groups.
pub(crate) fn endpoints(groups: &Groups) -> Vec<Endpoint> {
    vec![
        on(rpc::GroupsCreate, groups, create),
        on(rpc::GroupsUpdate, groups, update),
        lists_whole(rpc::GroupsList, groups, part, to_wire, |items| GroupList { items }),
        deletes(rpc::GroupsDelete, groups),
        on(rpc::LookupGroup, groups, lookup),
        on(rpc::CheckEligibility, groups, check_eligibility),
    ]
}

async fn lookup(groups: Arc<Groups>, ctx: Arc<Ctx>, _: LookupGroupRequest) -> Result<LookupGroupResponse> {
    Ok(LookupGroupResponse { group: Some(to_wire(&groups.lookup(&ctx).await?)) })
}

async fn check_eligibility(groups: Arc<Groups>, ctx: Arc<Ctx>, _: CheckEligibilityRequest) -> Result<CheckEligibilityResponse> {
    Ok(CheckEligibilityResponse { eligible: groups.may_create_organization(&ctx) })
}

async fn create(groups: Arc<Groups>, ctx: Arc<Ctx>, request: CreateGroupRequest) -> Result<Reply<wire::Group>> {
    let mut violations = Violations::default();
    let parent = uidp::optional("parent", &request.parent, &mut violations);
    violations.check()?;
    let spec = spec_from_wire(&request.group.unwrap_or_default())?;
    Ok(answer(&ctx, &groups.create(&ctx, parent.as_ref(), spec).await?, to_wire))
}

async fn update(groups: Arc<Groups>, ctx: Arc<Ctx>, group: wire::Group) -> Result<Reply<wire::Group>> {
    let uid = uidp::one("id", &group.id)?;
    Ok(answer(&ctx, &groups.update(&ctx, &uid, mask::replace(spec_from_wire(&group)?)).await?, to_wire))
}

fn part(request: GroupFilter) -> Result<list::Asked<groups::GroupFilter>> {
    let part = list::part(request.uidp, &request.id, Violations::default())?;
    Ok((part, groups::GroupFilter { name: list::filter(&request.name) }))
}

/// A group for an answer.
pub(crate) fn to_wire(group: &Group) -> wire::Group {
    wire::Group {
        id: group.uid.to_string(),
        status: mirror::number::<wire::OrgStatus>(group.status),
        resource_limits: limits_to_wire(&group.resource_limits),
        ..spec_to_wire(&group.spec)
    }
}

/// What callers may set of a group; the rest is left empty.
fn spec_to_wire(spec: &GroupSpec) -> wire::Group {
    wire::Group {
        name: spec.name.to_string(),
        description: spec.description.to_string(),
        verified: spec.verified,
        kind: mirror::number::<wire::OrgKind>(spec.kind),
        ..wire::Group::default()
    }
}

/// What a request says that a group should be.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
fn spec_from_wire(group: &wire::Group) -> Result<GroupSpec> {
    let mut violations = Violations::default();
    let name = Name::parse("name", &group.name, &mut violations);
    let description = Description::parse("description", &group.description, &mut violations);
    let kind = mirror::known::<wire::OrgKind, _>("kind", group.kind, &mut violations);
    let spec = || Some(GroupSpec { name: name?, description: description?, verified: group.verified, kind: kind? });
    violations.finish(spec())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::group()) {
            prop_assert_eq!(spec_from_wire(&spec_to_wire(&spec)).ok(), Some(spec));
        }
    }
}
