use contract::chainguard::platform::iam::v2beta1::{
    GetGroupRequest, Role, UpdateRoleRequest,
    rpc::{CreateRole, CreateRoleBinding, GetGroup, UpdateRole},
};
use testkit::scenario;

use super::{new_role, numbers};
use crate::v2beta1::{built_in, mask, role_bindings::new_binding};

/// A request to make the role `uid` like `wish`.
pub(super) fn update(uid: &str, wish: Role, paths: &[&str]) -> UpdateRoleRequest {
    UpdateRoleRequest { role: Some(Role { uid: uid.into(), ..wish }), update_mask: mask(paths) }
}

pub(super) fn role(name: &str, capabilities: &[&str]) -> Role {
    Role { name: name.into(), capabilities: numbers(capabilities), ..Role::default() }
}

#[tokio::test]
async fn changes_what_the_mask_names() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made: Role = s.quietly::<CreateRole>(&admin, new_role(&org, "puller", &["repo.list"])).await.ok();
        let to = |wish: Role, paths: &[&str]| update(&made.uid, wish, paths);
        s.server.clock().advance_seconds(60);
        let described = Role { description: "pulls".into(), ..Role::default() };
        s.call::<UpdateRole>("without a mask what is sent changes", &admin, to(described, &[])).await;
        s.call::<UpdateRole>("capabilities are replaced as a whole", &admin, to(role("", &["groups.list", "tag.list"]), &[]))
            .await;
        s.call::<UpdateRole>("with a mask nothing else changes", &admin, to(role("puller-2", &["repo.list"]), &["name"])).await;
        s.call::<UpdateRole>("a masked empty value clears", &admin, to(Role::default(), &["description"])).await;
        s.call::<UpdateRole>("but no role is without capabilities", &admin, to(Role::default(), &["capabilities"])).await;
        s.call::<UpdateRole>("an unknown path", &admin, to(role("a", &[]), &["permissions"])).await;
        s.call::<UpdateRole>("a name that becomes empty", &admin, to(Role::default(), &["name"])).await;
        s.call::<UpdateRole>(
            "no capability of the contract",
            &admin,
            to(Role { capabilities: vec![99_999], ..Role::default() }, &[]),
        )
        .await;
        s.call::<UpdateRole>("what is internal, on its own", &admin, to(role("", &["repo.internal.admin"]), &[])).await;
        s.call::<UpdateRole>("a star replaces all", &admin, to(role("puller-3", &["repo.list"]), &["*"])).await;
        s.call::<UpdateRole>("nothing sent, nothing changed", &admin, to(Role::default(), &[])).await;
        let _viewer = s.server.workload(s.server.organization(), "viewer", Some("viewer")).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn built_in_roles_never_change() {
    let transcript = scenario(async |s| {
        let renamed = || update(&built_in("viewer"), role("looker", &[]), &["name"]);
        s.call::<UpdateRole>("by an owner of an organization", &s.server.admin(), renamed()).await;
        let operator = s.server.operator().await;
        s.call::<UpdateRole>("by an operator of the server", &operator, renamed()).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn what_changes_counts_from_the_next_request_on() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let made: Role = s.quietly::<CreateRole>(&admin, new_role(org.as_str(), "looker", &["groups.list"])).await.ok();
        let actor = s.server.workload(&org, "looker", None).await;
        admin.must::<CreateRoleBinding>(new_binding(org.as_str(), actor.uid().as_str(), &made.uid)).await;
        let look = GetGroupRequest { uid: org.to_string() };
        assert_eq!(s.quietly::<GetGroup>(&actor, look.clone()).await.code, "OK");
        admin.must::<UpdateRole>(update(&made.uid, role("", &["repo.list"]), &[])).await;
        s.call::<GetGroup>("once the role has it no more", &actor, look).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
