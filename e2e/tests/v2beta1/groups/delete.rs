use contract::chainguard::platform::{
    iam::v2beta1::{
        DeleteGroupRequest, GetGroupRequest, Group,
        rpc::{CreateGroup, DeleteGroup, GetGroup},
    },
    registry::v2beta1::{
        CreateRepoRequest, DeleteRepoRequest, Repo,
        rpc::{CreateRepo, DeleteRepo},
    },
};
use testkit::scenario;

use super::new_group;

#[tokio::test]
async fn waits_until_nothing_is_below() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let group: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, "team-a")).await.ok();
        let child: Group = s.quietly::<CreateGroup>(&admin, new_group(&group.uid, "child")).await.ok();
        let delete = |uid: &str| DeleteGroupRequest { uid: uid.into() };
        s.call::<DeleteGroup>("with a child group", &admin, delete(&group.uid)).await;
        s.call::<DeleteGroup>("the child", &admin, delete(&child.uid)).await;
        let repo = Repo { name: "app".into(), ..Repo::default() };
        let repo: Repo =
            s.quietly::<CreateRepo>(&admin, CreateRepoRequest { parent: group.uid.clone(), repo: Some(repo) }).await.ok();
        s.call::<DeleteGroup>("with a child repo", &admin, delete(&group.uid)).await;
        s.quietly::<DeleteRepo>(&admin, DeleteRepoRequest { uid: repo.uid }).await.ok::<()>();
        s.call::<DeleteGroup>("with nothing below", &admin, delete(&group.uid)).await;
        s.call::<GetGroup>("it is gone", &admin, GetGroupRequest { uid: group.uid.clone() }).await;
        s.call::<DeleteGroup>("a second time", &admin, delete(&group.uid)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
