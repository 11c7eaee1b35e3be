use contract::chainguard::platform::iam::v2beta1::{
    IdentityProvider, Role, UpdateRoleRequest,
    rpc::{CreateIdentityProvider, CreateRole, UpdateIdentityProvider, UpdateRole},
};
use testkit::scenario;

use super::{new_provider, oidc, provider, update};
use crate::v2beta1::{
    built_in, mask,
    roles::{holder, new_role, numbers},
};

#[tokio::test]
async fn nobody_gives_newcomers_what_they_do_not_hold() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let pull: Vec<_> = access::built_in::find("registry.pull").expect("it is built in").capabilities().names();
        let gives = |role: &str| IdentityProvider { default_role: role.into(), ..provider("login", oidc()) };
        let create = |role: &str| new_provider(org.as_str(), gives(role));

        let maker = holder(s, &org, "maker", &["identity_providers.create", "identity_providers.update"]).await;
        s.call::<CreateIdentityProvider>("who binds no roles", &maker, create(&built_in("registry.pull"))).await;
        let rights = ["identity_providers.create", "identity_providers.update", "role_bindings.create"];
        let binder = holder(s, &org, "binder", &[&pull, &rights[..]].concat()).await;
        s.call::<CreateIdentityProvider>("an owner for everybody", &binder, create(&built_in("owner"))).await;
        let made: IdentityProvider = s.quietly::<CreateIdentityProvider>(&binder, create(&built_in("registry.pull"))).await.ok();
        s.name(&made.uid, "login");

        let change =
            |role: &str| update(&made.uid, IdentityProvider { default_role: role.into(), ..IdentityProvider::default() }, &[]);
        s.call::<UpdateIdentityProvider>("later on", &binder, change(&built_in("owner"))).await;
        s.call::<UpdateIdentityProvider>("by who binds no roles", &maker, change(&built_in("registry.pull"))).await;
        admin.must::<UpdateIdentityProvider>(change(&built_in("owner"))).await;
        let renamed = update(&made.uid, IdentityProvider { name: "sign-in".into(), ..IdentityProvider::default() }, &[]);
        s.call::<UpdateIdentityProvider>("whatever changes of one that makes owners", &binder, renamed).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_role_that_newcomers_get_grows_only_by_what_its_changer_holds() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let manager = holder(s, &org, "manager", &["roles.list", "roles.update", "repo.list"]).await;
        let made: Role = s.quietly::<CreateRole>(&admin, new_role(org.as_str(), "newcomer", &["roles.list"])).await.ok();
        s.name(&made.uid, "newcomer");
        let wish = IdentityProvider { default_role: made.uid.clone(), ..provider("login", oidc()) };
        admin.must::<CreateIdentityProvider>(new_provider(org.as_str(), wish)).await;
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
