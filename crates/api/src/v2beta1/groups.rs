//! Groups, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::{
        CreateGroupRequest, DeleteGroupRequest, GetGroupRequest, Group, ListGroupsRequest, ListGroupsResponse,
        UpdateGroupRequest, rpc,
    },
};
use domain::{Ctx, Result, Violations};
use services::{Groups, iam::groups::GroupFilter};

use crate::{
    endpoint::{Endpoint, on, tagged},
    list, mask, uidp,
};

pub(crate) mod convert;

/// The RPCs of groups.
pub(crate) fn endpoints(groups: &Groups) -> Vec<Endpoint> {
    vec![
        on(rpc::GetGroup, groups, get),
        on(rpc::ListGroups, groups, list),
        on(rpc::CreateGroup, groups, create),
        on(rpc::UpdateGroup, groups, update),
        on(rpc::DeleteGroup, groups, delete),
    ]
}

async fn get(groups: Arc<Groups>, ctx: Arc<Ctx>, request: GetGroupRequest) -> Result<Reply<Group>> {
    Ok(answer(&groups.get(&ctx, &uidp::one("uid", &request.uid)?).await?))
}

async fn list(groups: Arc<Groups>, ctx: Arc<Ctx>, request: ListGroupsRequest) -> Result<ListGroupsResponse> {
    let filter = GroupFilter { name: list::filter(&request.name) };
    let page = groups.list(&ctx, list::parse(&request, Violations::default())?, filter).await?;
    Ok(list::answer(page, convert::to_wire))
}

async fn create(groups: Arc<Groups>, ctx: Arc<Ctx>, request: CreateGroupRequest) -> Result<Reply<Group>> {
    let mut violations = Violations::default();
    let parent = uidp::optional("parent", &request.parent, &mut violations);
    violations.check()?;
    let spec = convert::spec_from_wire(contract::mask::writable(&request.group.unwrap_or_default()))?;
    Ok(answer(&groups.create(&ctx, parent.as_ref(), spec).await?))
}

async fn update(groups: Arc<Groups>, ctx: Arc<Ctx>, request: UpdateGroupRequest) -> Result<Reply<Group>> {
    let group = request.group.unwrap_or_default();
    let uid = uidp::one("uid", &group.uid)?;
    let patch = mask::patch(group, request.update_mask, convert::spec_to_wire, convert::spec_from_wire);
    Ok(answer(&groups.update(&ctx, &uid, patch).await?))
}

async fn delete(groups: Arc<Groups>, ctx: Arc<Ctx>, request: DeleteGroupRequest) -> Result<()> {
    groups.delete(&ctx, &uidp::one("uid", &request.uid)?).await
}

/// The resource with its entity tag.
fn answer(group: &domain::iam::Group) -> Reply<Group> {
    tagged(convert::to_wire(group), group.revision)
}
