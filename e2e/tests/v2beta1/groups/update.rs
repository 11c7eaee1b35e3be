use client::Options;
use contract::{
    chainguard::platform::iam::v2beta1::{
        Group, UpdateGroupRequest,
        rpc::{CreateGroup, UpdateGroup},
    },
    prost_types::FieldMask,
};
use testkit::scenario;

use super::new_group;

fn update(group: Group, paths: &[&str]) -> UpdateGroupRequest {
    let update_mask = (!paths.is_empty()).then(|| FieldMask { paths: paths.iter().map(|path| (*path).to_owned()).collect() });
    UpdateGroupRequest { group: Some(group), update_mask }
}

#[tokio::test]
async fn changes_what_the_mask_names() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, "team-a")).await.ok();
        let wish = |name: &str, description: &str| Group {
            uid: made.uid.clone(),
            name: name.into(),
            description: description.into(),
            ..Group::default()
        };
        s.server.clock().advance_seconds(60);
        s.call::<UpdateGroup>("without a mask what is sent changes", &admin, update(wish("", "first"), &[])).await;
        s.call::<UpdateGroup>("with a mask nothing else changes", &admin, update(wish("team-b", "ignored"), &["name"])).await;
        s.call::<UpdateGroup>("a masked empty value clears", &admin, update(wish("", ""), &["description"])).await;
        s.call::<UpdateGroup>("a star replaces all", &admin, update(wish("team-c", "all"), &["*"])).await;
        s.call::<UpdateGroup>("an unknown path", &admin, update(wish("team-d", ""), &["nme"])).await;
        s.call::<UpdateGroup>("output-only paths are ignored", &admin, update(wish("team-e", ""), &["uid", "create_time"])).await;
        s.call::<UpdateGroup>("a name that becomes empty", &admin, update(wish("", ""), &["name"])).await;
        s.call::<UpdateGroup>("an empty body changes nothing", &admin, update(wish("", ""), &[])).await;
        let absent = Group { uid: format!("{org}/{}", "0".repeat(16)), name: "x".into(), ..Group::default() };
        s.call::<UpdateGroup>("a group that does not exist", &admin, update(absent, &["name"])).await;
        let verified = Group { verified: true, ..wish("", "") };
        s.call::<UpdateGroup>("verified is for operators", &admin, update(verified, &["verified"])).await;
        let kind = Group { kind: 2, ..wish("", "") };
        s.call::<UpdateGroup>("a folder has its organization's kind", &admin, update(kind, &["kind"])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn refuses_what_was_read_too_long_ago() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made = s.quietly::<CreateGroup>(&admin, new_group(&org, "team-a")).await;
        let etag = made.etag.clone().expect("a created resource has an entity tag");
        let group: Group = made.ok();
        let rename = |name: &str| update(Group { uid: group.uid.clone(), name: name.into(), ..Group::default() }, &[]);
        let matching = Options { if_match: Some(etag), ..Options::default() };
        let first = admin.call_with::<UpdateGroup>(s.transport, rename("first"), &matching).await;
        s.transcript.step("with the current entity tag", &first);
        let second = admin.call_with::<UpdateGroup>(s.transport, rename("second"), &matching).await;
        s.transcript.step("with the one before", &second);
        let dry = Options { validate_only: true, ..Options::default() };
        let rehearsed = admin.call_with::<UpdateGroup>(s.transport, rename("rehearsed"), &dry).await;
        assert_eq!(rehearsed.ok::<Group>().name, "rehearsed");
        let kept = s.quietly::<UpdateGroup>(&admin, update(Group { uid: group.uid.clone(), ..Group::default() }, &[])).await;
        assert_eq!(kept.ok::<Group>().name, "first", "a rehearsal keeps nothing");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
