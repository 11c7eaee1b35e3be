use contract::chainguard::platform::iam::{
    CreateGroupRequest, DeleteGroupRequest, Group, GroupFilter, GroupList,
    rpc::{GroupsCreate, GroupsDelete, GroupsList, GroupsUpdate},
    v2beta1::{self, GetGroupRequest, rpc::GetGroup},
};
use testkit::{Actor, Scenario, scenario};

use super::below;
use crate::v2beta1::absent;

fn new_group(parent: &str, name: &str) -> CreateGroupRequest {
    let group = Group { name: name.into(), description: "Builds the shop.".into(), ..Group::default() };
    CreateGroupRequest { parent: parent.into(), group: Some(group) }
}

async fn names(s: &Scenario, actor: &Actor, filter: GroupFilter) -> Vec<String> {
    let listed = s.quietly::<GroupsList>(actor, filter).await;
    assert_eq!(listed.code, "OK", "{:#}", listed.body);
    listed.ok::<GroupList>().items.into_iter().map(|group| group.name).collect()
}

#[tokio::test]
async fn are_the_groups_of_v2beta1() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made = s.quietly::<GroupsCreate>(&admin, new_group(&org, "team")).await;
        let group: Group = made.ok();
        s.name(&group.id, "team");
        s.call::<GroupsList>("one of them", &admin, GroupFilter { id: group.id.clone(), ..GroupFilter::default() }).await;
        let read = s.call::<GetGroup>("in the other version", &admin, GetGroupRequest { uid: group.id.clone() }).await;
        assert_eq!(made.etag, read.etag);

        s.server.clock().advance_seconds(60);
        let renamed = Group { id: group.id.clone(), name: "shop".into(), ..Group::default() };
        s.call::<GroupsUpdate>("what is not sent is cleared", &admin, renamed).await;
        let read: v2beta1::Group = s.quietly::<GetGroup>(&admin, GetGroupRequest { uid: group.id.clone() }).await.ok();
        assert_eq!((read.name.as_str(), read.description.as_str()), ("shop", ""));

        s.call::<GroupsDelete>("it goes", &admin, DeleteGroupRequest { id: group.id.clone() }).await;
        s.call::<GroupsDelete>("and goes once", &admin, DeleteGroupRequest { id: group.id.clone() }).await;
        s.call::<GroupsList>("nothing is there", &admin, GroupFilter { id: group.id, ..GroupFilter::default() }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn are_listed_as_a_whole() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        for n in 0..210 {
            admin.must::<GroupsCreate>(new_group(&org, &format!("g{n:03}"))).await;
        }
        let all = GroupFilter { uidp: Some(below(&org)), ..GroupFilter::default() };
        let mut listed = names(s, &admin, all).await;
        listed.sort();
        let (made, total): (Vec<_>, _) = (listed.iter().filter(|name| name.starts_with('g')).collect(), listed.len());
        assert_eq!((total, made.len(), made[0].as_str(), made[209].as_str()), (211, 210, "g000", "g209"));
        let named = GroupFilter { name: "g007".into(), ..GroupFilter::default() };
        assert_eq!(names(s, &admin, named).await, ["g007"]);

        let viewer = s.server.workload(s.server.organization(), "viewer", Some("viewer")).await;
        assert_eq!(names(s, &viewer, GroupFilter::default()).await.len(), 211);
        let nobodys = s.server.workload(s.server.organization(), "robot", None).await;
        assert_eq!(names(s, &nobodys, GroupFilter::default()).await.len(), 0);
    })
    .await;
}

#[tokio::test]
async fn name_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        s.call::<GroupsCreate>("nothing", &admin, CreateGroupRequest { parent: org.clone(), group: None }).await;
        let bad = Group { id: org.clone(), name: "A".into(), description: "\n".into(), kind: 6, ..Group::default() };
        s.call::<GroupsUpdate>("everything", &admin, bad).await;
        let absent = Group { id: absent(&org), name: "a".into(), ..Group::default() };
        s.call::<GroupsUpdate>("one that does not exist", &admin, absent).await;
        let filter = GroupFilter { id: "x".into(), ..GroupFilter::default() };
        s.call::<GroupsList>("no identifier", &admin, filter).await;
        admin.must::<GroupsCreate>(new_group(&org, "inside")).await;
        s.call::<GroupsDelete>("with a folder in it", &admin, DeleteGroupRequest { id: org.clone() }).await;
        let viewer = s.server.workload(s.server.organization(), "viewer", Some("viewer")).await;
        s.call::<GroupsCreate>("by a viewer", &viewer, new_group(&org, "team")).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn organizations_belong_to_who_makes_them() {
    scenario(async |s| {
        let admin = s.server.admin();
        let made = s.quietly::<GroupsCreate>(&admin, new_group("", "another")).await;
        assert_eq!(made.code, "OK", "{:#}", made.body);
        let id = made.ok::<Group>().id;
        assert_eq!(names(s, &admin, GroupFilter { id, ..GroupFilter::default() }).await, ["another"]);
    })
    .await;
}
