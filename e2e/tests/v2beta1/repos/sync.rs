use contract::chainguard::platform::{
    auth::{RegistrationRequest, rpc::Register},
    iam::v2beta1::{
        DeleteRoleBindingRequest, GetGroupRequest, Group,
        rpc::{CreateGroup, CreateRoleBinding, DeleteRoleBinding, GetGroup},
    },
    registry::v2beta1::{
        CatalogTier, CreateRepoRequest, DeleteRepoRequest, GetRepoRequest, Repo, SyncConfig,
        rpc::{CreateRepo, DeleteRepo, GetRepo, UpdateRepo},
    },
};
use contract::provost::registry::v1::{SetRepoVisibilityRequest, rpc::SetRepoVisibility};
use domain::iam::identity::user_uid;
use testkit::{Actor, Scenario, scenario};

use super::{new_repo, texts, update::update, with};
use crate::v2beta1::{absent, built_in, groups::new_group, role_bindings::new_binding, roles::holder};

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

/// Two organizations, and what a repository of the second shows of one of the first: somebody has made it follow who is in both.
#[tokio::test]
async fn a_copy_shows_what_its_organization_may_see_now() {
    scenario(async |s| {
        let admin = s.server.admin();
        let theirs: Group = admin.must::<CreateGroup>(new_group("", "theirs")).await;
        let ours: Group = admin.must::<CreateGroup>(new_group("", "ours")).await;
        let from: Repo = admin.must::<CreateRepo>(with(&theirs.uid, source())).await;
        let between = user(s, "between").await;
        let bind = async |at: &Group| {
            admin.must::<CreateRoleBinding>(new_binding(&at.uid, between.uid().as_str(), &built_in("editor"))).await.uid
        };
        let (there, here) = (bind(&theirs).await, bind(&ours).await);
        let copy: Repo = between.must::<CreateRepo>(following(&ours.uid, "copy", &from.uid)).await;
        let chained: Repo = admin.must::<CreateRepo>(following(&ours.uid, "chained", &copy.uid)).await;
        let (mut last, mut number) = (String::new(), 0);
        // What both show after the source was changed.
        let mut shown = async |what: &str, follows: bool| {
            number += 1;
            let bundle = ["base", "ai", "fips", "byol", "featured", "application", "commercial", "ai-gpu"][number];
            let moved = Repo { bundles: texts(&[bundle]), ..Repo::default() };
            admin.must::<UpdateRepo>(update(&from.uid, moved, &["bundles"])).await;
            if follows {
                last = bundle.to_owned();
            }
            for uid in [&copy.uid, &chained.uid] {
                let repo: Repo = admin.must::<GetRepo>(GetRepoRequest { uid: uid.clone() }).await;
                assert_eq!(repo.bundles, [last.as_str()], "{what}");
            }
        };
        shown("while who has made it follow is in both", true).await;
        // What a copy falls back to is what it had when it was last written.
        let touch = async || {
            for uid in [&copy.uid, &chained.uid] {
                let own = Repo { description: "Its own".into(), ..Repo::default() };
                admin.must::<UpdateRepo>(update(uid, own, &["description"])).await;
                admin.must::<UpdateRepo>(update(uid, Repo::default(), &["description"])).await;
            }
        };
        touch().await;
        admin.must::<DeleteRoleBinding>(DeleteRoleBindingRequest { uid: there }).await;
        shown("after access was taken away", false).await;
        touch().await;
        shown("also when the copy is written", false).await;
        let public = |public| SetRepoVisibilityRequest { uid: from.uid.clone(), public };
        admin.must::<SetRepoVisibility>(public(true)).await;
        shown("while everybody may see it", true).await;
        touch().await;
        admin.must::<SetRepoVisibility>(public(false)).await;
        shown("and no longer", false).await;
        bind(&theirs).await;
        shown("access was given again", true).await;
        touch().await;
        admin.must::<DeleteRoleBinding>(DeleteRoleBindingRequest { uid: here }).await;
        shown("nobody of the copy's organization may see it", false).await;
    })
    .await;
}

/// A user who has registered and logged in.
async fn user(s: &Scenario, subject: &str) -> Actor {
    let upstream = s.server.mint(subject, s.server.base_url(), serde_json::json!({})).await;
    s.server.bearer(&upstream).must::<Register>(RegistrationRequest::default()).await;
    let token = s.server.exchange(&upstream, None).await.expect("a token");
    Actor { identity: Some(user_uid(&s.server.issuer(), subject)), ..s.server.bearer(token.expose()) }
}
