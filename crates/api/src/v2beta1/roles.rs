//! Roles, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::{
        CreateRoleRequest, DeleteRoleRequest, GetRoleRequest, ListRolesRequest, ListRolesResponse, Role, UpdateRoleRequest, rpc,
    },
};
use domain::{Ctx, Result, Violations};
use services::{Roles, iam::roles::RoleFilter};

use crate::{
    endpoint::{Endpoint, on, tagged},
    list, mask, uidp,
};

pub(crate) mod convert;

/// The RPCs of roles.
pub(crate) fn endpoints(roles: &Roles) -> Vec<Endpoint> {
    vec![
        on(rpc::GetRole, roles, get),
        on(rpc::ListRoles, roles, list),
        on(rpc::CreateRole, roles, create),
        on(rpc::UpdateRole, roles, update),
        on(rpc::DeleteRole, roles, delete),
    ]
}

async fn get(roles: Arc<Roles>, ctx: Arc<Ctx>, request: GetRoleRequest) -> Result<Reply<Role>> {
    Ok(answer(&roles.get(&ctx, &uidp::one("uid", &request.uid)?).await?))
}

async fn list(roles: Arc<Roles>, ctx: Arc<Ctx>, request: ListRolesRequest) -> Result<ListRolesResponse> {
    let filter = RoleFilter { name: list::filter(&request.name) };
    let page = roles.list(&ctx, list::parse(&request, Violations::default())?, filter).await?;
    Ok(list::answer(page, convert::to_wire))
}

async fn create(roles: Arc<Roles>, ctx: Arc<Ctx>, request: CreateRoleRequest) -> Result<Reply<Role>> {
    let parent = uidp::one("parent", &request.parent)?;
    let spec = convert::spec_from_wire(contract::mask::writable(&request.role.unwrap_or_default()))?;
    Ok(answer(&roles.create(&ctx, &parent, spec).await?))
}

async fn update(roles: Arc<Roles>, ctx: Arc<Ctx>, request: UpdateRoleRequest) -> Result<Reply<Role>> {
    let role = request.role.unwrap_or_default();
    let uid = uidp::one("uid", &role.uid)?;
    let patch = mask::patch(role, request.update_mask, convert::spec_to_wire, convert::spec_from_wire);
    Ok(answer(&roles.update(&ctx, &uid, patch).await?))
}

async fn delete(roles: Arc<Roles>, ctx: Arc<Ctx>, request: DeleteRoleRequest) -> Result<()> {
    roles.delete(&ctx, &uidp::one("uid", &request.uid)?).await
}

/// The resource with its entity tag.
fn answer(role: &domain::iam::Role) -> Reply<Role> {
    tagged(convert::to_wire(role), role.revision)
}
