use contract::chainguard::platform::registry::v2beta1::{
    DeleteRepoRequest, GetRepoRequest, Repo,
    rpc::{CreateRepo, DeleteRepo, GetRepo},
};
use testkit::scenario;

use super::new_repo;

#[tokio::test]
async fn deletes_once_and_frees_the_name() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let delete = |uid: &str| DeleteRepoRequest { uid: uid.into() };
        let repo: Repo = s.quietly::<CreateRepo>(&admin, new_repo(org.as_str(), "app")).await.ok();
        s.call::<DeleteRepo>("it goes", &admin, delete(&repo.uid)).await;
        s.call::<GetRepo>("it is gone", &admin, GetRepoRequest { uid: repo.uid.clone() }).await;
        s.call::<DeleteRepo>("a second time", &admin, delete(&repo.uid)).await;
        let again: Repo = s.quietly::<CreateRepo>(&admin, new_repo(org.as_str(), "app")).await.ok();
        assert_ne!(again.uid, repo.uid, "the name is free, the identifier never comes back");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
