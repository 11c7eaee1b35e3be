use contract::{
    chainguard::platform::iam::{
        DeleteGroupInviteRequest, GroupInvite, GroupInviteFilter, GroupInviteList, GroupInviteRequest,
        rpc::{CreateWithGroup, GroupInvitesCreate, GroupInvitesDelete, GroupInvitesList},
        v2beta1::{self, GetGroupInviteRequest, rpc::GetGroupInvite},
    },
    prost_types::Duration,
};
use domain::Revision;
use store::outbox;
use testkit::scenario;

use crate::v2beta1::{absent, built_in};

fn new_invite(group: &str) -> GroupInviteRequest {
    GroupInviteRequest {
        group: group.into(),
        ttl: Some(Duration { seconds: 3600, nanos: 0 }),
        role: built_in("apk.pull"),
        email: "ana@example.com".into(),
        single_use: true,
    }
}

#[tokio::test]
async fn are_the_invites_of_v2beta1() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made: GroupInvite = s.call::<GroupInvitesCreate>("an invite", &admin, new_invite(&org)).await.ok();
        let GroupInvite { id, key_id, code, .. } = made;
        s.name(&id, "invite");
        s.name(&code, "code");
        s.name(&key_id, "key");
        let read: v2beta1::GroupInvite =
            s.quietly::<GetGroupInvite>(&admin, GetGroupInviteRequest { uid: id.clone() }).await.ok();
        assert_eq!((&read.uid, &read.key_id, read.single_use), (&id, &key_id, true), "it is the invite of v2beta1");

        let by_id = GroupInviteFilter { id: id.clone(), ..GroupInviteFilter::default() };
        s.call::<GroupInvitesList>("by its identifier", &admin, by_id.clone()).await;
        let found = async |group: &str, key_id: &str| {
            let filter = GroupInviteFilter { group: group.into(), key_id: key_id.into(), id: String::new() };
            s.quietly::<GroupInvitesList>(&admin, filter).await.ok::<GroupInviteList>().items.len()
        };
        assert_eq!([found(&org, "").await, found("", &key_id).await, found(&org, "other").await], [1, 1, 0]);
        assert_eq!(found(&absent(&org), "").await, 0, "of another group");

        s.call::<GroupInvitesDelete>("it goes", &admin, DeleteGroupInviteRequest { id: id.clone() }).await;
        s.call::<GroupInvitesDelete>("and is gone", &admin, DeleteGroupInviteRequest { id: id.clone() }).await;
        s.call::<GroupInvitesList>("which a list says by being empty", &admin, by_id).await;

        let mut reader = s.server.store().reader().await.expect("reads");
        let events = outbox::pending(&mut reader, Revision(0), 1000).await.expect("events");
        let told: Vec<_> = events.iter().filter(|event| event.subject == id).collect();
        let expected = ["dev.chainguard.api.iam.group_invite.created.v1", "dev.chainguard.api.iam.group_invite.deleted.v1"];
        assert_eq!(told.iter().map(|event| event.kind.as_str()).collect::<Vec<_>>(), expected);
        assert!(told.iter().all(|event| event.group == org && event.api_version == "v1"), "{told:?}");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn name_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let nothing = GroupInviteRequest { group: org.clone(), ..GroupInviteRequest::default() };
        s.call::<GroupInvitesCreate>("nothing", &admin, nothing).await;
        let absent_role = GroupInviteRequest { role: absent(&org), ..new_invite(&org) };
        s.call::<GroupInvitesCreate>("a role that is not there", &admin, absent_role).await;
        let editor = s.server.workload(s.server.organization(), "editor", Some("editor")).await;
        s.call::<CreateWithGroup>("who may make none", &editor, new_invite(&org)).await;
        s.call::<CreateWithGroup>("in no group", &admin, GroupInviteRequest { group: String::new(), ..new_invite(&org) }).await;
        let made: GroupInvite = s.quietly::<CreateWithGroup>(&admin, new_invite(&org)).await.ok();
        assert!(made.code.starts_with("invite_"));
    })
    .await;
    insta::assert_snapshot!(transcript);
}
