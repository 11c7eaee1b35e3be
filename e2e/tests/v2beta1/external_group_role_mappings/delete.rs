use contract::chainguard::platform::iam::v2beta1::{
    DeleteExternalGroupRoleMappingRequest, DeleteIdentityProviderRequest, DeleteRoleRequest, ExternalGroupRoleMapping,
    GetExternalGroupRoleMappingRequest, Role,
    rpc::{
        CreateExternalGroupRoleMapping, CreateRole, DeleteExternalGroupRoleMapping, DeleteIdentityProvider, DeleteRole,
        GetExternalGroupRoleMapping,
    },
};
use testkit::scenario;

use super::{make_provider, new_mapping};
use crate::v2beta1::{built_in, roles::new_role};

#[tokio::test]
async fn goes_once_and_its_role_waits_for_it() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let login = make_provider(s, &admin, "login").await;
        let role: Role = s.quietly::<CreateRole>(&admin, new_role(&org, "developer", &["groups.list"])).await.ok();
        s.name(&role.uid, "developer");
        let made: ExternalGroupRoleMapping =
            s.quietly::<CreateExternalGroupRoleMapping>(&admin, new_mapping(&login, "g", &role.uid)).await.ok();
        s.name(&made.uid, "mapping");
        s.call::<DeleteRole>("the role that it gives", &admin, DeleteRoleRequest { uid: role.uid.clone() }).await;
        let gone = || DeleteExternalGroupRoleMappingRequest { uid: made.uid.clone() };
        let viewer = s.server.workload(s.server.organization(), "viewer", Some("viewer")).await;
        s.call::<DeleteExternalGroupRoleMapping>("by a viewer", &viewer, gone()).await;
        s.call::<DeleteExternalGroupRoleMapping>("it goes", &admin, gone()).await;
        s.call::<DeleteExternalGroupRoleMapping>("a second time", &admin, gone()).await;
        s.call::<DeleteRole>("then its role can go", &admin, DeleteRoleRequest { uid: role.uid.clone() }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn goes_with_its_identity_provider() {
    scenario(async |s| {
        let admin = s.server.admin();
        let login = make_provider(s, &admin, "login").await;
        let made = admin.must::<CreateExternalGroupRoleMapping>(new_mapping(&login, "g", &built_in("viewer"))).await;
        admin.must::<DeleteIdentityProvider>(DeleteIdentityProviderRequest { uid: login }).await;
        let read = GetExternalGroupRoleMappingRequest { uid: made.uid };
        assert_eq!(s.quietly::<GetExternalGroupRoleMapping>(&admin, read).await.code, "NOT_FOUND");
    })
    .await;
}
