use contract::chainguard::platform::iam::v2beta1::{
    AccountAssociation, DeleteAccountAssociationRequest, DeleteGroupRequest, Group, ListAccountAssociationsRequest,
    ListAccountAssociationsResponse,
    rpc::{
        CreateAccountAssociation, CreateGroup, DeleteAccountAssociation, DeleteGroup, GetAccountAssociation,
        ListAccountAssociations,
    },
};
use testkit::scenario;

use super::{everywhere, get, named, new_association};
use crate::v2beta1::{absent, groups::new_group};

fn delete(group: &str) -> DeleteAccountAssociationRequest {
    DeleteAccountAssociationRequest { uid: group.into() }
}

#[tokio::test]
async fn may_be_gone_already() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        s.quietly::<CreateAccountAssociation>(&admin, new_association(&org, everywhere())).await.ok::<AccountAssociation>();
        s.call::<DeleteAccountAssociation>("it goes", &admin, delete(&org)).await;
        s.call::<GetAccountAssociation>("and is gone", &admin, get(&org)).await;
        s.call::<DeleteAccountAssociation>("a second time", &admin, delete(&org)).await;
        s.call::<DeleteAccountAssociation>("of no group", &admin, delete(&absent(&org))).await;
        s.call::<CreateAccountAssociation>("the group may get another", &admin, new_association(&org, named("new"))).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn goes_with_its_group() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, "team-a")).await.ok();
        for group in [&org, &folder.uid] {
            admin.must::<CreateAccountAssociation>(new_association(group, named("accounts"))).await;
        }
        let total = async || {
            let all = ListAccountAssociationsRequest::default();
            s.quietly::<ListAccountAssociations>(&admin, all).await.ok::<ListAccountAssociationsResponse>().total_count()
        };
        assert_eq!(total().await, 2);
        let gone = s.quietly::<DeleteGroup>(&admin, DeleteGroupRequest { uid: folder.uid.clone() }).await;
        assert_eq!((gone.code.as_str(), total().await), ("OK", 1), "it does not keep the group");
        s.name(&folder.uid, "folder");
        s.call::<GetAccountAssociation>("that of the folder", &admin, get(&folder.uid)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
