use contract::chainguard::platform::iam::v2beta1::{
    CreateExternalGroupRoleMappingRequest, DeleteExternalGroupRoleMappingRequest, ExternalGroupRoleMapping,
    rpc::{CreateExternalGroupRoleMapping, DeleteExternalGroupRoleMapping},
};
use domain::Revision;
use store::outbox;
use testkit::scenario;

use super::{make_provider, new_mapping};
use crate::v2beta1::{absent, built_in};

#[tokio::test]
async fn gives_a_group_a_role_once() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let login = make_provider(s, &admin, "login").await;
        s.call::<CreateExternalGroupRoleMapping>(
            "a group",
            &admin,
            new_mapping(&login, "CN=Developers,OU=Groups", &built_in("viewer")),
        )
        .await;
        s.call::<CreateExternalGroupRoleMapping>(
            "the same again",
            &admin,
            new_mapping(&login, "CN=Developers,OU=Groups", &built_in("viewer")),
        )
        .await;
        let other = make_provider(s, &admin, "other").await;
        let others = [
            (&login, "CN=Developers,OU=Groups", "editor"),
            (&login, "cn=developers,ou=groups", "viewer"),
            (&other, "CN=Developers,OU=Groups", "viewer"),
        ];
        for (provider, group, role) in others {
            let request = new_mapping(provider, group, &built_in(role));
            assert_eq!(s.quietly::<CreateExternalGroupRoleMapping>(&admin, request).await.code, "OK", "{group}, {role}");
        }
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let login = make_provider(s, &admin, "login").await;
        let at = |scope: &str| {
            let mut request = new_mapping(&login, "developers", &built_in("viewer"));
            request.external_group_role_mapping.as_mut().expect("one").scope = scope.into();
            request
        };
        let empty = Some(ExternalGroupRoleMapping::default());
        s.call::<CreateExternalGroupRoleMapping>(
            "nothing",
            &admin,
            CreateExternalGroupRoleMappingRequest { parent: login.clone(), external_group_role_mapping: empty },
        )
        .await;
        s.call::<CreateExternalGroupRoleMapping>("no line", &admin, new_mapping(&login, "a\nb", &built_in("viewer"))).await;
        s.call::<CreateExternalGroupRoleMapping>("too long", &admin, new_mapping(&login, &"g".repeat(256), &built_in("viewer")))
            .await;
        s.call::<CreateExternalGroupRoleMapping>(
            "a role that is not there",
            &admin,
            new_mapping(&login, "developers", &absent(&org)),
        )
        .await;
        s.call::<CreateExternalGroupRoleMapping>("somewhere in the organization", &admin, at(&absent(&org))).await;
        s.call::<CreateExternalGroupRoleMapping>("another organization", &admin, at(&built_in("viewer"))).await;
        s.call::<CreateExternalGroupRoleMapping>("a scope that is none", &admin, at("everywhere")).await;
        s.call::<CreateExternalGroupRoleMapping>("in a group", &admin, new_mapping(&org, "developers", &built_in("viewer")))
            .await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn an_identity_provider_has_a_thousand_at_most() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let login = make_provider(s, &admin, "login").await;
        let mut last = ExternalGroupRoleMapping::default();
        for n in 0..1000 {
            last = admin.must::<CreateExternalGroupRoleMapping>(new_mapping(&login, &format!("g{n}"), &built_in("viewer"))).await;
        }
        let more = new_mapping(&login, "more", &built_in("viewer"));
        s.call::<CreateExternalGroupRoleMapping>("one more", &admin, more.clone()).await;
        admin.must::<DeleteExternalGroupRoleMapping>(DeleteExternalGroupRoleMappingRequest { uid: last.uid }).await;
        let instead = s.quietly::<CreateExternalGroupRoleMapping>(&admin, more).await;
        assert_eq!(instead.code, "OK", "in the place of one that is gone: {:#}", instead.body);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn is_an_event_of_its_organization() {
    scenario(async |s| {
        let admin = s.server.admin();
        let org = s.server.organization().to_string();
        let login = make_provider(s, &admin, "login").await;
        let made = admin.must::<CreateExternalGroupRoleMapping>(new_mapping(&login, "g", &built_in("viewer"))).await;
        admin.must::<DeleteExternalGroupRoleMapping>(DeleteExternalGroupRoleMappingRequest { uid: made.uid.clone() }).await;
        let mut reader = s.server.store().reader().await.expect("reads");
        let events = outbox::pending(&mut reader, Revision(0), 1000).await.expect("events");
        let told: Vec<_> = events.iter().filter(|event| event.subject == made.uid).collect();
        let kinds: Vec<_> = told.iter().map(|event| event.kind.rsplit("mappings.").next().unwrap_or_default()).collect();
        assert_eq!(kinds, ["created.v1", "deleted.v1"]);
        assert!(told.iter().all(|event| event.group == org && event.customer && event.api_version == "v2beta1"), "{told:?}");
    })
    .await;
}
