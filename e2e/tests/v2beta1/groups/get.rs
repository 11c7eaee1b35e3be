use contract::chainguard::platform::iam::v2beta1::{
    GetGroupRequest, Group,
    rpc::{CreateGroup, GetGroup},
};
use testkit::scenario;

use super::new_group;

#[tokio::test]
async fn finds_what_exists_and_tells_nothing_to_strangers() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let get = |uid: &str| GetGroupRequest { uid: uid.into() };
        let group: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, "team-a")).await.ok();
        s.call::<GetGroup>("a folder", &admin, get(&group.uid)).await;
        let absent = format!("{org}/{}", "0".repeat(16));
        s.call::<GetGroup>("a folder that does not exist", &admin, get(&absent)).await;
        s.call::<GetGroup>("an identifier that is none", &admin, get("nonsense")).await;
        let stranger = s.server.stranger().await;
        s.call::<GetGroup>("a folder of others", &stranger, get(&group.uid)).await;
        s.call::<GetGroup>("a folder of others that does not exist", &stranger, get(&absent)).await;
        let nobody = s.server.nobody();
        s.call::<GetGroup>("without a token", &nobody, get(&group.uid)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
