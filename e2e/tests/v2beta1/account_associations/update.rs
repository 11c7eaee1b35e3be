use contract::chainguard::platform::iam::v2beta1::{
    AccountAssociation, UpdateAccountAssociationRequest,
    account_association::{Azure, Google},
    rpc::{CreateAccountAssociation, GetAccountAssociation, UpdateAccountAssociation},
};
use testkit::scenario;

use super::{amazon, everywhere, get, github, named, new_association};
use crate::v2beta1::mask;

/// A request to make the account association of a group like `wish`.
pub(super) fn update(group: &str, wish: AccountAssociation, paths: &[&str]) -> UpdateAccountAssociationRequest {
    let wish = AccountAssociation { uid: group.into(), ..wish };
    UpdateAccountAssociationRequest { account_association: Some(wish), update_mask: mask(paths) }
}

#[tokio::test]
async fn changes_what_the_mask_names() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let nothing = AccountAssociation::default;
        let to = |wish: AccountAssociation, paths: &[&str]| update(&org, wish, paths);
        s.call::<UpdateAccountAssociation>("before there is one", &admin, to(named("a"), &[])).await;
        s.quietly::<CreateAccountAssociation>(&admin, new_association(&org, everywhere())).await.ok::<AccountAssociation>();
        s.server.clock().advance_seconds(60);
        let number = Google { project_number: "7".into(), ..Google::default() };
        let number = AccountAssociation { google: Some(number), ..nothing() };
        s.call::<UpdateAccountAssociation>("a part of a provider", &admin, to(number.clone(), &["google.project_number"])).await;
        s.call::<UpdateAccountAssociation>("a provider as a whole", &admin, to(number, &["google"])).await;
        let clients = Azure { client_ids: [("pusher".into(), "other".into())].into(), ..Azure::default() };
        let clients = AccountAssociation { azure: Some(clients), ..nothing() };
        s.call::<UpdateAccountAssociation>("maps are replaced", &admin, to(clients, &["azure.client_ids"])).await;
        s.call::<UpdateAccountAssociation>("a masked provider that is absent goes", &admin, to(nothing(), &["google", "github"]))
            .await;
        s.call::<UpdateAccountAssociation>("no name", &admin, to(nothing(), &["name"])).await;
        s.call::<UpdateAccountAssociation>("an unknown path", &admin, to(nothing(), &["oracle"])).await;
        s.server.clock().advance_seconds(60);
        let only = AccountAssociation { amazon: Some(amazon("210987654321")), ..named("one") };
        let changed =
            s.call::<UpdateAccountAssociation>("a star leaves only what is sent", &admin, to(only.clone(), &["*"])).await;
        s.server.clock().advance_seconds(60);
        assert_eq!(s.quietly::<UpdateAccountAssociation>(&admin, to(only, &["*"])).await, changed, "again, it changes nothing");
        let apps = AccountAssociation { github: Some(github(&[(i64::MAX, &[(i64::MAX, "")])])), ..nothing() };
        s.call::<UpdateAccountAssociation>("without a mask what is sent changes", &admin, to(apps, &[])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn needs_the_capability_at_the_group() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().clone();
        let request = || update(org.as_str(), named("b"), &[]);
        s.quietly::<CreateAccountAssociation>(&admin, new_association(org.as_str(), named("a"))).await.ok::<AccountAssociation>();
        let viewer = s.server.workload(&org, "viewer", Some("viewer")).await;
        s.call::<UpdateAccountAssociation>("by a viewer", &viewer, request()).await;
        s.call::<GetAccountAssociation>("who may see it", &viewer, get(org.as_str())).await;
        let stranger = s.server.stranger().await;
        s.call::<GetAccountAssociation>("a stranger may not", &stranger, get(org.as_str())).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
