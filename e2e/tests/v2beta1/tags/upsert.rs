use client::Options;
use contract::chainguard::{
    capabilities::Capability,
    platform::{
        iam::v2beta1::{
            CreateRoleBindingRequest, CreateRoleRequest, Role, RoleBinding,
            rpc::{CreateRole, CreateRoleBinding},
        },
        registry::v2beta1::{
            CreateTagRequest, DeleteRepoRequest, GetTagRequest, Tag,
            rpc::{CreateTag, DeleteRepo, GetTag},
        },
    },
};
use testkit::scenario;

use super::{digest, make_repo, new_tag};
use crate::v2beta1::absent;

#[tokio::test]
async fn makes_a_tag_and_changes_it() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let repo = make_repo(s, &admin, "app").await;
        let made = s.call::<CreateTag>("a tag", &admin, new_tag(&repo.uid, "latest", 1)).await;
        let tag: Tag = made.ok();
        s.server.clock().advance_seconds(60);
        let again = s.quietly::<CreateTag>(&admin, new_tag(&repo.uid, "latest", 1)).await;
        assert_eq!(again, made, "the same values change nothing");
        s.call::<CreateTag>("of that name, with another digest", &admin, new_tag(&repo.uid, "latest", 2)).await;
        let mut deprecated = new_tag(&repo.uid, "latest", 2);
        deprecated.tag = deprecated.tag.map(|tag| Tag { deprecated: true, bundles: vec!["base".into()], ..tag });
        let changed = s.call::<CreateTag>("deprecated, in a bundle", &admin, deprecated).await;
        let stale = Options { if_match: Some("\"0\"".into()), ..Options::default() };
        let refused = s.quietly_with::<CreateTag>(&admin, new_tag(&repo.uid, "latest", 3), &stale).await;
        assert_eq!(refused.code, "ABORTED", "{:#}", refused.body);
        let current = Options { if_match: changed.etag, ..Options::default() };
        assert_eq!(s.quietly_with::<CreateTag>(&admin, new_tag(&repo.uid, "latest", 3), &current).await.code, "OK");

        s.call::<DeleteRepo>("the repo goes", &admin, DeleteRepoRequest { uid: repo.uid }).await;
        s.call::<GetTag>("and its tags with it", &admin, GetTagRequest { uid: tag.uid }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn another_digest_needs_more_than_making_tags() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let repo = make_repo(s, &admin, "app").await;
        let mut pushers = Vec::new();
        for (name, capabilities) in [
            ("maker", vec![Capability::CapTagCreate.into()]),
            ("mover", vec![Capability::CapTagCreate.into(), Capability::CapTagUpdate.into()]),
        ] {
            let role = Role { name: name.into(), capabilities, ..Role::default() };
            let role = admin.must::<CreateRole>(CreateRoleRequest { parent: org.to_string(), role: Some(role) }).await;
            let pusher = s.server.workload(&org, name, None).await;
            let binding = RoleBinding { identity_uid: pusher.uid().to_string(), role_uid: role.uid, ..RoleBinding::default() };
            let request = CreateRoleBindingRequest { parent: org.to_string(), role_binding: Some(binding) };
            admin.must::<CreateRoleBinding>(request).await;
            pushers.push(pusher);
        }
        let [maker, mover] = &pushers[..] else { unreachable!("there are two") };
        s.call::<CreateTag>("a new tag", maker, new_tag(&repo.uid, "latest", 1)).await;
        s.call::<CreateTag>("the same again", maker, new_tag(&repo.uid, "latest", 1)).await;
        s.call::<CreateTag>("another digest", maker, new_tag(&repo.uid, "latest", 2)).await;
        s.call::<CreateTag>("by who may change tags", mover, new_tag(&repo.uid, "latest", 2)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let repo = make_repo(s, &admin, "app").await;
        let with = |tag: Tag| CreateTagRequest { parent: repo.uid.clone(), tag: Some(tag) };
        let named = |name: &str| new_tag(&repo.uid, name, 1);
        s.call::<CreateTag>("nothing", &admin, with(Tag::default())).await;
        s.call::<CreateTag>("a name with a slash", &admin, named("a/b")).await;
        s.call::<CreateTag>("a name that is too long", &admin, named(&"a".repeat(129))).await;
        let short = Tag { name: "latest".into(), digest: "sha256:0".into(), ..Tag::default() };
        s.call::<CreateTag>("a digest that is too short", &admin, with(short)).await;
        let bundled = Tag { name: "latest".into(), digest: digest(1), bundles: vec!["none".into()], ..Tag::default() };
        s.call::<CreateTag>("a bundle that there is not", &admin, with(bundled)).await;
        s.call::<CreateTag>("a parent that is a group", &admin, new_tag(s.server.organization().as_str(), "latest", 1)).await;
        s.call::<CreateTag>("a parent that does not exist", &admin, new_tag(&absent(&repo.uid), "latest", 1)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
