use contract::chainguard::platform::registry::v2beta1::{
    GetRepoRequest, Repo,
    rpc::{CreateRepo, GetRepo},
};
use testkit::scenario;

use super::new_repo;
use crate::v2beta1::absent;

#[tokio::test]
async fn finds_what_exists_and_tells_nothing_to_strangers() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let get = |uid: &str| GetRepoRequest { uid: uid.into() };
        let repo: Repo = s.quietly::<CreateRepo>(&admin, new_repo(org.as_str(), "app")).await.ok();
        s.call::<GetRepo>("a repo", &admin, get(&repo.uid)).await;
        s.call::<GetRepo>("one that does not exist", &admin, get(&absent(org.as_str()))).await;
        s.call::<GetRepo>("an organization", &admin, get(org.as_str())).await;
        s.call::<GetRepo>("an identifier that is none", &admin, get("nonsense")).await;
        let puller = s.server.workload(&org, "puller", Some("registry.pull")).await;
        assert_eq!(s.quietly::<GetRepo>(&puller, get(&repo.uid)).await.code, "OK", "who may pull may look");
        s.call::<GetRepo>("an identity, asked for by itself", &puller, get(puller.uid().as_str())).await;
        let idle = s.server.workload(&org, "idle", None).await;
        s.call::<GetRepo>("by an identity without a role", &idle, get(&repo.uid)).await;
        let stranger = s.server.stranger().await;
        s.call::<GetRepo>("by a stranger", &stranger, get(&repo.uid)).await;
        s.call::<GetRepo>("by a stranger, one that does not exist", &stranger, get(&absent(org.as_str()))).await;
        s.call::<GetRepo>("by nobody", &s.server.nobody(), get(&repo.uid)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
