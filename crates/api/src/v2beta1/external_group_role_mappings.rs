//! External group role mappings, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::iam::v2beta1::{
        BatchDeleteExternalGroupRoleMappingsRequest, BatchDeleteExternalGroupRoleMappingsResponse,
        CreateExternalGroupRoleMappingRequest, ExternalGroupRoleMapping, rpc,
    },
};
use domain::{Ctx, Result, Violations};
use services::{
    ExternalGroupRoleMappings,
    iam::external_group_role_mappings::{BATCH_MAX, ExternalGroupRoleMappingFilter},
};

use crate::{
    endpoint::{Endpoint, answer, naming},
    noun::{deletes, gets, lists},
    uidp,
};

pub(crate) mod convert;

/// The RPCs of external group role mappings.
pub(crate) fn endpoints(mappings: &ExternalGroupRoleMappings) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetExternalGroupRoleMapping, mappings, |request| &request.uid, convert::to_wire),
        lists(
            rpc::ListExternalGroupRoleMappings,
            mappings,
            |request, violations| ExternalGroupRoleMappingFilter {
                identity_provider: uidp::optional("identity_provider_uid", &request.identity_provider_uid, violations),
            },
            convert::to_wire,
        ),
        naming(convert::name, rpc::CreateExternalGroupRoleMapping, mappings, create),
        deletes(rpc::DeleteExternalGroupRoleMapping, mappings),
        naming(convert::name, rpc::BatchDeleteExternalGroupRoleMappings, mappings, batch_delete),
    ]
}

async fn create(
    mappings: Arc<ExternalGroupRoleMappings>,
    ctx: Arc<Ctx>,
    request: CreateExternalGroupRoleMappingRequest,
) -> Result<Reply<ExternalGroupRoleMapping>> {
    let parent = uidp::one("parent", &request.parent)?;
    let (scope, spec) = convert::spec_from_wire(request.external_group_role_mapping.unwrap_or_default())?;
    Ok(answer(&ctx, &mappings.create(&ctx, &parent, &scope, spec).await?, convert::to_wire))
}

async fn batch_delete(
    mappings: Arc<ExternalGroupRoleMappings>,
    ctx: Arc<Ctx>,
    request: BatchDeleteExternalGroupRoleMappingsRequest,
) -> Result<BatchDeleteExternalGroupRoleMappingsResponse> {
    let mut violations = Violations::default();
    let parent = uidp::parse("parent", &request.parent, &mut violations);
    let uids = uidp::batch("names", &request.names, BATCH_MAX, &mut violations);
    let gone = mappings.batch_delete(&ctx, &violations.finish(parent)?, uids).await?;
    let external_group_role_mappings = gone.iter().map(convert::to_wire).collect();
    Ok(BatchDeleteExternalGroupRoleMappingsResponse { parent: request.parent, external_group_role_mappings })
}
