use std::collections::BTreeMap;

use client::Options;
use contract::chainguard::platform::{
    iam::v2beta1::{Group, rpc::CreateGroup},
    registry::v2beta1::{
        CatalogTier, CreateRepoRequest, CustomOverlay, GetRepoRequest, ListReposRequest, ListReposResponse, Repo,
        custom_overlay::{
            Accounts, Certificates, ImageContents,
            accounts::{Group as AccountGroup, User},
            certificates::AdditionalEntry,
            image_contents::RuntimeKeyringEntry,
        },
        rpc::{CreateRepo, GetRepo, ListRepos},
    },
};
use testkit::scenario;

use super::{new_repo, texts, with};
use crate::v2beta1::{absent, built_in, groups::new_group};

/// A repo with something in every field that callers may set, but for what it follows.
fn full() -> Repo {
    let pair = |key: &str, value: &str| BTreeMap::from([(key.to_owned(), value.to_owned())]);
    let user = User {
        username: "app".into(),
        uid: 1000,
        gid: 1000,
        group_name: "app".into(),
        shell: "/bin/sh".into(),
        home_dir: "/home/app".into(),
    };
    Repo {
        name: "app".into(),
        description: "An application".into(),
        catalog_tier: CatalogTier::Base.into(),
        bundles: texts(&["fips", "base"]),
        aliases: texts(&["docker.io/library/app:latest", "app:1"]),
        active_tags: texts(&["latest", "1.2"]),
        custom_overlay: Some(CustomOverlay {
            contents: Some(ImageContents {
                packages: texts(&["bash", "curl"]),
                runtime_repositories: texts(&["https://packages.example/os"]),
                runtime_keyring: vec![RuntimeKeyringEntry { name: "own.rsa.pub".into(), content: "a key\nof two lines".into() }],
            }),
            environment: pair("LANG", "C.UTF-8"),
            annotations: pair("com.example.team", "a"),
            accounts: Some(Accounts {
                run_as: "app".into(),
                users: vec![user],
                groups: vec![AccountGroup { groupname: "app".into(), gid: 1000, members: texts(&["app"]) }],
            }),
            certificates: Some(Certificates {
                additional: vec![AdditionalEntry { name: "own.pem".into(), content: "a certificate".into() }],
                providers: texts(&["mozilla"]),
            }),
        }),
        ..Repo::default()
    }
}

#[tokio::test]
async fn creates_repos_of_a_group() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        s.call::<CreateRepo>("with a name alone", &admin, new_repo(&org, "plain")).await;
        let made = s.call::<CreateRepo>("with everything", &admin, with(&org, full())).await;
        let read = s.quietly::<GetRepo>(&admin, GetRepoRequest { uid: made.ok::<Repo>().uid }).await;
        assert_eq!(read, made, "what was created is what is read");
        s.call::<CreateRepo>("a name that is taken", &admin, new_repo(&org, "app")).await;
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, "team-a")).await.ok();
        s.call::<CreateRepo>("the same name in another group", &admin, new_repo(&folder.uid, "app")).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let named = |name: &str| new_repo(org.as_str(), name);
        s.call::<CreateRepo>("no name", &admin, named("")).await;
        s.call::<CreateRepo>("an invalid name", &admin, named("App")).await;
        s.call::<CreateRepo>("a name with a slash", &admin, named("team/app")).await;
        s.call::<CreateRepo>("a name that is too long", &admin, named(&"a".repeat(256))).await;
        s.call::<CreateRepo>("no parent", &admin, new_repo("", "app")).await;
        s.call::<CreateRepo>("a parent that is no identifier", &admin, new_repo("nonsense", "app")).await;
        s.call::<CreateRepo>("a parent that does not exist", &admin, new_repo(&absent(org.as_str()), "app")).await;
        let repo: Repo = s.quietly::<CreateRepo>(&admin, named("app")).await.ok();
        s.call::<CreateRepo>("a parent that is a repo", &admin, new_repo(&repo.uid, "app")).await;
        s.call::<CreateRepo>("a parent that is a role", &admin, new_repo(&built_in("viewer"), "app")).await;
        let nothing = CreateRepoRequest { parent: org.to_string(), repo: None };
        assert_eq!(s.quietly::<CreateRepo>(&admin, nothing).await.code, "INVALID_ARGUMENT");
        let viewer = s.server.workload(&org, "viewer", Some("viewer")).await;
        s.call::<CreateRepo>("by a viewer", &viewer, named("other")).await;
        let stranger = s.server.stranger().await;
        s.call::<CreateRepo>("by a stranger", &stranger, named("other")).await;
        s.call::<CreateRepo>("by nobody", &s.server.nobody(), named("other")).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn is_applied_once_per_key() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let keyed = Options { idempotency_key: Some("key-1".into()), ..Options::default() };
        let first = s.quietly_with::<CreateRepo>(&admin, new_repo(&org, "app"), &keyed).await;
        let again = s.quietly_with::<CreateRepo>(&admin, new_repo(&org, "app"), &keyed).await;
        assert_eq!(again, first, "the name is taken by now, and yet the answer is the same");
        s.call_with::<CreateRepo>("the same key for another repo", &admin, new_repo(&org, "other"), &keyed).await;
        let rehearsal = Options { validate_only: true, ..Options::default() };
        s.call_with::<CreateRepo>("a rehearsal of what fails", &admin, new_repo(&org, "app"), &rehearsal).await;
        let rehearsed = s.quietly_with::<CreateRepo>(&admin, new_repo(&org, "rehearsed"), &rehearsal).await;
        assert_eq!(rehearsed.ok::<Repo>().name, "rehearsed");
        let kept = s.quietly::<ListRepos>(&admin, ListReposRequest::default()).await;
        assert_eq!(kept.ok::<ListReposResponse>().total_count, Some(1), "a rehearsal keeps nothing");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
