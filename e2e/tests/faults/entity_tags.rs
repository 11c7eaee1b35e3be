//! Entity tags name versions and tell nothing else: not how much is written, and not when.

use contract::chainguard::platform::iam::v2beta1::{
    GetGroupRequest, Group, UpdateGroupRequest,
    rpc::{CreateGroup, GetGroup, UpdateGroup},
};
use testkit::{Setup, TestServer, Transport, scenario};

use crate::v2beta1::{groups::new_group, mask};

/// The number that a tag could be.
fn number(tag: Option<String>) -> u64 {
    let tag = tag.expect("an entity tag");
    u64::from_str_radix(tag.trim_matches('"'), 16).unwrap_or_else(|_| panic!("{tag} is no tag of 64 bits"))
}

#[tokio::test]
async fn tags_do_not_count_what_is_written() {
    scenario(async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let made = s.quietly::<CreateGroup>(&admin, new_group(&org, "first")).await;
        let uid = made.ok::<Group>().uid;
        let mut tags = vec![number(made.etag)];
        for round in 0..8 {
            s.quietly::<CreateGroup>(&admin, new_group(&org, &format!("other-{round}"))).await.ok::<Group>();
            let group = Some(Group { uid: uid.clone(), name: format!("round-{round}"), ..Group::default() });
            let update = UpdateGroupRequest { group, update_mask: mask(&["name"]) };
            tags.push(number(s.quietly::<UpdateGroup>(&admin, update).await.etag));
        }
        let steps: Vec<_> = tags.windows(2).map(|pair| pair[0].abs_diff(pair[1])).collect();
        assert!(steps.iter().all(|step| *step > 1 << 20), "close to each other: {tags:x?}");
        assert!(!tags.is_sorted(), "in the order of writes: {tags:x?}");
        let read = s.quietly::<GetGroup>(&admin, GetGroupRequest { uid }).await;
        assert_eq!(number(read.etag), tags[8], "as it was written");
    })
    .await;
}

#[tokio::test]
async fn each_key_has_its_own_tags() {
    let (one, other) = (TestServer::start().await, TestServer::start_with(Setup { entropy: 1, ..Setup::default() }).await);
    let mut tags = Vec::new();
    for server in [one, other] {
        let uid = server.organization().to_string();
        tags.push(number(server.admin().call::<GetGroup>(Transport::Grpc, GetGroupRequest { uid }).await.etag));
        server.stop().await;
    }
    assert_ne!(tags[0], tags[1]);
}
