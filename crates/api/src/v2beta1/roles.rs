//! Roles, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::{CreateRoleRequest, Role, UpdateRoleRequest, rpc},
};
use domain::{Ctx, Result};
use services::{Roles, iam::roles::RoleFilter};

use crate::{
    endpoint::{Endpoint, answer, on},
    list, mask,
    noun::{deletes, gets, lists},
    uidp,
};

pub(crate) mod convert;

/// The RPCs of roles.
pub(crate) fn endpoints(roles: &Roles) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetRole, roles, |request| &request.uid, convert::to_wire),
        lists(rpc::ListRoles, roles, |request, _| RoleFilter { name: list::filter(&request.name) }, convert::to_wire),
        on(rpc::CreateRole, roles, create),
        on(rpc::UpdateRole, roles, update),
        deletes(rpc::DeleteRole, roles),
    ]
}

async fn create(roles: Arc<Roles>, ctx: Arc<Ctx>, request: CreateRoleRequest) -> Result<Reply<Role>> {
    let parent = uidp::one("parent", &request.parent)?;
    let spec = convert::spec_from_wire(contract::mask::writable(&request.role.unwrap_or_default()))?;
    Ok(answer(&ctx, &roles.create(&ctx, &parent, spec).await?, convert::to_wire))
}

async fn update(roles: Arc<Roles>, ctx: Arc<Ctx>, request: UpdateRoleRequest) -> Result<Reply<Role>> {
    let role = request.role.unwrap_or_default();
    let uid = uidp::one("uid", &role.uid)?;
    let patch = mask::patch(role, request.update_mask, convert::spec_to_wire, convert::spec_from_wire);
    Ok(answer(&ctx, &roles.update(&ctx, &uid, patch).await?, convert::to_wire))
}
