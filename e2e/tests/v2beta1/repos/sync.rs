use contract::chainguard::platform::{
    iam::v2beta1::{
        GetGroupRequest, Group,
        rpc::{CreateGroup, GetGroup},
    },
    registry::v2beta1::{
        CatalogTier, CreateRepoRequest, DeleteRepoRequest, GetRepoRequest, Repo, SyncConfig,
        rpc::{CreateRepo, DeleteRepo, GetRepo, UpdateRepo},
    },
};
use testkit::scenario;

use super::{new_repo, texts, update::update, with};
use crate::v2beta1::{absent, groups::new_group, roles::holder};

/// A repo in the group `parent` that follows `source`.
fn following(parent: &str, name: &str, source: &str) -> CreateRepoRequest {
    let sync_config = Some(SyncConfig { source: source.into(), ..SyncConfig::default() });
    with(parent, Repo { name: name.into(), sync_config, ..Repo::default() })
}

/// A repo that others follow.
fn source() -> Repo {
    Repo {
        name: "source".into(),
        description: "The source".into(),
        catalog_tier: CatalogTier::Base.into(),
        bundles: texts(&["base"]),
        aliases: texts(&["source:latest"]),
        active_tags: texts(&["latest"]),
        ..Repo::default()
    }
}

#[tokio::test]
async fn a_synced_repo_shows_what_its_source_has() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let from: Repo = s.quietly::<CreateRepo>(&admin, with(&org, source())).await.ok();
        let by_uid = s.call::<CreateRepo>("following by identifier", &admin, following(&org, "follower", &from.uid)).await;
        let follower: Repo = by_uid.ok();
        let by_name: Repo = s.quietly::<CreateRepo>(&admin, following(&org, "by-name", "source")).await.ok();
        assert_eq!(by_name.sync_config.map(|sync| sync.source), Some(from.uid.clone()), "a name is found and kept as UIDP");
        let organization: Group = s.quietly::<GetGroup>(&admin, GetGroupRequest { uid: org.clone() }).await.ok();
        let reference = format!("{}/{}/source", s.server.host(), organization.name);
        let by_reference: Repo = s.quietly::<CreateRepo>(&admin, following(&org, "by-reference", &reference)).await.ok();
        assert_eq!(by_reference.sync_config.map(|sync| sync.source), Some(from.uid.clone()), "and so is a reference");

        s.server.clock().advance_seconds(60);
        let moved = Repo { bundles: texts(&["fips"]), description: "It moved".into(), ..Repo::default() };
        admin.must::<UpdateRepo>(update(&from.uid, moved, &[])).await;
        s.call::<GetRepo>("after the source changed", &admin, GetRepoRequest { uid: follower.uid.clone() }).await;
        let own = Repo { description: "Its own".into(), ..Repo::default() };
        s.call::<UpdateRepo>("with a description of its own", &admin, update(&follower.uid, own, &[])).await;
        let tier = Repo { catalog_tier: CatalogTier::Ai.into(), ..Repo::default() };
        s.call::<UpdateRepo>("the tier is the source's", &admin, update(&follower.uid, tier, &[])).await;
        let lists = Repo { bundles: texts(&["ai"]), aliases: texts(&["a:1"]), active_tags: texts(&["1"]), ..Repo::default() };
        s.call::<UpdateRepo>("and so are the lists", &admin, update(&follower.uid, lists, &[])).await;
        let same = Repo { bundles: texts(&["fips"]), ..Repo::default() };
        s.call::<UpdateRepo>("saying what is so is no change", &admin, update(&follower.uid, same, &["bundles"])).await;
        admin.must::<DeleteRepo>(DeleteRepoRequest { uid: from.uid }).await;
        s.call::<GetRepo>("after the source is gone", &admin, GetRepoRequest { uid: follower.uid.clone() }).await;
        s.call::<UpdateRepo>("standing on its own", &admin, update(&follower.uid, Repo::default(), &["sync_config"])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn sources_are_repos_that_the_caller_may_read() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let create = |source: &str| following(org.as_str(), "follower", source);
        s.call::<CreateRepo>("no source", &admin, create("")).await;
        s.call::<CreateRepo>("a source that does not exist", &admin, create(&absent(org.as_str()))).await;
        s.call::<CreateRepo>("a name that no repo has", &admin, create("nothing")).await;
        s.call::<CreateRepo>("a reference elsewhere", &admin, create("registry.example/org/source")).await;
        let host = s.server.host();
        s.call::<CreateRepo>("a reference without an organization", &admin, create(&format!("{host}/source"))).await;
        s.call::<CreateRepo>("a source that is too long", &admin, create(&"a".repeat(3000))).await;
        s.call::<CreateRepo>("a source that is a group", &admin, create(org.as_str())).await;
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(org.as_str(), "team-a")).await.ok();
        let hidden: Repo = s.quietly::<CreateRepo>(&admin, with(&folder.uid, source())).await.ok();
        let other: Group = s.quietly::<CreateGroup>(&admin, new_group(org.as_str(), "team-b")).await.ok();
        let below = other.uid.parse().expect("a folder's uid");
        let creator = holder(s, &below, "creator", &["repo.create", "repo.list"]).await;
        let from_hidden = following(&other.uid, "follower", &hidden.uid);
        s.call::<CreateRepo>("a source that its maker may not read", &creator, from_hidden).await;
        s.call::<CreateRepo>("by a name that its maker may not read", &creator, following(&other.uid, "follower", "source"))
            .await;
        admin.must::<CreateRepo>(with(org.as_str(), source())).await;
        s.call::<CreateRepo>("a name that two repos have", &admin, create("source")).await;
        let tagged = Repo { bundles: texts(&["ai"]), ..create(&hidden.uid).repo.unwrap_or_default() };
        s.call::<CreateRepo>("with lists of its own", &admin, with(org.as_str(), tagged)).await;

        let a: Repo = s.quietly::<CreateRepo>(&admin, new_repo(org.as_str(), "a")).await.ok();
        let b: Repo = s.quietly::<CreateRepo>(&admin, following(org.as_str(), "b", &a.uid)).await.ok();
        let follow = |uid: &str, source: &str| update(uid, create(source).repo.unwrap_or_default(), &["sync_config.source"]);
        s.call::<UpdateRepo>("following itself", &admin, follow(&a.uid, &a.uid)).await;
        s.call::<UpdateRepo>("following its follower", &admin, follow(&a.uid, &b.uid)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
