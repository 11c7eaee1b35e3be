use contract::chainguard::platform::registry::v2beta1::{
    GetRepoReadmeRequest, Repo, RepoReadme, SyncConfig, UpdateRepoReadmeRequest, UpdateRepoRequest,
    rpc::{CreateRepo, GetRepoReadme, UpdateRepo, UpdateRepoReadme},
};
use testkit::scenario;

use super::new_repo;

fn readme(uid: &str, content: &str) -> UpdateRepoReadmeRequest {
    let readme = RepoReadme { uid: uid.into(), content: content.into() };
    UpdateRepoReadmeRequest { repo_readme: Some(readme), update_mask: None }
}

#[tokio::test]
async fn is_replaced_and_stays() {
    let transcript = scenario(async |s| {
        let (admin, operator) = (s.server.admin(), s.server.operator().await);
        let org = s.server.organization().to_string();
        let repo: Repo = s.quietly::<CreateRepo>(&admin, new_repo(&org, "app")).await.ok();
        let get = GetRepoReadmeRequest { uid: repo.uid.clone() };
        s.call::<GetRepoReadme>("none yet", &admin, get.clone()).await;
        s.call::<UpdateRepoReadme>("an owner may not", &admin, readme(&repo.uid, "# App")).await;
        let written = s.call::<UpdateRepoReadme>("an operator may", &operator, readme(&repo.uid, "# App")).await;
        s.server.clock().advance_seconds(60);
        let again = s.quietly::<UpdateRepoReadme>(&operator, readme(&repo.uid, "# App")).await;
        assert_eq!(again, written, "the same text changes nothing");
        let wish = Repo { uid: repo.uid.clone(), description: "An app".into(), ..Repo::default() };
        let changed = UpdateRepoRequest { repo: Some(wish), update_mask: None };
        s.quietly::<UpdateRepo>(&admin, changed).await.ok::<Repo>();
        s.call::<GetRepoReadme>("it stays when the repo changes", &admin, get).await;

        let sync = SyncConfig { source: repo.uid.clone(), ..SyncConfig::default() };
        let mut copy = new_repo(&org, "copy");
        copy.repo = copy.repo.map(|repo| Repo { sync_config: Some(sync), ..repo });
        let copy: Repo = s.quietly::<CreateRepo>(&admin, copy).await.ok();
        s.call::<GetRepoReadme>("of a repo that follows it", &admin, GetRepoReadmeRequest { uid: copy.uid.clone() }).await;
        s.call::<UpdateRepoReadme>("which has no other", &operator, readme(&copy.uid, "# Copy")).await;
        s.call::<UpdateRepoReadme>("active content", &operator, readme(&repo.uid, "a\n\n<a href=\"javascript:x\">")).await;
        s.call::<UpdateRepoReadme>("too long", &operator, readme(&repo.uid, &"a".repeat(64 * 1024 + 1))).await;
        let cleared = s.quietly::<UpdateRepoReadme>(&operator, {
            let mut request = readme(&repo.uid, "");
            request.update_mask = Some(contract::prost_types::FieldMask { paths: vec!["*".into()] });
            request
        });
        assert_eq!(cleared.await.ok::<RepoReadme>().content, "");
    })
    .await;
    insta::assert_snapshot!(transcript);
}
