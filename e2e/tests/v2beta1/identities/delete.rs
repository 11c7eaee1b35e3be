use contract::chainguard::platform::iam::v2beta1::{
    DeleteGroupRequest, DeleteIdentityRequest, GetGroupRequest, Group, Identity, ListRoleBindingsRequest,
    ListRoleBindingsResponse,
    rpc::{CreateGroup, CreateIdentity, DeleteGroup, DeleteIdentity, GetGroup, ListRoleBindings},
};
use testkit::scenario;

use super::{ci, new_identity};
use crate::v2beta1::groups::new_group;

fn delete(uid: &str) -> DeleteIdentityRequest {
    DeleteIdentityRequest { uid: uid.into() }
}

#[tokio::test]
async fn takes_bindings_and_tokens_along() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let viewer = s.server.workload(&org, "viewer", Some("viewer")).await;
        let look = GetGroupRequest { uid: org.to_string() };
        assert_eq!(s.quietly::<GetGroup>(&viewer, look.clone()).await.code, "OK");
        s.call::<DeleteIdentity>("by itself, a viewer", &viewer, delete(viewer.uid().as_str())).await;
        s.call::<DeleteIdentity>("by an owner", &admin, delete(viewer.uid().as_str())).await;
        s.call::<GetGroup>("its token is worth nothing", &viewer, look).await;
        let bindings = ListRoleBindingsRequest { identity: viewer.uid().to_string(), ..ListRoleBindingsRequest::default() };
        let left: ListRoleBindingsResponse = s.quietly::<ListRoleBindings>(&admin, bindings).await.ok();
        assert_eq!((left.role_bindings, left.total_count), (vec![], Some(0)), "its bindings are gone");
        s.call::<DeleteIdentity>("a second time", &admin, delete(viewer.uid().as_str())).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn folders_wait_for_it_and_users_stay() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, "team-a")).await.ok();
        let identity: Identity = s.quietly::<CreateIdentity>(&admin, new_identity(&folder.uid, "ci", Some(ci()))).await.ok();
        s.call::<DeleteIdentity>("a user, who belongs to no organization", &admin, delete(s.server.admin_uid().as_str())).await;
        let folder = DeleteGroupRequest { uid: folder.uid };
        s.call::<DeleteGroup>("a folder with an identity stays", &admin, folder.clone()).await;
        s.call::<DeleteIdentity>("it goes", &admin, delete(&identity.uid)).await;
        s.call::<DeleteGroup>("then the folder can go", &admin, folder).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
