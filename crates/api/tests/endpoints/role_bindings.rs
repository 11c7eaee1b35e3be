//! Role bindings.

use contract::chainguard::platform::iam::v2beta1::{
    BatchCreateRoleBindingsRequest, CreateRoleBindingRequest, DeleteRoleBindingRequest, GetRoleBindingRequest,
    ListRoleBindingsRequest, RoleBinding, UpdateRoleBindingRequest,
    rpc::{BatchCreateRoleBindings, CreateRoleBinding, DeleteRoleBinding, GetRoleBinding, ListRoleBindings, UpdateRoleBinding},
};
use domain::{Kind, iam::role::built_in_uid};

use crate::{
    groups::group,
    identities::workload,
    roles::role,
    server::{Server, violated},
};

fn binding(identity: &str, role: &str) -> RoleBinding {
    RoleBinding { identity_uid: identity.into(), role_uid: role.into(), ..RoleBinding::default() }
}

#[tokio::test]
async fn bindings_come_change_and_go() {
    let server = Server::new().await;
    let org = group(&server, "", "org").await.uid;
    let identity = workload(&server, &org, "ci").await.uid;
    let role = role(&server, &org, "reader").await.uid;
    let request = CreateRoleBindingRequest { parent: org.clone(), role_binding: Some(binding(&identity, &role)) };
    let (created, etag) = server.call(CreateRoleBinding, request).await.unwrap();
    assert_eq!((created.identity_uid.as_str(), created.role_uid.as_str()), (identity.as_str(), role.as_str()));
    let shown = created.identity.clone().expect("the identity is shown");
    assert_eq!((shown.uid.as_str(), shown.name.as_str(), shown.subject.as_str()), (identity.as_str(), "ci", "ci"));
    assert_eq!(shown.issuer, "https://issuer.example");
    assert_eq!(created.group.clone().map(|group| (group.uid, group.name)), Some((org.clone(), "org".into())));
    assert_eq!(created.role.clone().map(|role| (role.uid, role.name)), Some((role, "reader".into())));
    let read = server.call(GetRoleBinding, GetRoleBindingRequest { uid: created.uid.clone() }).await.unwrap();
    assert_eq!(read, (created.clone(), etag));

    let viewer = built_in_uid("viewer").to_string();
    let wished = RoleBinding { uid: created.uid.clone(), ..binding("", &viewer) };
    let request = UpdateRoleBindingRequest { role_binding: Some(wished), update_mask: None };
    let (updated, _) = server.call(UpdateRoleBinding, request).await.unwrap();
    assert_eq!((updated.identity_uid, updated.role.map(|role| role.name)), (identity, Some("viewer".into())));

    for _ in 0..2 {
        server.call(DeleteRoleBinding, DeleteRoleBindingRequest { uid: created.uid.clone() }).await.unwrap();
    }
    let gone = server.call(GetRoleBinding, GetRoleBindingRequest { uid: created.uid }).await;
    assert_eq!(gone.unwrap_err().kind(), Kind::NotFound);
}

#[tokio::test]
async fn batches_are_made_in_order_and_listed_by_every_filter() {
    let server = Server::new().await;
    let org = group(&server, "", "org").await.uid;
    let (a, b) = (workload(&server, &org, "a").await.uid, workload(&server, &org, "b").await.uid);
    let viewer = built_in_uid("viewer").to_string();
    let requests = [&b, &a].map(|uid| CreateRoleBindingRequest { parent: String::new(), role_binding: Some(binding(uid, "")) });
    let batch = BatchCreateRoleBindingsRequest { parent: org.clone(), requests: requests.to_vec(), role_uid: viewer.clone() };
    let (made, etag) = server.call(BatchCreateRoleBindings, batch.clone()).await.unwrap();
    assert_eq!(
        (made.role_bindings.iter().map(|made| made.identity_uid.clone()).collect::<Vec<_>>(), etag),
        (vec![b, a.clone()], None)
    );

    let count = |request| async { server.call(ListRoleBindings, request).await.unwrap().0.total_count };
    let all = ListRoleBindingsRequest::default;
    assert_eq!(count(ListRoleBindingsRequest { identity: a.clone(), ..all() }).await, Some(1));
    assert_eq!(count(ListRoleBindingsRequest { group: org.clone(), ..all() }).await, Some(2));
    assert_eq!(count(ListRoleBindingsRequest { role: viewer, ..all() }).await, Some(2));
    assert_eq!(count(ListRoleBindingsRequest { role: org, ..all() }).await, Some(0));

    let bad = BatchCreateRoleBindingsRequest { role_uid: a, ..batch };
    assert_eq!(violated(server.call(BatchCreateRoleBindings, bad).await), ["requests[0].role_binding.role_uid"]);
    assert_eq!(count(all()).await, Some(2));
}

#[tokio::test]
async fn bad_requests_name_their_fields() {
    let server = Server::new().await;
    let org = group(&server, "", "org").await.uid;
    let create =
        |binding| server.call(CreateRoleBinding, CreateRoleBindingRequest { parent: org.clone(), role_binding: binding });
    assert_eq!(violated(create(None).await), ["identity_uid", "role_uid"]);
    let list = |request| server.call(ListRoleBindings, request);
    let bad = || "X".to_owned();
    let request = ListRoleBindingsRequest { identity: bad(), group: bad(), role: bad(), ..ListRoleBindingsRequest::default() };
    assert_eq!(violated(list(request).await), ["identity", "group", "role"]);
    let request = ListRoleBindingsRequest { order_by: "name".into(), ..ListRoleBindingsRequest::default() };
    assert_eq!(violated(list(request).await), ["order_by"]);
}
