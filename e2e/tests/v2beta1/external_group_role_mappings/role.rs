use contract::chainguard::platform::iam::v2beta1::{
    Role, UpdateRoleRequest,
    rpc::{CreateExternalGroupRoleMapping, CreateRole, UpdateRole},
};
use testkit::scenario;

use super::{make_provider, new_mapping};
use crate::v2beta1::{
    built_in, mask,
    roles::{holder, new_role, numbers},
};

#[tokio::test]
async fn nobody_maps_a_group_to_what_they_do_not_hold() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let login = make_provider(s, &admin, "login").await;
        let pull: Vec<_> = access::built_in::find("registry.pull").expect("it is built in").capabilities().names();
        let create = |role: &str| new_mapping(&login, "developers", &built_in(role));
        let maker = holder(s, &org, "maker", &["identity_providers.create"]).await;
        s.call::<CreateExternalGroupRoleMapping>("who binds no roles", &maker, create("registry.pull")).await;
        let rights = ["identity_providers.create", "role_bindings.create"];
        let binder = holder(s, &org, "binder", &[&pull, &rights[..]].concat()).await;
        s.call::<CreateExternalGroupRoleMapping>("owners by mapping", &binder, create("owner")).await;
        assert_eq!(s.quietly::<CreateExternalGroupRoleMapping>(&binder, create("registry.pull")).await.code, "OK");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_role_that_is_mapped_grows_only_by_what_its_changer_holds() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let login = make_provider(s, &admin, "login").await;
        let manager = holder(s, &org, "manager", &["roles.list", "roles.update", "repo.list"]).await;
        let made: Role = s.quietly::<CreateRole>(&admin, new_role(org.as_str(), "developer", &["roles.list"])).await.ok();
        s.name(&made.uid, "developer");
        admin.must::<CreateExternalGroupRoleMapping>(new_mapping(&login, "developers", &made.uid)).await;
        let grown = |capabilities: &[&str]| UpdateRoleRequest {
            role: Some(Role { uid: made.uid.clone(), capabilities: numbers(capabilities), ..Role::default() }),
            update_mask: mask(&["capabilities"]),
        };
        s.call::<UpdateRole>("by what its changer lacks", &manager, grown(&["roles.list", "groups.delete"])).await;
        s.call::<UpdateRole>("by what its changer holds", &manager, grown(&["roles.list", "repo.list"])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
