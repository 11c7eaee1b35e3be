//! What is public: repositories by themselves, and with a group above them.

use client::Options;
use contract::{
    chainguard::platform::{
        iam::v2beta1::{
            CreateGroupRequest, Group, UpdateGroupRequest,
            rpc::{CreateGroup, UpdateGroup},
        },
        registry::{
            Repo as OldRepo,
            rpc::UpdateRepo as OldUpdateRepo,
            v2beta1::{
                CatalogTier, CreateRepoRequest, Repo, SyncConfig, UpdateRepoRequest,
                rpc::{CreateRepo, UpdateRepo},
            },
        },
    },
    prost_types::FieldMask,
    provost::registry::v1::{
        GetGroupVisibilityRequest, GetRepoVisibilityRequest, SetGroupVisibilityRequest, SetRepoVisibilityRequest, Visibility,
        rpc::{GetGroupVisibility, GetRepoVisibility, SetGroupVisibility, SetRepoVisibility},
    },
};
use domain::Revision;
use store::outbox;
use testkit::{Actor, Scenario, scenario};

async fn folder(s: &Scenario, parent: &str, name: &str) -> String {
    let group = Some(Group { name: name.to_owned(), ..Group::default() });
    s.server.admin().must::<CreateGroup>(CreateGroupRequest { parent: parent.to_owned(), group }).await.uid
}

async fn repo(s: &Scenario, parent: &str, name: &str) -> String {
    let repo = Some(Repo { name: name.to_owned(), ..Repo::default() });
    s.server.admin().must::<CreateRepo>(CreateRepoRequest { parent: parent.to_owned(), repo }).await.uid
}

async fn of_repo(who: &Actor, uid: &str) -> Visibility {
    who.must::<GetRepoVisibility>(GetRepoVisibilityRequest { uid: uid.to_owned() }).await
}

#[tokio::test]
async fn a_repo_is_public_by_itself_or_by_a_group_above() {
    let transcript = scenario(async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let team = folder(s, &org, "team").await;
        let below = folder(s, &team, "below").await;
        let app = repo(s, &below, "app").await;
        for (uid, name) in [(&team, "team"), (&below, "below"), (&app, "app")] {
            s.name(uid, name);
        }
        let get = GetRepoVisibilityRequest { uid: app.clone() };
        s.call::<GetRepoVisibility>("is private", &admin, get.clone()).await;
        let public = |uid: &str, public| SetGroupVisibilityRequest { uid: uid.to_owned(), public };
        s.call::<SetGroupVisibility>("all of an organization", &admin, public(&org, true)).await;
        s.call::<SetGroupVisibility>("all of a folder", &admin, public(&team, true)).await;
        s.call::<GetRepoVisibility>("by the nearest", &admin, get.clone()).await;
        let private = SetRepoVisibilityRequest { uid: app.clone(), public: false };
        s.call::<SetRepoVisibility>("stays public by the folder", &admin, private).await;
        s.call::<SetGroupVisibility>("no longer the folder", &admin, public(&team, false)).await;
        s.call::<SetGroupVisibility>("no longer the organization", &admin, public(&org, false)).await;
        s.call::<SetRepoVisibility>("by itself", &admin, SetRepoVisibilityRequest { uid: app.clone(), public: true }).await;
        s.call::<GetGroupVisibility>("which its folder is not", &admin, GetGroupVisibilityRequest { uid: below }).await;
        let unknown = format!("{org}/{}", "0".repeat(16));
        s.call::<GetRepoVisibility>("no such repo", &admin, GetRepoVisibilityRequest { uid: unknown.clone() }).await;
        s.call::<SetGroupVisibility>("no such group", &admin, public(&unknown, true)).await;
        s.call::<SetRepoVisibility>("no repo", &admin, SetRepoVisibilityRequest { uid: team, public: true }).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn publishing_is_for_owners() {
    scenario(async |s| {
        let org = s.server.organization().to_string();
        let app = repo(s, &org, "app").await;
        let set = SetRepoVisibilityRequest { uid: app.clone(), public: true };
        let editor = s.server.workload(s.server.organization(), "editor", Some("editor")).await;
        assert_eq!(s.quietly::<SetRepoVisibility>(&editor, set.clone()).await.code, "PERMISSION_DENIED");
        let group = SetGroupVisibilityRequest { uid: org.clone(), public: true };
        assert_eq!(s.quietly::<SetGroupVisibility>(&editor, group).await.code, "PERMISSION_DENIED");
        assert!(!of_repo(&editor, &app).await.public, "whoever reads repos reads this");
        assert_eq!(s.quietly::<SetRepoVisibility>(&s.server.admin(), set).await.code, "OK");
    })
    .await;
}

#[tokio::test]
async fn no_other_change_touches_it() {
    scenario(async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let team = folder(s, &org, "team").await;
        let app = repo(s, &team, "app").await;
        admin.must::<SetRepoVisibility>(SetRepoVisibilityRequest { uid: app.clone(), public: true }).await;
        admin.must::<SetGroupVisibility>(SetGroupVisibilityRequest { uid: team.clone(), public: true }).await;
        let update_mask = Some(FieldMask { paths: vec!["*".to_owned()] });
        let wish = Some(Repo { uid: app.clone(), name: "web".to_owned(), ..Repo::default() });
        admin.must::<UpdateRepo>(UpdateRepoRequest { repo: wish, update_mask }).await;
        let old = OldRepo { id: app.clone(), name: "web".to_owned(), ..OldRepo::default() };
        admin.must::<OldUpdateRepo>(old).await;
        let update_mask = Some(FieldMask { paths: vec!["name".to_owned()] });
        let wish = Some(Group { uid: team.clone(), name: "other".to_owned(), ..Group::default() });
        admin.must::<UpdateGroup>(UpdateGroupRequest { group: wish, update_mask }).await;
        let found = of_repo(&admin, &app).await;
        assert_eq!((found.public, found.public_by), (true, team));
    })
    .await;
}

#[tokio::test]
async fn the_same_again_changes_nothing_and_versions_count() {
    scenario(async |s| {
        let admin = s.server.admin();
        let app = repo(s, s.server.organization().as_str(), "app").await;
        let set = SetRepoVisibilityRequest { uid: app.clone(), public: true };
        let first = s.quietly::<SetRepoVisibility>(&admin, set.clone()).await;
        let again = s.quietly::<SetRepoVisibility>(&admin, set.clone()).await;
        assert!(first.etag.is_some() && first.etag == again.etag, "{first:?} {again:?}");
        let private = SetRepoVisibilityRequest { public: false, ..set.clone() };
        let rehearsed = Options { validate_only: true, ..Options::default() };
        let rehearsal = s.quietly_with::<SetRepoVisibility>(&admin, private.clone(), &rehearsed).await;
        assert_eq!(rehearsal.code, "OK");
        assert!(of_repo(&admin, &app).await.public, "a rehearsal changes nothing");
        let keyed = Options { idempotency_key: Some("once".to_owned()), ..Options::default() };
        let done = s.quietly_with::<SetRepoVisibility>(&admin, private.clone(), &keyed).await;
        admin.must::<SetRepoVisibility>(set.clone()).await;
        let repeated = s.quietly_with::<SetRepoVisibility>(&admin, private, &keyed).await;
        assert_eq!((&repeated.body, &repeated.etag), (&done.body, &done.etag), "the first answer");
        assert!(of_repo(&admin, &app).await.public, "a repeat changes nothing");
        let stale = Options { if_match: Some("\"0\"".to_owned()), ..Options::default() };
        let other = SetRepoVisibilityRequest { uid: app, public: false };
        assert_eq!(s.quietly_with::<SetRepoVisibility>(&admin, other, &stale).await.code, "ABORTED");
    })
    .await;
}

/// What follows another repository is told of as its readers see it.
#[tokio::test]
async fn its_event_has_what_readers_see() {
    scenario(async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let tier = CatalogTier::Fips.into();
        let wish = Some(Repo { name: "app".to_owned(), catalog_tier: tier, ..Repo::default() });
        let app = admin.must::<CreateRepo>(CreateRepoRequest { parent: org.clone(), repo: wish }).await;
        let sync_config = Some(SyncConfig { source: app.uid, ..SyncConfig::default() });
        let wish = Some(Repo { name: "copy".to_owned(), sync_config, ..Repo::default() });
        let copy = admin.must::<CreateRepo>(CreateRepoRequest { parent: org, repo: wish }).await;
        let base = Some(Repo {
            uid: copy.sync_config.clone().unwrap_or_default().source,
            catalog_tier: CatalogTier::Base.into(),
            ..Repo::default()
        });
        let update_mask = Some(FieldMask { paths: vec!["catalog_tier".to_owned()] });
        admin.must::<UpdateRepo>(UpdateRepoRequest { repo: base, update_mask }).await;
        admin.must::<SetRepoVisibility>(SetRepoVisibilityRequest { uid: copy.uid.clone(), public: true }).await;

        let mut reader = s.server.store().reader().await.expect("reads");
        let events = outbox::pending(&mut reader, Revision(0), 1000).await.expect("events");
        let told = events.iter().rfind(|event| event.subject == copy.uid).expect("it is told");
        assert!(told.kind.ends_with("repo.updated.v1"), "{told:?}");
        assert!(told.snapshot.contains("\"base\"") && !told.snapshot.contains("\"fips\""), "{}", told.snapshot);
    })
    .await;
}

#[tokio::test]
async fn an_organization_has_few_public_groups() {
    scenario(async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let public = |uid: &str, public| SetGroupVisibilityRequest { uid: uid.to_owned(), public };
        let mut folders = Vec::new();
        for number in 0..=100 {
            folders.push(folder(s, &org, &format!("folder-{number}")).await);
        }
        let (last, others) = folders.split_last().expect("many");
        for uid in others {
            admin.must::<SetGroupVisibility>(public(uid, true)).await;
        }
        let refused = s.quietly::<SetGroupVisibility>(&admin, public(last, true)).await;
        assert_eq!(refused.code, "FAILED_PRECONDITION", "{:#}", refused.body);
        assert_eq!(s.quietly::<SetGroupVisibility>(&admin, public(&others[0], true)).await.code, "OK", "it is already");
        admin.must::<SetGroupVisibility>(public(&others[0], false)).await;
        admin.must::<SetGroupVisibility>(public(last, true)).await;
    })
    .await;
}
