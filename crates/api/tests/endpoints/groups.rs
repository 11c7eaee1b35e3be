//! Groups.

use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{
        CreateGroupRequest, DeleteGroupRequest, GetGroupRequest, Group, ListGroupsRequest, OrgKind, UpdateGroupRequest,
        rpc::{CreateGroup, DeleteGroup, GetGroup, ListGroups, UpdateGroup},
    },
};
use domain::Kind;

use crate::server::{NOW, Server, refused, violated};

fn named(name: &str) -> Group {
    Group { name: name.into(), ..Group::default() }
}

/// A new group below `parent`; empty for an organization.
pub(crate) async fn group(server: &Server, parent: &str, name: &str) -> Group {
    server.call(CreateGroup, CreateGroupRequest { parent: parent.into(), group: Some(named(name)) }).await.unwrap().0
}

#[tokio::test]
async fn groups_come_change_and_go() {
    let server = Server::new().await;
    let org = Group { name: "org".into(), kind: OrgKind::Dev.into(), uid: "ignored".into(), status: 3, ..Group::default() };
    let created = server.call(CreateGroup, CreateGroupRequest { parent: String::new(), group: Some(org) }).await;
    let (org, etag) = created.unwrap();
    let etag = etag.expect("a tag");
    assert_eq!((org.uid.len(), org.name.as_str(), org.kind, org.status), (40, "org", 3, 2));
    let time = Some(prost_types::Timestamp { seconds: NOW.0 / 1000, nanos: 0 });
    assert_eq!((&org.create_time, &org.update_time), (&time, &time));

    let folder = group(&server, &org.uid, "folder").await;
    assert_eq!((folder.kind, folder.status), (org.kind, org.status), "folders show what their organization is");
    let read = server.call(GetGroup, GetGroupRequest { uid: org.uid.clone() }).await.unwrap();
    assert_eq!(read, (org.clone(), Some(etag.clone())));

    let wished = Group { uid: org.uid.clone(), description: "new".into(), ..Group::default() };
    let update = UpdateGroupRequest { group: Some(wished), update_mask: None };
    let (updated, new) = server.call_matching(&etag, UpdateGroup, update.clone()).await.unwrap();
    assert_eq!((updated.name.as_str(), updated.description.as_str()), ("org", "new"));
    assert_ne!(new, Some(etag.clone()));
    let other = Group { uid: org.uid.clone(), ..named("other") };
    let other = UpdateGroupRequest { group: Some(other), update_mask: None };
    let stale = server.call_matching(&etag, UpdateGroup, other).await.unwrap_err();
    assert_eq!(stale.kind(), Kind::Aborted);

    let message = refused(server.call(DeleteGroup, DeleteGroupRequest { uid: org.uid.clone() }).await);
    assert_eq!(message, "Precondition failed: cannot delete group with child groups");
    for uid in [folder.uid, org.uid] {
        assert_eq!(server.call(DeleteGroup, DeleteGroupRequest { uid: uid.clone() }).await.unwrap(), ((), None));
        assert_eq!(server.call(GetGroup, GetGroupRequest { uid }).await.unwrap_err().kind(), Kind::NotFound);
    }
}

#[tokio::test]
async fn lists_have_pages_filters_and_totals() {
    let server = Server::new().await;
    let org = group(&server, "", "org").await;
    for name in ["a", "b", "c"] {
        group(&server, &org.uid, name).await;
    }
    let below = || Some(UidpFilter { children_of: org.uid.clone(), ..UidpFilter::default() });
    let page = |page_token: &str| ListGroupsRequest {
        uidp: below(),
        page_size: 2,
        order_by: "name desc".into(),
        page_token: page_token.into(),
        ..ListGroupsRequest::default()
    };
    let (first, etag) = server.call(ListGroups, page("")).await.unwrap();
    let names = |groups: &[Group]| groups.iter().map(|group| group.name.clone()).collect::<Vec<_>>();
    assert_eq!((names(&first.groups), first.total_count, first.skipped, etag), (vec!["c".into(), "b".into()], Some(3), 0, None));
    let (last, _) = server.call(ListGroups, page(&first.next_page_token)).await.unwrap();
    assert_eq!((names(&last.groups), last.next_page_token.as_str(), last.total_count), (vec!["a".into()], "", Some(3)));

    let skip = ListGroupsRequest { uidp: below(), skip: 1, ..ListGroupsRequest::default() };
    let (rest, _) = server.call(ListGroups, skip).await.unwrap();
    assert_eq!((rest.groups.len(), rest.skipped), (2, 1));
    let by_name = ListGroupsRequest { name: "b".into(), uidp: Some(UidpFilter::default()), ..ListGroupsRequest::default() };
    assert_eq!(server.call(ListGroups, by_name).await.unwrap().0.total_count, Some(1));
    let roots = UidpFilter { children_of: "/".into(), ..UidpFilter::default() };
    let roots = ListGroupsRequest { uidp: Some(roots), ..ListGroupsRequest::default() };
    assert_eq!(names(&server.call(ListGroups, roots).await.unwrap().0.groups), ["org"]);
}

#[tokio::test]
async fn bad_requests_name_their_fields() {
    let server = Server::new().await;
    let create = |parent: &str, name: &str| {
        server.call(CreateGroup, CreateGroupRequest { parent: parent.into(), group: Some(named(name)) })
    };
    assert_eq!(violated(create("X", "a").await), ["parent"]);
    assert_eq!(violated(create("", "").await), ["name"]);
    assert_eq!(violated(server.call(GetGroup, GetGroupRequest { uid: "X".into() }).await), ["uid"]);
    let list = |request| server.call(ListGroups, request);
    assert_eq!(violated(list(ListGroupsRequest { page_size: -1, ..ListGroupsRequest::default() }).await), ["page_size"]);
    assert_eq!(violated(list(ListGroupsRequest { skip: -1, ..ListGroupsRequest::default() }).await), ["skip"]);
    assert_eq!(violated(list(ListGroupsRequest { order_by: "size".into(), ..ListGroupsRequest::default() }).await), ["order_by"]);
    assert_eq!(
        violated(list(ListGroupsRequest { page_token: "x".into(), ..ListGroupsRequest::default() }).await),
        ["page_token"]
    );
    let bad = Some(UidpFilter { descendants_of: "X".into(), ..UidpFilter::default() });
    assert_eq!(violated(list(ListGroupsRequest { uidp: bad, ..ListGroupsRequest::default() }).await), ["uidp.descendants_of"]);
    assert_eq!(violated(server.call(UpdateGroup, UpdateGroupRequest::default()).await), ["uid"]);
}
