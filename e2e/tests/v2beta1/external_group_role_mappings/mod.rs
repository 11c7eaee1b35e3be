//! What is special about external group role mappings. What holds for every noun is proved for them with the others.

mod batch_delete;
mod create;
mod delete;
mod list;
mod role;

use contract::chainguard::platform::iam::v2beta1::{
    CreateExternalGroupRoleMappingRequest, ExternalGroupRoleMapping, IdentityProvider, rpc::CreateIdentityProvider,
};
use testkit::{Actor, Scenario};

use crate::v2beta1::identity_providers::{new_provider, oidc, provider};

/// An identity provider of the organization.
async fn make_provider(s: &mut Scenario, admin: &Actor, name: &str) -> String {
    let org = s.server.organization().to_string();
    let made: IdentityProvider =
        s.quietly::<CreateIdentityProvider>(admin, new_provider(&org, provider(name, oidc()))).await.ok();
    s.name(&made.uid, name);
    made.uid
}

/// A request to give members of `group` the role, at the organization of the provider.
pub(crate) fn new_mapping(provider: &str, group: &str, role: &str) -> CreateExternalGroupRoleMappingRequest {
    let scope = provider.split('/').next().unwrap_or_default();
    let mapping = ExternalGroupRoleMapping {
        external_group_id: group.into(),
        role_uid: role.into(),
        scope: scope.into(),
        ..ExternalGroupRoleMapping::default()
    };
    CreateExternalGroupRoleMappingRequest { parent: provider.into(), external_group_role_mapping: Some(mapping) }
}
