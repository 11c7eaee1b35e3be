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
        let _absent = Group { uid: format!("{org}/{}", "0".repeat(16)), name: "x".into(), ..Group::default() };
        let verified = Group { verified: true, ..wish("", "") };
        s.call::<UpdateGroup>("verified is for operators", &admin, update(verified, &["verified"])).await;
        let kind = Group { kind: 2, ..wish("", "") };
        s.call::<UpdateGroup>("a folder has its organization's kind", &admin, update(kind, &["kind"])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
