use contract::chainguard::platform::registry::v2beta1::{
    CatalogTier, CustomOverlay, Repo, UpdateRepoRequest,
    rpc::{CreateRepo, UpdateRepo},
};
use testkit::scenario;

use super::{new_repo, texts, with};
use crate::v2beta1::mask;

/// A request to make the repo `uid` like `wish`.
pub(super) fn update(uid: &str, wish: Repo, paths: &[&str]) -> UpdateRepoRequest {
    UpdateRepoRequest { repo: Some(Repo { uid: uid.into(), ..wish }), update_mask: mask(paths) }
}

fn named(name: &str) -> Repo {
    Repo { name: name.into(), ..Repo::default() }
}

#[tokio::test]
async fn changes_what_the_mask_names() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let variable = |name: &str, value: &str| CustomOverlay {
            environment: [(name.to_owned(), value.to_owned())].into(),
            ..CustomOverlay::default()
        };
        let begin = Repo { bundles: texts(&["base"]), custom_overlay: Some(variable("A", "1")), ..named("app") };
        let made: Repo = s.quietly::<CreateRepo>(&admin, with(&org, begin)).await.ok();
        admin.must::<CreateRepo>(new_repo(&org, "taken")).await;
        let to = |wish: Repo, paths: &[&str]| update(&made.uid, wish, paths);
        s.server.clock().advance_seconds(60);
        let tier = Repo { catalog_tier: CatalogTier::Ai.into(), ..Repo::default() };
        s.call::<UpdateRepo>("without a mask what is sent changes", &admin, to(tier, &[])).await;
        let bundles = Repo { bundles: texts(&["fips", "ai"]), ..Repo::default() };
        s.call::<UpdateRepo>("lists are replaced as a whole", &admin, to(bundles, &[])).await;
        let other = Repo { custom_overlay: Some(variable("B", "2")), ..named("ignored") };
        s.call::<UpdateRepo>("and so are maps", &admin, to(other, &["custom_overlay.environment"])).await;
        s.call::<UpdateRepo>("a masked empty value clears", &admin, to(Repo::default(), &["custom_overlay", "catalog_tier"]))
            .await;
        s.call::<UpdateRepo>("another name", &admin, to(named("app-2"), &["name"])).await;
        s.call::<UpdateRepo>("a name that is taken", &admin, to(named("taken"), &["name"])).await;
        s.call::<UpdateRepo>("an invalid name", &admin, to(named("App"), &[])).await;
        s.call::<UpdateRepo>("a bundle that is none", &admin, to(Repo { bundles: texts(&["gold"]), ..Repo::default() }, &[]))
            .await;
        s.call::<UpdateRepo>("an unknown path", &admin, to(named("a"), &["readme"])).await;
        s.call::<UpdateRepo>("nothing sent, nothing changed", &admin, to(Repo::default(), &[])).await;
        s.call::<UpdateRepo>("a star replaces all", &admin, to(named("app-3"), &["*"])).await;
        let _viewer = s.server.workload(s.server.organization(), "viewer", Some("viewer")).await;
        let editor = s.server.workload(s.server.organization(), "editor", Some("editor")).await;
        assert_eq!(s.quietly::<UpdateRepo>(&editor, to(named("edited"), &[])).await.code, "OK", "editors edit repos");
        let _stranger = s.server.stranger().await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
