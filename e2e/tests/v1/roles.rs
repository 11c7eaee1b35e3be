use contract::chainguard::platform::{
    common::UidpFilter,
    iam::{
        CreateRoleRequest, DeleteRoleRequest, Role, RoleFilter, RoleList,
        rpc::{RolesCreate, RolesDelete, RolesList, RolesUpdate},
        v2beta1::{self, GetRoleRequest, rpc::GetRole},
    },
};
use testkit::{Actor, Scenario, scenario};

use crate::v2beta1::built_in;

fn role(name: &str, capabilities: &[&str]) -> Role {
    let capabilities = capabilities.iter().map(|name| (*name).to_owned()).collect();
    Role { name: name.into(), capabilities, ..Role::default() }
}

fn new_role(parent: &str, role: Role) -> CreateRoleRequest {
    CreateRoleRequest { parent_id: parent.into(), role: Some(role) }
}

async fn names(s: &Scenario, actor: &Actor, filter: RoleFilter) -> Vec<String> {
    let listed = s.quietly::<RolesList>(actor, filter).await;
    assert_eq!(listed.code, "OK", "{:#}", listed.body);
    listed.ok::<RoleList>().items.into_iter().map(|role| role.name).collect()
}

#[tokio::test]
async fn name_their_capabilities() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let wish = role("looker", &["repo.list", "groups.list"]);
        let made: Role = s.quietly::<RolesCreate>(&admin, new_role(&org, wish)).await.ok();
        s.name(&made.id, "looker");
        s.call::<RolesList>("sorted", &admin, RoleFilter { id: made.id.clone(), ..RoleFilter::default() }).await;
        let wish = Role { id: made.id.clone(), ..role("looker", &["tag.list"]) };
        s.call::<RolesUpdate>("replaced", &admin, wish).await;
        let read: v2beta1::Role = s.quietly::<GetRole>(&admin, GetRoleRequest { uid: made.id.clone() }).await.ok();
        assert_eq!(read.capabilities, crate::v2beta1::roles::numbers(&["tag.list"]), "it is the role of v2beta1");

        s.call::<RolesCreate>("no capability", &admin, new_role(&org, role("none", &[]))).await;
        s.call::<RolesCreate>("unknown ones", &admin, new_role(&org, role("some", &["repo", "tag.list", "TAG.LIST"]))).await;
        s.call::<RolesCreate>("in no group", &admin, new_role("", role("some", &["tag.list"]))).await;
        let viewer = Role { id: built_in("viewer"), ..role("viewer", &["tag.list"]) };
        s.call::<RolesUpdate>("a built-in one", &admin, viewer).await;
        s.call::<RolesDelete>("it goes", &admin, DeleteRoleRequest { id: made.id }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn are_found_by_where_they_are() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        admin.must::<RolesCreate>(new_role(&org, role("looker", &["groups.list"]))).await;
        let at = |parent: &str| RoleFilter { parent: parent.into(), ..RoleFilter::default() };
        assert_eq!(names(s, &admin, at(&org)).await, ["looker"]);
        let built_in = names(s, &admin, at("/")).await;
        assert!(built_in.contains(&"owner".to_owned()) && !built_in.contains(&"looker".to_owned()), "{built_in:?}");
        assert_eq!(names(s, &admin, RoleFilter::default()).await.len(), built_in.len() + 1);
        let below = |place: &str| Some(UidpFilter { children_of: place.into(), ..UidpFilter::default() });
        assert_eq!(names(s, &admin, RoleFilter { uidp: below(&org), ..at(&org) }).await, ["looker"]);
        assert_eq!(names(s, &admin, RoleFilter { uidp: below("/"), ..at(&org) }).await, Vec::<String>::new());
        assert_eq!(names(s, &admin, RoleFilter { name: "viewer".into(), ..at("/") }).await, ["viewer"]);
    })
    .await;
}
