use contract::chainguard::platform::iam::v2beta1::{
    Group, Role,
    rpc::{CreateGroup, CreateRole, CreateRoleBinding, UpdateRole},
};
use testkit::scenario;

use super::{
    holder, new_role,
    update::{role, update},
};
use crate::v2beta1::{groups::new_group, role_bindings::new_binding};

#[tokio::test]
async fn a_bound_role_grows_only_by_what_its_changer_holds_where_it_is_bound() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let manager = holder(s, &org, "manager", &["roles.list", "roles.update", "repo.list"]).await;
        let made: Role = s.quietly::<CreateRole>(&admin, new_role(org.as_str(), "helper", &["roles.list"])).await.ok();
        let grown = |more: &[&str]| update(&made.uid, role("", &[&["roles.list"], more].concat()), &[]);
        s.call::<UpdateRole>("an unbound role gives nothing yet", &manager, grown(&["groups.delete"])).await;
        admin.must::<UpdateRole>(grown(&[])).await;

        admin.must::<CreateRoleBinding>(new_binding(org.as_str(), manager.uid().as_str(), &made.uid)).await;
        s.call::<UpdateRole>("bound to the changer itself", &manager, grown(&["groups.delete"])).await;
        s.call::<UpdateRole>("what the changer holds, it may add", &manager, grown(&["repo.list"])).await;
        s.call::<UpdateRole>("and nothing beside it", &manager, grown(&["repo.list", "repo.delete"])).await;
        s.call::<UpdateRole>("taking away is always possible", &manager, grown(&[])).await;
        s.call::<UpdateRole>("and so is another name", &manager, update(&made.uid, role("renamed", &[]), &["name"])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn every_place_where_the_role_is_bound_counts() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(org.as_str(), "team-a")).await.ok();
        let below = folder.uid.parse().expect("a folder's uid");
        // Rules over roles everywhere, but over repos in the folder alone.
        let manager = holder(s, &org, "manager", &["roles.list", "roles.update"]).await;
        let repos: Role = s.quietly::<CreateRole>(&admin, new_role(&folder.uid, "repos", &["repo.list"])).await.ok();
        admin.must::<CreateRoleBinding>(new_binding(&folder.uid, manager.uid().as_str(), &repos.uid)).await;

        let idle = s.server.workload(&below, "idle", None).await;
        let made: Role = s.quietly::<CreateRole>(&admin, new_role(org.as_str(), "helper", &["roles.list"])).await.ok();
        let grown = || update(&made.uid, role("", &["roles.list", "repo.list"]), &[]);
        admin.must::<CreateRoleBinding>(new_binding(&folder.uid, idle.uid().as_str(), &made.uid)).await;
        s.call::<UpdateRole>("bound in the folder", &manager, grown()).await;
        admin.must::<UpdateRole>(update(&made.uid, role("", &["roles.list"]), &[])).await;
        admin.must::<CreateRoleBinding>(new_binding(org.as_str(), idle.uid().as_str(), &made.uid)).await;
        s.call::<UpdateRole>("bound in the folder and above it", &manager, grown()).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
