use contract::chainguard::platform::iam::v2beta1::{
    DeleteGroupRequest, DeleteRoleBindingRequest, DeleteRoleRequest, Group, Role,
    rpc::{CreateGroup, CreateRole, CreateRoleBinding, DeleteGroup, DeleteRole, DeleteRoleBinding},
};
use testkit::scenario;

use super::new_role;
use crate::v2beta1::{built_in, groups::new_group, role_bindings::new_binding};

fn delete(uid: &str) -> DeleteRoleRequest {
    DeleteRoleRequest { uid: uid.into() }
}

#[tokio::test]
async fn waits_until_the_role_is_bound_nowhere() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(org.as_str(), "team-a")).await.ok();
        let role: Role = s.quietly::<CreateRole>(&admin, new_role(&folder.uid, "puller", &["repo.list"])).await.ok();
        let idle = s.server.workload(&org, "idle", None).await;
        let binding = admin.must::<CreateRoleBinding>(new_binding(&folder.uid, idle.uid().as_str(), &role.uid)).await;
        s.call::<DeleteRole>("while it is bound", &admin, delete(&role.uid)).await;
        admin.must::<DeleteRoleBinding>(DeleteRoleBindingRequest { uid: binding.uid }).await;
        let folder = DeleteGroupRequest { uid: folder.uid };
        s.call::<DeleteGroup>("a folder with a role stays", &admin, folder.clone()).await;
        s.call::<DeleteRole>("once it is not", &admin, delete(&role.uid)).await;
        s.call::<DeleteRole>("a second time", &admin, delete(&role.uid)).await;
        s.call::<DeleteGroup>("then the folder can go", &admin, folder).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn built_in_roles_stay() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        s.call::<DeleteRole>("a built-in one, by an owner", &admin, delete(&built_in("viewer"))).await;
        let operator = s.server.operator().await;
        s.call::<DeleteRole>("a built-in one, by an operator", &operator, delete(&built_in("viewer"))).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
