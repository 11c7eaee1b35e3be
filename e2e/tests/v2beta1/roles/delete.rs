use client::Options;
use contract::chainguard::platform::iam::v2beta1::{
    DeleteGroupRequest, DeleteRoleBindingRequest, DeleteRoleRequest, Group, Role,
    rpc::{CreateGroup, CreateRole, CreateRoleBinding, DeleteGroup, DeleteRole, DeleteRoleBinding},
};
use testkit::scenario;

use super::new_role;
use crate::v2beta1::{absent, built_in, groups::new_group, role_bindings::new_binding};

fn delete(uid: &str) -> DeleteRoleRequest {
    DeleteRoleRequest { uid: uid.into() }
}

#[tokio::test]
async fn waits_until_the_role_is_bound_nowhere() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(org.as_str(), "team-a")).await.ok();
        let made = s.quietly::<CreateRole>(&admin, new_role(&folder.uid, "puller", &["repo.list"])).await;
        let role: Role = made.ok();
        let idle = s.server.workload(&org, "idle", None).await;
        let binding = admin.must::<CreateRoleBinding>(new_binding(&folder.uid, idle.uid().as_str(), &role.uid)).await;
        s.call::<DeleteRole>("while it is bound", &admin, delete(&role.uid)).await;
        admin.must::<DeleteRoleBinding>(DeleteRoleBindingRequest { uid: binding.uid }).await;
        let folder = DeleteGroupRequest { uid: folder.uid };
        s.call::<DeleteGroup>("a folder with a role stays", &admin, folder.clone()).await;
        let stale = Options { if_match: Some("\"0\"".into()), ..Options::default() };
        let refused = s.quietly_with::<DeleteRole>(&admin, delete(&role.uid), &stale).await;
        assert_eq!(refused.code, "ABORTED", "{:#}", refused.body);
        let current = Options { if_match: made.etag, ..Options::default() };
        s.call_with::<DeleteRole>("once it is not, with its entity tag", &admin, delete(&role.uid), &current).await;
        s.call::<DeleteRole>("a second time", &admin, delete(&role.uid)).await;
        s.call::<DeleteGroup>("then the folder can go", &admin, folder).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn refuses_what_is_not_there_or_not_one_s_own() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let role: Role = s.quietly::<CreateRole>(&admin, new_role(org.as_str(), "puller", &["repo.list"])).await.ok();
        s.call::<DeleteRole>("one that does not exist", &admin, delete(&absent(org.as_str()))).await;
        s.call::<DeleteRole>("an organization", &admin, delete(org.as_str())).await;
        s.call::<DeleteRole>("a built-in one, by an owner", &admin, delete(&built_in("viewer"))).await;
        let operator = s.server.operator().await;
        s.call::<DeleteRole>("a built-in one, by an operator", &operator, delete(&built_in("viewer"))).await;
        let viewer = s.server.workload(&org, "viewer", Some("viewer")).await;
        s.call::<DeleteRole>("by a viewer", &viewer, delete(&role.uid)).await;
        let stranger = s.server.stranger().await;
        s.call::<DeleteRole>("by a stranger", &stranger, delete(&role.uid)).await;
        s.call::<DeleteRole>("by nobody", &s.server.nobody(), delete(&role.uid)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
