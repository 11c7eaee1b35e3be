use client::Options;
use contract::chainguard::platform::registry::v2beta1::{
    DeleteRepoRequest, GetRepoRequest, Repo,
    rpc::{CreateRepo, DeleteRepo, GetRepo},
};
use testkit::scenario;

use super::new_repo;
use crate::v2beta1::absent;

#[tokio::test]
async fn deletes_once_and_frees_the_name() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let delete = |uid: &str| DeleteRepoRequest { uid: uid.into() };
        let made = s.quietly::<CreateRepo>(&admin, new_repo(org.as_str(), "app")).await;
        let repo: Repo = made.ok();
        let viewer = s.server.workload(&org, "viewer", Some("viewer")).await;
        s.call::<DeleteRepo>("by a viewer", &viewer, delete(&repo.uid)).await;
        let stranger = s.server.stranger().await;
        s.call::<DeleteRepo>("by a stranger", &stranger, delete(&repo.uid)).await;
        s.call::<DeleteRepo>("by a stranger, one that does not exist", &stranger, delete(&absent(org.as_str()))).await;
        s.call::<DeleteRepo>("by nobody", &s.server.nobody(), delete(&repo.uid)).await;
        s.call::<DeleteRepo>("an organization", &admin, delete(org.as_str())).await;
        let stale = Options { if_match: Some("\"0\"".into()), ..Options::default() };
        let refused = s.quietly_with::<DeleteRepo>(&admin, delete(&repo.uid), &stale).await;
        assert_eq!(refused.code, "ABORTED", "{:#}", refused.body);
        let current = Options { if_match: made.etag, ..Options::default() };
        s.call_with::<DeleteRepo>("by an owner, with its entity tag", &admin, delete(&repo.uid), &current).await;
        s.call::<GetRepo>("it is gone", &admin, GetRepoRequest { uid: repo.uid.clone() }).await;
        s.call::<DeleteRepo>("a second time", &admin, delete(&repo.uid)).await;
        let again: Repo = s.quietly::<CreateRepo>(&admin, new_repo(org.as_str(), "app")).await.ok();
        assert_ne!(again.uid, repo.uid, "the name is free, the identifier never comes back");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
