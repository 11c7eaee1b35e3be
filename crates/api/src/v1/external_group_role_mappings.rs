//! External group role mappings, v1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::{
        self as wire, BatchDeleteExternalGroupRoleMappingsRequest, BatchDeleteExternalGroupRoleMappingsResponse,
        CreateExternalGroupRoleMappingRequest, ExternalGroupRoleMappingFilter, ExternalGroupRoleMappingList, rpc,
    },
};
use domain::{
    Ctx, Result, Uidp, Violations,
    iam::{ExternalGroupRoleMapping, ExternalGroupRoleMappingSpec},
};
use services::{
    ExternalGroupRoleMappings,
    iam::external_group_role_mappings::{self, BATCH_MAX},
};

use crate::{
    endpoint::{Endpoint, answer, naming},
    list,
    noun::{deletes, gets, lists_whole},
    time, uidp,
};

/// The RPCs of external group role mappings.
pub(crate) fn endpoints(mappings: &ExternalGroupRoleMappings) -> Vec<Endpoint> {
    vec![
        naming(name, rpc::ExternalGroupRoleMappingsCreate, mappings, create),
        gets(rpc::Get, mappings, |request| &request.uid, to_wire),
        lists_whole(rpc::ExternalGroupRoleMappingsList, mappings, part, to_wire, |items| ExternalGroupRoleMappingList { items }),
        deletes(rpc::ExternalGroupRoleMappingsDelete, mappings),
        naming(name, rpc::BatchDelete, mappings, batch_delete),
    ]
}

async fn create(
    mappings: Arc<ExternalGroupRoleMappings>,
    ctx: Arc<Ctx>,
    request: CreateExternalGroupRoleMappingRequest,
) -> Result<Reply<wire::ExternalGroupRoleMapping>> {
    let parent = uidp::one("parent", &request.parent_id)?;
    let (scope, spec) = spec_from_wire(request.mapping.unwrap_or_default())?;
    Ok(answer(&ctx, &mappings.create(&ctx, &parent, &scope, spec).await?, to_wire))
}

async fn batch_delete(
    mappings: Arc<ExternalGroupRoleMappings>,
    ctx: Arc<Ctx>,
    request: BatchDeleteExternalGroupRoleMappingsRequest,
) -> Result<BatchDeleteExternalGroupRoleMappingsResponse> {
    let mut violations = Violations::default();
    let parent = uidp::parse("parent_id", &request.parent_id, &mut violations);
    let uids = uidp::batch("ids", &request.ids, BATCH_MAX, &mut violations);
    let gone = mappings.batch_delete(&ctx, &violations.finish(parent)?, uids).await?;
    Ok(BatchDeleteExternalGroupRoleMappingsResponse { parent_id: request.parent_id, items: gone.iter().map(to_wire).collect() })
}

fn part(
    request: ExternalGroupRoleMappingFilter,
) -> Result<list::Asked<external_group_role_mappings::ExternalGroupRoleMappingFilter>> {
    let mut violations = Violations::default();
    let identity_provider = uidp::optional("identity_provider_uidp", &request.identity_provider_uidp, &mut violations);
    let part = list::part(request.uidp, "", violations)?;
    Ok((part, external_group_role_mappings::ExternalGroupRoleMappingFilter { identity_provider }))
}

/// An external group role mapping for an answer.
pub(crate) fn to_wire(mapping: &ExternalGroupRoleMapping) -> wire::ExternalGroupRoleMapping {
    wire::ExternalGroupRoleMapping {
        id: mapping.uid.to_string(),
        identity_provider_uidp: mapping.uid.parent_text().to_owned(),
        external_group_id: mapping.spec.external_group_id.clone(),
        role_uidp: mapping.spec.role.to_string(),
        scope: mapping.uid.root_text().to_owned(),
        created_at: Some(time::to_wire(mapping.created_at)),
    }
}

/// Where members get the role, and what a request says that the mapping should be.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
fn spec_from_wire(mapping: wire::ExternalGroupRoleMapping) -> Result<(Uidp, ExternalGroupRoleMappingSpec)> {
    let wire::ExternalGroupRoleMapping { external_group_id, role_uidp, scope, .. } = mapping;
    let mut violations = Violations::default();
    if external_group_id.is_empty() {
        violations.add("external_group_id", "external_group_id is required");
    }
    let role = uidp::parse("role_uidp", &role_uidp, &mut violations);
    let scope = uidp::parse("scope", &scope, &mut violations);
    let spec = || Some((scope?, ExternalGroupRoleMappingSpec { external_group_id, role: role? }));
    violations.finish(spec())
}

/// What a field is called here.
fn name(path: &str) -> Option<String> {
    match path {
        "role" => Some("role_uidp".to_owned()),
        path => path.strip_prefix("items").map(|rest| format!("ids{rest}")).or_else(|| super::parent_id(path)),
    }
}
