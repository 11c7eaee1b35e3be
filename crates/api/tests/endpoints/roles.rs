//! Roles.

use contract::chainguard::{
    capabilities::Capability,
    platform::iam::v2beta1::{
        CreateRoleRequest, DeleteRoleRequest, GetRoleRequest, ListRolesRequest, Role, UpdateRoleRequest,
        rpc::{CreateRole, DeleteRole, GetRole, ListRoles, UpdateRole},
    },
};
use domain::{Kind, iam::role::built_in_uid};

use crate::{
    groups::group,
    server::{Server, violated},
};

/// A new custom role in a group.
pub(crate) async fn role(server: &Server, parent: &str, name: &str) -> Role {
    let role = Role { name: name.into(), capabilities: vec![Capability::CapIamGroupsList.into()], ..Role::default() };
    server.call(CreateRole, CreateRoleRequest { parent: parent.into(), role: Some(role) }).await.unwrap().0
}

#[tokio::test]
async fn custom_roles_come_change_and_go() {
    let server = Server::new().await;
    let org = group(&server, "", "org").await.uid;
    let created = role(&server, &org, "reader").await;
    assert_eq!(created.capabilities, [103]);
    let wished = Role { uid: created.uid.clone(), capabilities: vec![102, 101, 102], ..Role::default() };
    let (updated, etag) = server.call(UpdateRole, UpdateRoleRequest { role: Some(wished), update_mask: None }).await.unwrap();
    assert_eq!((updated.name.as_str(), updated.capabilities.as_slice()), ("reader", &[101, 102][..]));
    let read = server.call(GetRole, GetRoleRequest { uid: created.uid.clone() }).await.unwrap();
    assert_eq!(read, (updated, etag));
    server.call(DeleteRole, DeleteRoleRequest { uid: created.uid.clone() }).await.unwrap();
    assert_eq!(server.call(GetRole, GetRoleRequest { uid: created.uid }).await.unwrap_err().kind(), Kind::NotFound);
}

#[tokio::test]
async fn built_in_roles_are_there_and_stay() {
    let server = Server::new().await;
    let uid = built_in_uid("viewer").to_string();
    let (viewer, _) = server.call(GetRole, GetRoleRequest { uid: uid.clone() }).await.unwrap();
    assert_eq!((viewer.name.as_str(), viewer.capabilities.contains(&103)), ("viewer", true));
    let by_name = ListRolesRequest { name: "viewer".into(), ..ListRolesRequest::default() };
    let (list, _) = server.call(ListRoles, by_name).await.unwrap();
    assert_eq!((list.roles, list.total_count), (vec![viewer], Some(1)));
    let wished = Role { uid: uid.clone(), description: "mine".into(), ..Role::default() };
    let update = server.call(UpdateRole, UpdateRoleRequest { role: Some(wished), update_mask: None }).await;
    assert_eq!(update.unwrap_err().kind(), Kind::FailedPrecondition);
    let delete = server.call(DeleteRole, DeleteRoleRequest { uid }).await;
    assert_eq!(delete.unwrap_err().kind(), Kind::FailedPrecondition);
}

#[tokio::test]
async fn bad_capabilities_are_named() {
    let server = Server::new().await;
    let org = group(&server, "", "org").await.uid;
    let create = |capabilities| {
        let role = Some(Role { name: "a".into(), capabilities, ..Role::default() });
        server.call(CreateRole, CreateRoleRequest { parent: org.clone(), role })
    };
    assert_eq!(violated(create(vec![103, 0]).await), ["capabilities[1]"]);
    assert_eq!(violated(create(vec![]).await), ["capabilities"]);
}
