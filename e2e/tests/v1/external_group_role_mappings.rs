use contract::chainguard::platform::iam::{
    BatchDeleteExternalGroupRoleMappingsRequest, CreateExternalGroupRoleMappingRequest, DeleteExternalGroupRoleMappingRequest,
    ExternalGroupRoleMapping, ExternalGroupRoleMappingFilter, ExternalGroupRoleMappingList, GetExternalGroupRoleMappingRequest,
    rpc::{BatchDelete, ExternalGroupRoleMappingsCreate, ExternalGroupRoleMappingsDelete, ExternalGroupRoleMappingsList, Get},
    v2beta1::{self, rpc::GetExternalGroupRoleMapping},
};
use testkit::scenario;

use super::below;
use crate::v2beta1::{
    absent, built_in,
    identity_providers::{new_provider, oidc, provider},
};

fn new_mapping(parent: &str, group: &str, role: &str) -> CreateExternalGroupRoleMappingRequest {
    let mapping = ExternalGroupRoleMapping {
        external_group_id: group.into(),
        role_uidp: role.into(),
        scope: parent.split('/').next().unwrap_or_default().into(),
        ..ExternalGroupRoleMapping::default()
    };
    CreateExternalGroupRoleMappingRequest { parent_id: parent.into(), mapping: Some(mapping) }
}

#[tokio::test]
async fn are_those_of_v2beta1() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let login: v2beta1::IdentityProvider =
            s.quietly::<v2beta1::rpc::CreateIdentityProvider>(&admin, new_provider(&org, provider("login", oidc()))).await.ok();
        s.name(&login.uid, "login");
        let made =
            s.call::<ExternalGroupRoleMappingsCreate>("made", &admin, new_mapping(&login.uid, "g", &built_in("viewer"))).await;
        let id = made.ok::<ExternalGroupRoleMapping>().id;
        s.name(&id, "mapping");
        s.call::<Get>("read", &admin, GetExternalGroupRoleMappingRequest { uid: id.clone() }).await;
        let by_v2 = v2beta1::GetExternalGroupRoleMappingRequest { uid: id.clone() };
        s.call::<GetExternalGroupRoleMapping>("by v2beta1", &admin, by_v2).await;
        let second: ExternalGroupRoleMapping =
            s.quietly::<ExternalGroupRoleMappingsCreate>(&admin, new_mapping(&login.uid, "h", &built_in("viewer"))).await.ok();
        s.name(&second.id, "second");
        for (uidp, provider, expected) in [
            (None, "", 2),
            (Some(below(&org)), login.uid.as_str(), 2),
            (Some(below(&id)), login.uid.as_str(), 1),
            (None, absent(&org).as_str(), 0),
        ] {
            let filter = ExternalGroupRoleMappingFilter { uidp, identity_provider_uidp: provider.into() };
            let listed: ExternalGroupRoleMappingList = s.quietly::<ExternalGroupRoleMappingsList>(&admin, filter).await.ok();
            assert_eq!(listed.items.len(), expected);
        }
        let nothing = CreateExternalGroupRoleMappingRequest { parent_id: login.uid.clone(), mapping: None };
        s.call::<ExternalGroupRoleMappingsCreate>("nothing", &admin, nothing).await;
        let elsewhere = new_mapping(&login.uid, "i", &absent(&org));
        s.call::<ExternalGroupRoleMappingsCreate>("a role that is not there", &admin, elsewhere).await;
        let batch = |ids: &[&str]| BatchDeleteExternalGroupRoleMappingsRequest {
            parent_id: login.uid.clone(),
            ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        };
        s.call::<BatchDelete>("of another provider", &admin, batch(&[&second.id, &absent(&org)])).await;
        s.call::<BatchDelete>("a batch goes", &admin, batch(&[&second.id])).await;
        s.call::<ExternalGroupRoleMappingsDelete>("it goes", &admin, DeleteExternalGroupRoleMappingRequest { id }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
