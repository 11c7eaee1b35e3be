use contract::chainguard::platform::iam::{
    AccountAssociations, AccountAssociationsCheckRequest, AccountAssociationsFilter, DeleteAccountAssociationsRequest,
    account_associations::{Amazon, Azure, Chainguard, Google},
    rpc::{
        Check, GroupAccountAssociationsCreate, GroupAccountAssociationsDelete, GroupAccountAssociationsList,
        GroupAccountAssociationsUpdate,
    },
    v2beta1::{
        AccountAssociation, GetAccountAssociationRequest,
        rpc::{CreateGroup, GetAccountAssociation},
    },
};
use testkit::scenario;

use crate::v2beta1::{absent, groups::new_group};

fn of(group: &str, name: &str) -> AccountAssociations {
    AccountAssociations { group: group.into(), name: name.into(), ..AccountAssociations::default() }
}

fn filter(group: &str, name: &str) -> AccountAssociationsFilter {
    AccountAssociationsFilter { group: group.into(), name: name.into() }
}

#[tokio::test]
async fn are_those_of_v2beta1() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let folder = admin.must::<CreateGroup>(new_group(&org, "team-a")).await.uid;
        s.name(&folder, "folder");
        let amazon = Some(Amazon { account: "123456789012".into() });
        let google = Some(Google { project_id: "acme".into(), project_number: "7".into() });
        let made = AccountAssociations { amazon, google, description: "Acme".into(), ..of(&org, "accounts") };
        s.call::<GroupAccountAssociationsCreate>("of the organization", &admin, made).await;
        s.call::<GroupAccountAssociationsCreate>("a second one", &admin, of(&org, "other")).await;
        s.quietly::<GroupAccountAssociationsCreate>(&admin, of(&folder, "other")).await.ok::<AccountAssociations>();
        s.call::<GroupAccountAssociationsList>("all", &admin, filter("", "")).await;
        s.call::<GroupAccountAssociationsList>("by group", &admin, filter(&folder, "")).await;
        s.call::<GroupAccountAssociationsList>("by name", &admin, filter("", "accounts")).await;
        s.call::<GroupAccountAssociationsList>("both", &admin, filter(&folder, "accounts")).await;

        let azure = Azure { tenant_id: "tenant".into(), client_ids: [("a".into(), "b".into())].into() };
        let replaced = AccountAssociations { azure: Some(azure), ..of(&org, "accounts") };
        s.call::<GroupAccountAssociationsUpdate>("what is left out goes", &admin, replaced).await;
        let read: AccountAssociation =
            s.quietly::<GetAccountAssociation>(&admin, GetAccountAssociationRequest { uid: org.clone() }).await.ok();
        assert_eq!((read.amazon, read.azure.map(|azure| azure.tenant_id)), (None, Some("tenant".to_owned())));

        let delete = || DeleteAccountAssociationsRequest { group: org.clone() };
        s.call::<GroupAccountAssociationsDelete>("it goes", &admin, delete()).await;
        s.call::<GroupAccountAssociationsDelete>("and may be gone", &admin, delete()).await;
        s.call::<GroupAccountAssociationsList>("an empty list says so", &admin, filter(&org, "")).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn name_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let empty = AccountAssociations {
            amazon: Some(Amazon::default()),
            google: Some(Google::default()),
            azure: Some(Azure::default()),
            chainguard: Some(Chainguard::default()),
            ..of(&org, "a")
        };
        s.call::<GroupAccountAssociationsCreate>("providers without anything", &admin, empty).await;
        s.call::<GroupAccountAssociationsCreate>("no name", &admin, of(&org, "")).await;
        s.call::<GroupAccountAssociationsCreate>("without a group", &admin, of("", "a")).await;
        s.call::<GroupAccountAssociationsCreate>("of no group", &admin, of(&absent(&org), "a")).await;
        s.call::<GroupAccountAssociationsUpdate>("one that is not there", &admin, of(&org, "a")).await;
        s.call::<GroupAccountAssociationsList>("what is no group", &admin, filter("nonsense", "")).await;
        let check = AccountAssociationsCheckRequest { group: org.clone(), account_type: 1 };
        s.call::<Check>("trying it out", &admin, check).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
