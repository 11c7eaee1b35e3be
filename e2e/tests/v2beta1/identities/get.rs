use contract::chainguard::platform::iam::v2beta1::{GetIdentityRequest, rpc::GetIdentity};
use testkit::scenario;

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
