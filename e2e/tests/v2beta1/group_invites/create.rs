use client::Options;
use contract::{
    chainguard::platform::iam::v2beta1::{
        DeleteGroupInviteRequest, GetGroupInviteRequest, GroupInvite, ListGroupInvitesRequest, ListGroupInvitesResponse,
        rpc::{CreateGroup, CreateGroupInvite, DeleteGroupInvite, GetGroupInvite, ListGroupInvites},
    },
    prost_types::Duration,
};
use domain::Revision;
use store::outbox;
use testkit::scenario;

use super::{invite, new_invite};
use crate::v2beta1::{absent, groups::new_group};

const WEEK: i64 = 7 * 24 * 3600;

#[tokio::test]
async fn shows_the_code_once() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let wish = GroupInvite { email: "ana@example.com".into(), single_use: true, ..invite("apk.pull", WEEK) };
        let made = s.call::<CreateGroupInvite>("an invite", &admin, new_invite(&org, wish)).await;
        let made: GroupInvite = made.ok();
        s.name(&made.uid, "invite");
        s.name(&made.code, "code");
        s.name(&made.key_id, "key");
        assert!(made.code.contains(&made.key_id), "the code says what it is checked with");
        let get = GetGroupInviteRequest { uid: made.uid.clone() };
        s.call::<GetGroupInvite>("read again", &admin, get).await;
        let by_key = ListGroupInvitesRequest { key_id: made.key_id.clone(), ..ListGroupInvitesRequest::default() };
        s.call::<ListGroupInvites>("found by its key", &admin, by_key).await;
        let other = ListGroupInvitesRequest { key_id: "other".into(), ..ListGroupInvitesRequest::default() };
        let found: ListGroupInvitesResponse = s.quietly::<ListGroupInvites>(&admin, other).await.ok();
        assert_eq!((found.group_invites.len(), found.total_count), (0, Some(0)));
        let again: GroupInvite = s.quietly::<CreateGroupInvite>(&admin, new_invite(&org, invite("apk.pull", WEEK))).await.ok();
        assert!(again.code != made.code && again.key_id != made.key_id, "each has its own");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        s.call::<CreateGroupInvite>("nothing", &admin, new_invite(&org, GroupInvite::default())).await;
        let ttl = |seconds, nanos| GroupInvite { ttl: Some(Duration { seconds, nanos }), ..invite("viewer", 1) };
        s.call::<CreateGroupInvite>("for no time", &admin, new_invite(&org, ttl(0, 0))).await;
        s.call::<CreateGroupInvite>("for less than that", &admin, new_invite(&org, ttl(-5, 0))).await;
        s.call::<CreateGroupInvite>("for more than a year", &admin, new_invite(&org, ttl(365 * 24 * 3600, 1))).await;
        let email = |email: &str| GroupInvite { email: email.into(), ..invite("viewer", 1) };
        s.call::<CreateGroupInvite>("for nobody in particular", &admin, new_invite(&org, email("ana"))).await;
        let long = format!("{}@example.com", "a".repeat(300));
        s.call::<CreateGroupInvite>("for somebody with a long name", &admin, new_invite(&org, email(&long))).await;
        let role = GroupInvite { role_uid: absent(&org), ..invite("viewer", 1) };
        s.call::<CreateGroupInvite>("a role that is not there", &admin, new_invite(&org, role)).await;
        let group = s.server.workload(s.server.organization(), "robot", None).await.uid().to_string();
        s.name(&group, "identity");
        s.call::<CreateGroupInvite>("a parent that is no group", &admin, new_invite(&group, invite("viewer", 1))).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_code_is_neither_replayed_nor_rehearsed() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let rehearsal = Options { validate_only: true, ..Options::default() };
        let wish = || new_invite(&org, invite("viewer", WEEK));
        let tried: GroupInvite = s.quietly_with::<CreateGroupInvite>(&admin, wish(), &rehearsal).await.ok();
        assert_eq!(tried.code, "", "what is only tried has no code");
        let keyed = Options { idempotency_key: Some("once".into()), ..Options::default() };
        let made: GroupInvite = s.quietly_with::<CreateGroupInvite>(&admin, wish(), &keyed).await.ok();
        s.server.clock().advance_seconds(31);
        s.call_with::<CreateGroupInvite>("the same again", &admin, wish(), &keyed).await;

        // Neither the code nor its secret part is anywhere in the database.
        let secret = made.code.rsplit('_').next().expect("a secret part");
        let mut reader = s.server.store().reader().await.expect("reads");
        let events = outbox::pending(&mut reader, Revision(0), 1000).await.expect("events");
        assert!(!format!("{events:?}").contains(secret));
        drop(reader);
        let left: ListGroupInvitesResponse = s.quietly::<ListGroupInvites>(&admin, ListGroupInvitesRequest::default()).await.ok();
        assert_eq!(left.group_invites.len(), 1, "it was made once");
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_group_has_so_many_at_most() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let mut last = GroupInvite::default();
        for _ in 0..500 {
            last = admin.must::<CreateGroupInvite>(new_invite(&org, invite("viewer", 1))).await;
        }
        s.server.clock().advance_seconds(60);
        let admin = s.server.admin_again().await;
        s.call::<CreateGroupInvite>("one more, when all have expired", &admin, new_invite(&org, invite("viewer", 1))).await;
        let folder = admin.must::<CreateGroup>(new_group(&org, "team")).await;
        let below = s.quietly::<CreateGroupInvite>(&admin, new_invite(&folder.uid, invite("viewer", 1))).await;
        assert_eq!(below.code, "OK", "a folder has its own: {:#}", below.body);
        admin.must::<DeleteGroupInvite>(DeleteGroupInviteRequest { uid: last.uid }).await;
        let instead = s.quietly::<CreateGroupInvite>(&admin, new_invite(&org, invite("viewer", 1))).await;
        assert_eq!(instead.code, "OK", "in the place of one that is gone: {:#}", instead.body);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn is_an_event_of_its_group_that_tells_when_it_ends_and_no_more() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let wish = GroupInvite { email: "ana@example.com".into(), ..invite("viewer", WEEK) };
        let made = admin.must::<CreateGroupInvite>(new_invite(&org, wish)).await;
        admin.must::<DeleteGroupInvite>(DeleteGroupInviteRequest { uid: made.uid.clone() }).await;
        let mut reader = s.server.store().reader().await.expect("reads");
        let events = outbox::pending(&mut reader, Revision(0), 1000).await.expect("events");
        let told: Vec<_> = events.iter().filter(|event| event.subject == made.uid).collect();
        let kinds: Vec<_> = told.iter().map(|event| event.kind.as_str()).collect();
        let expected = ["dev.chainguard.api.iam.group_invite.created.v1", "dev.chainguard.api.iam.group_invite.deleted.v1"];
        assert_eq!(kinds, expected);
        assert!(told.iter().all(|event| event.group == org && event.customer && event.api_version == "v2beta1"), "{told:?}");
        let ends = made.expiration_time.expect("an end");
        let body =
            format!(r#"{{"uid":"{}","expires_at":{}}}"#, made.uid, ends.seconds * 1000 + i64::from(ends.nanos) / 1_000_000);
        assert_eq!(told[0].snapshot, body);
    })
    .await;
}
