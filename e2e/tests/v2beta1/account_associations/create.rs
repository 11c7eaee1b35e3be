use contract::chainguard::platform::iam::v2beta1::{
    AccountAssociation, Group,
    account_association::{Azure, Chainguard, Google},
    rpc::{CreateAccountAssociation, CreateGroup, GetAccountAssociation},
};
use testkit::scenario;

use super::{amazon, everywhere, get, github, named, new_association};
use crate::v2beta1::{absent, groups::new_group};

#[tokio::test]
async fn a_group_has_one_under_its_own_identifier() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        s.call::<GetAccountAssociation>("before there is one", &admin, get(&org)).await;
        let made = s.call::<CreateAccountAssociation>("at every provider", &admin, new_association(&org, everywhere())).await;
        assert_eq!(s.quietly::<GetAccountAssociation>(&admin, get(&org)).await, made, "what was created is what is read");
        s.call::<CreateAccountAssociation>("a second one", &admin, new_association(&org, named("other"))).await;
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, "team-a")).await.ok();
        s.name(&folder.uid, "folder");
        s.call::<CreateAccountAssociation>("of a folder", &admin, new_association(&folder.uid, named("accounts"))).await;
        s.call::<CreateAccountAssociation>("of no group", &admin, new_association(&absent(&org), named("accounts"))).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let with = |association: AccountAssociation| new_association(&org, association);
        let name = || named("a");
        let long = || "x".repeat(256);
        s.call::<CreateAccountAssociation>("nothing at all", &admin, with(AccountAssociation::default())).await;
        let empty = AccountAssociation {
            amazon: Some(amazon("")),
            google: Some(Google::default()),
            azure: Some(Azure::default()),
            chainguard: Some(Chainguard::default()),
            ..name()
        };
        s.call::<CreateAccountAssociation>("providers without anything", &admin, with(empty)).await;
        let wrong = AccountAssociation {
            amazon: Some(amazon("12345678901")),
            google: Some(Google { project_id: long(), project_number: "1\n".into() }),
            azure: Some(Azure { tenant_id: long(), client_ids: [("a".into(), long())].into() }),
            github: Some(github(&[(1, &[(0, "no number"), (2, "a\tb")])])),
            ..name()
        };
        s.call::<CreateAccountAssociation>("values out of their limits", &admin, with(wrong)).await;
        let bound = |name: &str, uid: &str| AccountAssociation {
            chainguard: Some(Chainguard { service_bindings: [(name.to_owned(), uid.to_owned())].into() }),
            ..named("a")
        };
        s.call::<CreateAccountAssociation>("no service principal", &admin, with(bound("SOMETHING", &org))).await;
        s.call::<CreateAccountAssociation>("no identifier", &admin, with(bound("COSIGNED", "robot"))).await;
        let some = [(1, "a"); 60];
        let many = github(&[(1, &some), (2, &some)]);
        s.call::<CreateAccountAssociation>(
            "many installations",
            &admin,
            with(AccountAssociation { github: Some(many), ..name() }),
        )
        .await;
        let client_ids = (0..33).map(|n| (n.to_string(), "client".to_owned())).collect();
        let azure = Azure { tenant_id: "tenant".into(), client_ids };
        s.call::<CreateAccountAssociation>("many clients", &admin, with(AccountAssociation { azure: Some(azure), ..name() }))
            .await;
        let apps: Vec<(i64, &[_])> = (0..17).map(|app| (app, &[][..])).collect();
        let apps = AccountAssociation { github: Some(github(&apps)), ..name() };
        s.call::<CreateAccountAssociation>("many apps", &admin, with(apps)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
