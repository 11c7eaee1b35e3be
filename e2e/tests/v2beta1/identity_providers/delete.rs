use contract::chainguard::platform::iam::v2beta1::{
    DeleteGroupRequest, DeleteIdentityProviderRequest, DeleteRoleRequest, Group, IdentityProvider, Role,
    rpc::{CreateGroup, CreateIdentityProvider, CreateRole, DeleteGroup, DeleteIdentityProvider, DeleteRole},
};
use testkit::scenario;

use super::{new_provider, oidc, provider};
use crate::v2beta1::{groups::new_group, roles::new_role};

#[tokio::test]
async fn its_organization_and_its_role_wait_for_it() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org: Group = s.quietly::<CreateGroup>(&admin, new_group("", "mine")).await.ok();
        s.name(&org.uid, "mine");
        let role: Role = s.quietly::<CreateRole>(&admin, new_role(&org.uid, "newcomer", &["groups.list"])).await.ok();
        s.name(&role.uid, "newcomer");
        let wish = IdentityProvider { default_role: role.uid.clone(), ..provider("login", oidc()) };
        let made: IdentityProvider = s.quietly::<CreateIdentityProvider>(&admin, new_provider(&org.uid, wish)).await.ok();
        s.name(&made.uid, "login");
        s.call::<DeleteRole>("the role that it gives", &admin, DeleteRoleRequest { uid: role.uid.clone() }).await;
        let viewers: IdentityProvider =
            s.quietly::<CreateIdentityProvider>(&admin, new_provider(&org.uid, provider("viewers", oidc()))).await.ok();
        let gone = |uid: &str| DeleteIdentityProviderRequest { uid: uid.into() };
        s.call::<DeleteIdentityProvider>("it goes", &admin, gone(&made.uid)).await;
        s.call::<DeleteIdentityProvider>("a second time", &admin, gone(&made.uid)).await;
        s.call::<DeleteRole>("then its role can go", &admin, DeleteRoleRequest { uid: role.uid.clone() }).await;
        s.call::<DeleteGroup>("an organization with another one", &admin, DeleteGroupRequest { uid: org.uid.clone() }).await;
        s.quietly::<DeleteIdentityProvider>(&admin, gone(&viewers.uid)).await.ok::<()>();
        s.call::<DeleteGroup>("and with none", &admin, DeleteGroupRequest { uid: org.uid.clone() }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
