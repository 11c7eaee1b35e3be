use client::Options;
use contract::chainguard::platform::iam::v2beta1::{
    BatchDeleteExternalGroupRoleMappingsRequest, BatchDeleteExternalGroupRoleMappingsResponse, ExternalGroupRoleMapping,
    GetExternalGroupRoleMappingRequest,
    rpc::{BatchDeleteExternalGroupRoleMappings, CreateExternalGroupRoleMapping, GetExternalGroupRoleMapping},
};
use domain::Revision;
use store::outbox;
use testkit::{Actor, Scenario, scenario};

use super::{make_provider, new_mapping};
use crate::v2beta1::{absent, built_in};

fn batch(parent: &str, names: &[&str]) -> BatchDeleteExternalGroupRoleMappingsRequest {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    BatchDeleteExternalGroupRoleMappingsRequest { parent: parent.into(), names }
}

async fn make(s: &mut Scenario, admin: &Actor, provider: &str, group: &str) -> String {
    let request = new_mapping(provider, group, &built_in("viewer"));
    let made: ExternalGroupRoleMapping = s.quietly::<CreateExternalGroupRoleMapping>(admin, request).await.ok();
    s.name(&made.uid, &format!("mapping of {group}"));
    made.uid
}

async fn is_there(s: &Scenario, admin: &Actor, uid: &str) -> bool {
    let read = GetExternalGroupRoleMappingRequest { uid: uid.into() };
    s.quietly::<GetExternalGroupRoleMapping>(admin, read).await.code == "OK"
}

#[tokio::test]
async fn deletes_what_is_there() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let login = make_provider(s, &admin, "login").await;
        let (a, b) = (make(s, &admin, &login, "a").await, make(s, &admin, &login, "b").await);
        let wish = batch(&login, &[&b, &absent(&login), &a, &b]);
        s.call::<BatchDeleteExternalGroupRoleMappings>("in the order of the request", &admin, wish.clone()).await;
        let again = s.call::<BatchDeleteExternalGroupRoleMappings>("a second time", &admin, wish).await;
        assert_eq!(again.ok::<BatchDeleteExternalGroupRoleMappingsResponse>().parent, login);
        let mut reader = s.server.store().reader().await.expect("reads");
        let events = outbox::pending(&mut reader, Revision(0), 1000).await.expect("events");
        let told: Vec<_> = events.iter().filter(|event| event.kind.ends_with(".deleted.batch.v1")).collect();
        assert_eq!(told.len(), 1, "nothing to tell the second time");
        assert_eq!((told[0].subject.as_str(), told[0].group.as_str()), (&*login, s.server.organization().as_str()));
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn deletes_all_or_none() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let (login, other) = (make_provider(s, &admin, "login").await, make_provider(s, &admin, "other").await);
        let (own, elsewhere) = (make(s, &admin, &login, "own").await, make(s, &admin, &other, "elsewhere").await);
        s.call::<BatchDeleteExternalGroupRoleMappings>("none", &admin, batch(&login, &[])).await;
        s.call::<BatchDeleteExternalGroupRoleMappings>("too many", &admin, batch(&login, &[own.as_str(); 101])).await;
        s.call::<BatchDeleteExternalGroupRoleMappings>("no identifiers", &admin, batch(&login, &["x", ""])).await;
        s.call::<BatchDeleteExternalGroupRoleMappings>("one of another provider", &admin, batch(&login, &[&own, &elsewhere]))
            .await;
        s.call::<BatchDeleteExternalGroupRoleMappings>(
            "one that another provider does not have",
            &admin,
            batch(&login, &[&own, &absent(&other)]),
        )
        .await;
        let viewer = s.server.workload(s.server.organization(), "viewer", Some("viewer")).await;
        s.call::<BatchDeleteExternalGroupRoleMappings>("by a viewer", &viewer, batch(&login, &[&own])).await;
        let stranger = s.server.stranger().await;
        s.call::<BatchDeleteExternalGroupRoleMappings>(
            "by a stranger, of another provider",
            &stranger,
            batch(&login, &[&elsewhere]),
        )
        .await;
        let newer = make(s, &admin, &login, "newer").await;
        let read = GetExternalGroupRoleMappingRequest { uid: own.clone() };
        let tag = s.quietly::<GetExternalGroupRoleMapping>(&admin, read).await.etag;
        let tagged = Options { if_match: tag, ..Options::default() };
        let refused =
            admin.call_with::<BatchDeleteExternalGroupRoleMappings>(s.transport, batch(&login, &[&own, &newer]), &tagged).await;
        assert_eq!(refused.code, "ABORTED", "one is of another version: {:#}", refused.body);
        for uid in [&own, &elsewhere, &newer] {
            assert!(is_there(s, &admin, uid).await, "nothing was deleted");
        }
    })
    .await;
    insta::assert_snapshot!(transcript);
}
