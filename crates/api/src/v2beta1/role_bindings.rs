//! Role bindings, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::{
        BatchCreateRoleBindingsRequest, BatchCreateRoleBindingsResponse, CreateRoleBindingRequest, ListRoleBindingsRequest,
        RoleBinding, UpdateRoleBindingRequest, rpc,
    },
};
use domain::{Ctx, Result, Violations};
use services::{RoleBindings, iam::role_bindings::RoleBindingFilter};

use crate::{
    endpoint::{Endpoint, answer, naming},
    mask,
    noun::{deletes, gets, lists},
    uidp,
};

pub(crate) mod convert;

/// The RPCs of role bindings.
pub(crate) fn endpoints(bindings: &RoleBindings) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetRoleBinding, bindings, |request| &request.uid, convert::to_wire),
        lists(rpc::ListRoleBindings, bindings, filter, convert::to_wire),
        naming(convert::name, rpc::CreateRoleBinding, bindings, create),
        naming(convert::name, rpc::UpdateRoleBinding, bindings, update),
        deletes(rpc::DeleteRoleBinding, bindings),
        naming(convert::batch_name, rpc::BatchCreateRoleBindings, bindings, batch_create),
    ]
}

fn filter(request: &ListRoleBindingsRequest, violations: &mut Violations) -> RoleBindingFilter {
    RoleBindingFilter {
        identity: uidp::optional("identity", &request.identity, violations),
        group: uidp::optional("group", &request.group, violations),
        role: uidp::optional("role", &request.role, violations),
    }
}

async fn create(bindings: Arc<RoleBindings>, ctx: Arc<Ctx>, request: CreateRoleBindingRequest) -> Result<Reply<RoleBinding>> {
    let parent = uidp::one("parent", &request.parent)?;
    let spec = convert::spec_from_wire(contract::mask::writable(&request.role_binding.unwrap_or_default()))?;
    Ok(answer(&ctx, &bindings.create(&ctx, &parent, spec).await?, convert::to_wire))
}

async fn update(bindings: Arc<RoleBindings>, ctx: Arc<Ctx>, request: UpdateRoleBindingRequest) -> Result<Reply<RoleBinding>> {
    let role_binding = request.role_binding.unwrap_or_default();
    let uid = uidp::one("uid", &role_binding.uid)?;
    let patch = mask::patch(role_binding, request.update_mask, convert::spec_to_wire, convert::spec_from_wire);
    Ok(answer(&ctx, &bindings.update(&ctx, &uid, patch).await?, convert::to_wire))
}

async fn batch_create(
    bindings: Arc<RoleBindings>,
    ctx: Arc<Ctx>,
    request: BatchCreateRoleBindingsRequest,
) -> Result<BatchCreateRoleBindingsResponse> {
    let batch = convert::batch_from_wire(&request)?;
    let views = bindings.batch_create(&ctx, &batch.parent, batch.role.as_ref(), batch.items).await?;
    Ok(BatchCreateRoleBindingsResponse { role_bindings: views.iter().map(convert::to_wire).collect() })
}
