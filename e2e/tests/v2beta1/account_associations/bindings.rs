use contract::chainguard::platform::iam::v2beta1::{
    AccountAssociation, DeleteIdentityRequest, Group, Identity, ServicePrincipal, UpdateIdentityRequest,
    account_association::Chainguard,
    identity::Relationship,
    rpc::{
        CreateAccountAssociation, CreateGroup, CreateIdentity, DeleteIdentity, GetAccountAssociation, UpdateAccountAssociation,
        UpdateIdentity,
    },
};
use testkit::{Actor, scenario};

use super::{get, named, new_association, update::update};
use crate::v2beta1::{
    absent,
    groups::new_group,
    identities::{ci, identity, new_identity},
};

fn bound(bindings: &[(&str, &str)]) -> AccountAssociation {
    let service_bindings = bindings.iter().map(|(part, uid)| ((*part).to_owned(), (*uid).to_owned())).collect();
    AccountAssociation { chainguard: Some(Chainguard { service_bindings }), ..named("accounts") }
}

/// An identity that is this part of the platform.
async fn principal(admin: &Actor, group: &str, is: ServicePrincipal) -> String {
    let relationship = Relationship::ServicePrincipal(is.into());
    admin.must::<CreateIdentity>(new_identity(group, "principal", Some(relationship))).await.uid
}

#[tokio::test]
async fn name_principals_of_the_group_itself() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let folder: Group = s.quietly::<CreateGroup>(&admin, new_group(&org, "team-a")).await.ok();
        let cosigned = principal(&admin, &org, ServicePrincipal::Cosigned).await;
        let ingester = principal(&admin, &org, ServicePrincipal::Ingester).await;
        let below = principal(&admin, &folder.uid, ServicePrincipal::Cosigned).await;
        let other: Identity = s.quietly::<CreateIdentity>(&admin, new_identity(&org, "ci", Some(ci()))).await.ok();
        let user = s.server.admin_uid().to_string();
        for (title, bindings) in [
            ("nobody", [("COSIGNED", absent(&org).as_str())]),
            ("one of a folder", [("COSIGNED", &below)]),
            ("another part of the platform", [("COSIGNED", &ingester)]),
            ("no part of the platform", [("COSIGNED", &other.uid)]),
            ("a user", [("COSIGNED", &user)]),
        ] {
            s.call::<CreateAccountAssociation>(title, &admin, new_association(&org, bound(&bindings))).await;
        }
        s.name(&cosigned, "cosigned");
        s.name(&ingester, "ingester");
        let both = bound(&[("COSIGNED", &cosigned), ("SERVICE_PRINCIPAL_INGESTER", &ingester)]);
        s.call::<CreateAccountAssociation>("two that fit", &admin, new_association(&org, both)).await;
        let swapped = bound(&[("COSIGNED", &ingester), ("INGESTER", &cosigned)]);
        s.call::<UpdateAccountAssociation>("not one for the other", &admin, update(&org, swapped, &[])).await;
        let one = bound(&[("INGESTER", &ingester)]);
        s.call::<UpdateAccountAssociation>("only one of them", &admin, update(&org, one, &[])).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn go_with_what_they_name() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let cosigned = principal(&admin, &org, ServicePrincipal::Cosigned).await;
        let ingester = principal(&admin, &org, ServicePrincipal::Ingester).await;
        s.name(&cosigned, "cosigned");
        s.name(&ingester, "ingester");
        let both = bound(&[("COSIGNED", &cosigned), ("INGESTER", &ingester)]);
        let made = s.quietly::<CreateAccountAssociation>(&admin, new_association(&org, both)).await;
        s.server.clock().advance_seconds(60);

        let rename = |uid: &str, relationship: Option<Relationship>| UpdateIdentityRequest {
            identity: Some(Identity { uid: uid.into(), ..identity("renamed", relationship) }),
            update_mask: None,
        };
        admin.must::<UpdateIdentity>(rename(&cosigned, None)).await;
        assert_eq!(s.quietly::<GetAccountAssociation>(&admin, get(&org)).await, made, "another name is no other identity");
        let becomes = Relationship::ServicePrincipal(ServicePrincipal::Guardener.into());
        admin.must::<UpdateIdentity>(rename(&cosigned, Some(becomes))).await;
        s.call::<GetAccountAssociation>("one has become another part", &admin, get(&org)).await;
        admin.must::<DeleteIdentity>(DeleteIdentityRequest { uid: ingester.clone() }).await;
        s.call::<GetAccountAssociation>("the other is deleted, and no map is empty", &admin, get(&org)).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
