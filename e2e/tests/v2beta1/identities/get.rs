use contract::chainguard::platform::iam::v2beta1::{
    GetIdentityRequest, Group, Identity,
    rpc::{CreateGroup, CreateIdentity, GetIdentity},
};
use testkit::scenario;

use super::{ci, new_identity};
use crate::v2beta1::{absent, groups::new_group};

#[tokio::test]
async fn finds_what_exists_and_tells_nothing_to_strangers() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let get = |uid: &str| GetIdentityRequest { uid: uid.into() };
        let identity: Identity = s.quietly::<CreateIdentity>(&admin, new_identity(org.as_str(), "ci", Some(ci()))).await.ok();
        let group: Group = s.quietly::<CreateGroup>(&admin, new_group(org.as_str(), "team-a")).await.ok();
        s.call::<GetIdentity>("an identity", &admin, get(&identity.uid)).await;
        s.call::<GetIdentity>("one that does not exist", &admin, get(&absent(org.as_str()))).await;
        s.call::<GetIdentity>("a folder", &admin, get(&group.uid)).await;
        s.call::<GetIdentity>("an organization", &admin, get(org.as_str())).await;
        s.call::<GetIdentity>("an identifier that is none", &admin, get("nonsense")).await;
        let viewer = s.server.workload(&org, "viewer", Some("viewer")).await;
        s.call::<GetIdentity>("by a viewer", &viewer, get(&identity.uid)).await;
        let idle = s.server.workload(&org, "idle", None).await;
        s.call::<GetIdentity>("by an identity without a role", &idle, get(&identity.uid)).await;
        let stranger = s.server.stranger().await;
        s.call::<GetIdentity>("one of others", &stranger, get(&identity.uid)).await;
        s.call::<GetIdentity>("one of others that does not exist", &stranger, get(&absent(org.as_str()))).await;
        s.call::<GetIdentity>("without a token", &s.server.nobody(), get(&identity.uid)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn users_live_outside_every_organization() {
    let transcript = scenario(async |s| {
        let get = GetIdentityRequest { uid: s.server.admin_uid().to_string() };
        let admin = s.server.admin();
        s.call::<GetIdentity>("a user about itself", &admin, get.clone()).await;
        let operator = s.server.operator().await;
        s.call::<GetIdentity>("an operator about a user", &operator, get).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
