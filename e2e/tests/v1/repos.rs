use client::Options;
use contract::chainguard::platform::{
    iam::v2beta1::{Group, rpc::CreateGroup},
    registry::{
        CreateRepoRequest, CustomOverlay, DeleteRepoRequest, GetRepoCountBySourceRequest, Repo, RepoCount, RepoFilter,
        SyncConfig,
        apko_config::{Accounts, accounts},
        rpc::{CreateRepo, DeleteRepo, GetRepoCountBySource, ListRepos, UpdateRepo},
        v2beta1::{self, GetRepoRequest, rpc::GetRepo},
    },
};
use testkit::scenario;

use crate::v2beta1::{absent, groups::new_group, roles::holder};

fn repo(name: &str) -> Repo {
    Repo { name: name.into(), ..Repo::default() }
}

fn new_repo(parent: &str, repo: Repo) -> CreateRepoRequest {
    CreateRepoRequest { parent_id: parent.into(), repo: Some(repo), ..CreateRepoRequest::default() }
}

/// A repository with everything that callers may set.
fn full(name: &str) -> Repo {
    let user = accounts::User { uid: 1, user_name: "app".into(), gid: Some(2), ..accounts::User::default() };
    let group = accounts::Group { gid: 2, group_name: "apps".into(), members: vec!["app".into()] };
    let accounts = Accounts { groups: vec![group], users: vec![user], run_as: "app".into() };
    Repo {
        catalog_tier: 4,
        bundles: vec!["base".into(), "ai".into()],
        aliases: vec!["nginx:latest".into(), "a/b:1".into()],
        active_tags: vec!["z".into(), "a".into()],
        readme: "# App\n".into(),
        description: "An app".into(),
        custom_overlay: Some(CustomOverlay { accounts: Some(accounts), ..CustomOverlay::default() }),
        ..repo(name)
    }
}

#[tokio::test]
async fn are_the_repos_of_v2beta1() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let made = s.call::<CreateRepo>("a repo", &admin, new_repo(&org, full("app"))).await;
        let app: Repo = made.ok();
        s.name(&app.id, "app");
        let read: v2beta1::Repo = s.quietly::<GetRepo>(&admin, GetRepoRequest { uid: app.id.clone() }).await.ok();
        assert_eq!((read.catalog_tier(), read.active_tags), (v2beta1::CatalogTier::Application, app.active_tags.clone()));
        assert_eq!(s.quietly::<CreateRepo>(&admin, new_repo(&org, full("app"))).await, made, "the same values change nothing");
        s.call::<CreateRepo>("of that name: it is changed", &admin, new_repo(&org, Repo { catalog_tier: 5, ..repo("app") }))
            .await;
        let alone = CreateRepoRequest { prevent_existing: true, ..new_repo(&org, repo("app")) };
        s.call::<CreateRepo>("unless that is prevented", &admin, alone).await;
        let renamed = Repo { id: app.id.clone(), readme: "*App*".into(), ..repo("web") };
        s.call::<UpdateRepo>("all of it is replaced", &admin, renamed).await;
        let by_name = RepoFilter { name: "web".into(), ..RepoFilter::default() };
        s.call::<ListRepos>("by its name", &admin, by_name).await;
        s.call::<DeleteRepo>("it goes", &admin, DeleteRepoRequest { id: app.id.clone() }).await;
        let by_id = RepoFilter { id: app.id.clone(), ..RepoFilter::default() };
        s.call::<ListRepos>("which a list says by being empty", &admin, by_id).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn inherit_what_is_not_said() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let source: Repo = s.quietly::<CreateRepo>(&admin, new_repo(&org, full("source"))).await.ok();
        s.name(&source.id, "source");
        let sync = SyncConfig { source: "source".into(), ..SyncConfig::default() };
        let wish = Repo { sync_config: Some(sync), ..repo("copy") };
        let made = s.call::<CreateRepo>("by the name of its source", &admin, new_repo(&org, wish.clone())).await;
        let copy: Repo = made.ok();
        s.name(&copy.id, "copy");
        s.server.clock().advance_seconds(60);
        let again = s.quietly::<UpdateRepo>(&admin, copy.clone()).await;
        assert_eq!((again.etag, again.body), (made.etag, made.body), "what was read and what is not said change nothing");
        s.call::<UpdateRepo>("what is inherited", &admin, Repo { readme: "mine".into(), ..copy.clone() }).await;
        let count =
            async |id: &str| admin.must::<GetRepoCountBySource>(GetRepoCountBySourceRequest { id: id.to_owned() }).await.count;
        assert_eq!((count(&source.id).await, count(&copy.id).await), (1, 0));
        s.call::<UpdateRepo>("it follows no more", &admin, Repo { id: copy.id.clone(), ..repo("copy") }).await;
        assert_eq!(count(&source.id).await, 0);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

/// Whoever may see a source is not told who else follows it.
#[tokio::test]
async fn followers_are_counted_where_the_caller_may_look() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(org.as_str(), "shared")).await.ok();
        let source: Repo = s.quietly::<CreateRepo>(&admin, new_repo(&folder.uid, repo("source"))).await.ok();
        for (parent, name) in [(org.as_str(), "a"), (&folder.uid, "b")] {
            let sync = SyncConfig { source: source.id.clone(), ..SyncConfig::default() };
            admin.must::<CreateRepo>(new_repo(parent, Repo { sync_config: Some(sync), ..repo(name) })).await;
        }
        let reader = holder(s, &folder.uid.parse().expect("a UIDP"), "reader", &["repo.list"]).await;
        for (actor, expected) in [(&admin, 2), (&reader, 1)] {
            let request = GetRepoCountBySourceRequest { id: source.id.clone() };
            assert_eq!(s.quietly::<GetRepoCountBySource>(actor, request).await.ok::<RepoCount>().count, expected);
        }
    })
    .await;
}

#[tokio::test]
async fn changing_needs_more_than_making() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let maker = holder(s, &org, "maker", &["repo.create"]).await;
        let made = s.call::<CreateRepo>("a new repo", &maker, new_repo(org.as_str(), repo("app"))).await;
        assert_eq!(s.quietly::<CreateRepo>(&maker, new_repo(org.as_str(), repo("app"))).await, made);
        s.call::<CreateRepo>("another value", &maker, new_repo(org.as_str(), full("app"))).await;
        let stale = Options { if_match: Some("\"0\"".into()), ..Options::default() };
        let refused = s.quietly_with::<CreateRepo>(&admin, new_repo(org.as_str(), full("app")), &stale).await;
        assert_eq!(refused.code, "ABORTED", "{:#}", refused.body);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn name_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        s.call::<CreateRepo>("nothing", &admin, new_repo(&org, Repo::default())).await;
        s.call::<CreateRepo>("in no group", &admin, new_repo(&absent(&org), repo("app"))).await;
        let active = Repo { readme: "# App\n\n<script>alert(1)</script>".into(), catalog_tier: 2, ..repo("app") };
        s.call::<CreateRepo>("a readme that does something, a tier of another version", &admin, new_repo(&org, active)).await;
        let user = accounts::User { uid: u32::MAX, ..accounts::User::default() };
        let accounts = Accounts {
            users: vec![user, accounts::User::default()],
            groups: vec![accounts::Group::default()],
            ..Accounts::default()
        };
        let overlay = |accounts| Some(CustomOverlay { accounts: Some(accounts), ..CustomOverlay::default() });
        let numbered = Repo { custom_overlay: overlay(accounts.clone()), ..repo("app") };
        s.call::<CreateRepo>("a number that is too great", &admin, new_repo(&org, numbered)).await;
        let accounts = Accounts { users: vec![accounts::User::default()], ..accounts };
        let nameless = Repo { custom_overlay: overlay(accounts), ..repo("app") };
        s.call::<CreateRepo>("accounts without names", &admin, new_repo(&org, nameless)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
