//! Role bindings, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::{
        BatchCreateRoleBindingsRequest, BatchCreateRoleBindingsResponse, CreateRoleBindingRequest, DeleteRoleBindingRequest,
        GetRoleBindingRequest, ListRoleBindingsRequest, ListRoleBindingsResponse, RoleBinding, UpdateRoleBindingRequest, rpc,
    },
};
use domain::{Ctx, Result, Violations};
use services::{RoleBindings, iam::role_bindings::RoleBindingFilter};

use crate::{
    endpoint::{Endpoint, naming, on, tagged},
    list, mask, uidp,
};

pub(crate) mod convert;

/// The RPCs of role bindings.
pub(crate) fn endpoints(bindings: &RoleBindings) -> Vec<Endpoint> {
    vec![
        on(rpc::GetRoleBinding, bindings, get),
        on(rpc::ListRoleBindings, bindings, list),
        naming(convert::name, rpc::CreateRoleBinding, bindings, create),
        naming(convert::name, rpc::UpdateRoleBinding, bindings, update),
        on(rpc::DeleteRoleBinding, bindings, delete),
        naming(convert::batch_name, rpc::BatchCreateRoleBindings, bindings, batch_create),
    ]
}

async fn get(bindings: Arc<RoleBindings>, ctx: Arc<Ctx>, request: GetRoleBindingRequest) -> Result<Reply<RoleBinding>> {
    Ok(answer(&bindings.get(&ctx, &uidp::one("uid", &request.uid)?).await?))
}

async fn list(bindings: Arc<RoleBindings>, ctx: Arc<Ctx>, request: ListRoleBindingsRequest) -> Result<ListRoleBindingsResponse> {
    let mut violations = Violations::default();
    let filter = RoleBindingFilter {
        identity: uidp::optional("identity", &request.identity, &mut violations),
        group: uidp::optional("group", &request.group, &mut violations),
        role: uidp::optional("role", &request.role, &mut violations),
    };
    let request = list::parse(&request, violations)?;
    let page = bindings.list(&ctx, request, filter).await?;
    Ok(list::answer(page, convert::to_wire))
}

async fn create(bindings: Arc<RoleBindings>, ctx: Arc<Ctx>, request: CreateRoleBindingRequest) -> Result<Reply<RoleBinding>> {
    let parent = uidp::one("parent", &request.parent)?;
    let spec = convert::spec_from_wire(contract::mask::writable(&request.role_binding.unwrap_or_default()))?;
    Ok(answer(&bindings.create(&ctx, &parent, spec).await?))
}

async fn update(bindings: Arc<RoleBindings>, ctx: Arc<Ctx>, request: UpdateRoleBindingRequest) -> Result<Reply<RoleBinding>> {
    let role_binding = request.role_binding.unwrap_or_default();
    let uid = uidp::one("uid", &role_binding.uid)?;
    let patch = mask::patch(role_binding, request.update_mask, convert::spec_to_wire, convert::spec_from_wire);
    Ok(answer(&bindings.update(&ctx, &uid, patch).await?))
}

async fn delete(bindings: Arc<RoleBindings>, ctx: Arc<Ctx>, request: DeleteRoleBindingRequest) -> Result<()> {
    bindings.delete(&ctx, &uidp::one("uid", &request.uid)?).await
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

/// The resource with its entity tag.
fn answer(role_binding: &domain::iam::RoleBindingView) -> Reply<RoleBinding> {
    tagged(convert::to_wire(role_binding), role_binding.binding.revision)
}
