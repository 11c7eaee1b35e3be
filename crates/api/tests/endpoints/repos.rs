//! Repositories.

use contract::chainguard::platform::registry::v2beta1::{
    CatalogTier, CreateRepoRequest, CustomOverlay, DeleteRepoRequest, GetRepoRequest, ListReposRequest, Repo, SyncConfig,
    UpdateRepoRequest,
    rpc::{CreateRepo, DeleteRepo, GetRepo, ListRepos, UpdateRepo},
};
use domain::Kind;
use prost_types::FieldMask;

use crate::{
    groups::group,
    server::{NOW, Server, violated},
};

fn named(name: &str) -> Repo {
    Repo { name: name.into(), ..Repo::default() }
}

async fn create(server: &Server, parent: &str, repo: Repo) -> domain::Result<(Repo, Option<String>)> {
    server.call(CreateRepo, CreateRepoRequest { parent: parent.into(), repo: Some(repo) }).await
}

#[tokio::test]
async fn repos_come_change_and_go() {
    let server = Server::new().await;
    let org = group(&server, "", "org").await.uid;
    let overlay = CustomOverlay { environment: [("A".into(), "1".into())].into(), ..CustomOverlay::default() };
    let wished = Repo {
        catalog_tier: CatalogTier::Fips.into(),
        bundles: vec!["fips".into(), "base".into()],
        aliases: vec!["nginx:latest".into()],
        active_tags: vec!["b".into(), "a".into()],
        custom_overlay: Some(overlay),
        ..named("nginx")
    };
    let (created, etag) = create(&server, &org, wished.clone()).await.unwrap();
    let shown = Repo { uid: created.uid.clone(), create_time: created.create_time, update_time: created.update_time, ..wished };
    assert_eq!(created, shown);
    let read = server.call(GetRepo, GetRepoRequest { uid: created.uid.clone() }).await.unwrap();
    assert_eq!(read, (created.clone(), etag));

    let update_mask = Some(FieldMask { paths: vec!["activeTags".into(), "custom_overlay".into()] });
    let wished = Repo { uid: created.uid.clone(), active_tags: vec!["z".into()], ..Repo::default() };
    let (updated, _) = server.call(UpdateRepo, UpdateRepoRequest { repo: Some(wished), update_mask }).await.unwrap();
    let expected = Repo { active_tags: vec!["z".into()], custom_overlay: None, update_time: updated.update_time, ..created };
    assert_eq!(updated, expected);

    let by_name = |name: Option<&str>| ListReposRequest { name: name.map(str::to_owned), ..ListReposRequest::default() };
    for (name, total) in [(None, 1), (Some(""), 1), (Some("nginx"), 1), (Some("redis"), 0)] {
        assert_eq!(server.call(ListRepos, by_name(name)).await.unwrap().0.total_count, Some(total), "{name:?}");
    }
    server.call(DeleteRepo, DeleteRepoRequest { uid: updated.uid.clone() }).await.unwrap();
    assert_eq!(server.call(GetRepo, GetRepoRequest { uid: updated.uid }).await.unwrap_err().kind(), Kind::NotFound);
}

#[tokio::test]
async fn sources_are_found_by_name_and_shown_as_identifiers() {
    let server = Server::new().await;
    let org = group(&server, "", "org").await.uid;
    let (source, _) = create(&server, &org, named("upstream")).await.unwrap();
    let sync = |source: &str| Some(SyncConfig { source: source.into(), unique_tags: true, ..SyncConfig::default() });
    let (synced, _) = create(&server, &org, Repo { sync_config: sync("upstream"), ..named("copy") }).await.unwrap();
    let shown = synced.sync_config.expect("it is synced");
    assert_eq!((shown.source.as_str(), shown.unique_tags), (source.uid.as_str(), false));
    let expiry = shown.expiration_time.map(|time| time.seconds - NOW.0 / 1000);
    assert_eq!(expiry, Some(14 * 24 * 3600));

    let update = |repo: Repo, paths: &[&str]| {
        let update_mask = Some(FieldMask { paths: paths.iter().map(|path| (*path).to_owned()).collect() });
        server.call(UpdateRepo, UpdateRepoRequest { repo: Some(repo), update_mask })
    };
    let unknown = Repo { uid: synced.uid.clone(), sync_config: sync("nowhere"), description: "text".into(), ..named("copy") };
    assert_eq!(violated(update(unknown.clone(), &["*"]).await), ["sync_config.source"]);
    let (updated, _) = update(unknown, &["description"]).await.expect("what the mask leaves out is not looked at");
    assert_eq!((updated.description.as_str(), updated.sync_config), ("text", Some(shown)));
    let by_uid = Repo { uid: synced.uid, sync_config: sync(&source.uid), ..named("copy") };
    assert!(update(by_uid, &["sync_config.source"]).await.is_ok());
}

#[tokio::test]
async fn bad_requests_name_their_fields() {
    let server = Server::new().await;
    let org = group(&server, "", "org").await.uid;
    assert_eq!(violated(create(&server, "", named("a")).await), ["parent"]);
    let bad = Repo { catalog_tier: 7, sync_config: Some(SyncConfig::default()), ..named("A") };
    assert_eq!(violated(create(&server, &org, bad).await), ["name", "catalog_tier", "sync_config.source"]);
    let bad = Repo { bundles: vec!["base".into(), "free".into()], ..named("a") };
    assert_eq!(violated(create(&server, &org, bad).await), ["bundles[1]"]);
}
