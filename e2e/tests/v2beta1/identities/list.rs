use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{
        Group, ListIdentitiesRequest, ListIdentitiesResponse, RelationshipType,
        identity::Relationship,
        rpc::{CreateGroup, CreateIdentity, ListIdentities},
    },
};
use testkit::{Actor, Scenario, scenario};

use super::{ci, keys, new_identity};
use crate::v2beta1::groups::new_group;

/// Identities in the organization and in a folder of it, and the folder.
async fn tree(s: &Scenario, admin: &Actor) -> Group {
    let org = s.server.organization().to_string();
    let folder: Group = s.quietly::<CreateGroup>(admin, new_group(&org, "team-a")).await.ok();
    let keyed = || Relationship::StaticKeys(keys());
    for (parent, name, relationship) in [
        (&org, "b", ci()),
        (&org, "a", keyed()),
        (&org, "c", Relationship::ServicePrincipal(1)),
        (&folder.uid, "d", ci()),
        (&folder.uid, "a", ci()),
    ] {
        s.server.clock().advance_seconds(1);
        admin.must::<CreateIdentity>(new_identity(parent, name, Some(relationship))).await;
    }
    folder
}

/// The names on the page and what it counts.
fn line(page: &ListIdentitiesResponse) -> String {
    let names: Vec<_> = page.identities.iter().map(|identity| identity.name.as_str()).collect();
    let more = if page.next_page_token.is_empty() { "last" } else { "more" };
    format!("{} ({} in all, {} skipped, {more})", names.join(" "), page.total_count(), page.skipped)
}

#[tokio::test]
async fn filters_and_counts() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let folder = tree(s, &admin).await;
        let org = s.server.organization().to_string();
        let by_name = ListIdentitiesRequest { order_by: "name".into(), ..ListIdentitiesRequest::default() };
        let below = |uidp: UidpFilter| ListIdentitiesRequest { uidp: Some(uidp), ..by_name.clone() };
        let kind = |kind: RelationshipType| ListIdentitiesRequest { relationship_type: kind.into(), ..by_name.clone() };
        for (title, request) in [
            ("everything", by_name.clone()),
            ("by name", ListIdentitiesRequest { name: "a".into(), ..by_name.clone() }),
            ("of the organization itself", below(UidpFilter { children_of: org.clone(), ..UidpFilter::default() })),
            ("of the folder", below(UidpFilter { descendants_of: folder.uid.clone(), ..UidpFilter::default() })),
            ("users, whom only operators list", below(UidpFilter { in_root: true, ..UidpFilter::default() })),
            ("with claims", kind(RelationshipType::ClaimMatch)),
            ("with keys", kind(RelationshipType::Static)),
            ("of AWS", kind(RelationshipType::AwsIdentity)),
            ("parts of the platform", kind(RelationshipType::ServicePrincipal)),
        ] {
            let page: ListIdentitiesResponse = s.quietly::<ListIdentities>(&admin, request).await.ok();
            s.transcript.line(&format!("{title}: {}", line(&page)));
        }
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn shows_to_each_caller_what_it_may_see() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let folder = tree(s, &admin).await;
        let by_name = || ListIdentitiesRequest { order_by: "name".into(), ..ListIdentitiesRequest::default() };
        let org = s.server.organization().clone();
        let below = folder.uid.parse().expect("a folder's uid");
        for (title, actor) in [
            ("a viewer of the folder", s.server.workload(&below, "folder-viewer", Some("viewer")).await),
            ("a viewer of the organization", s.server.workload(&org, "viewer", Some("viewer")).await),
            ("an identity without a role", s.server.workload(&org, "idle", None).await),
        ] {
            let page: ListIdentitiesResponse = s.quietly::<ListIdentities>(&actor, by_name()).await.ok();
            s.transcript.line(&format!("{title}: {}", line(&page)));
        }
        let stranger = s.server.stranger().await;
        let theirs = UidpFilter { descendants_of: org.to_string(), ..UidpFilter::default() };
        let request = ListIdentitiesRequest { uidp: Some(theirs), ..by_name() };
        s.call::<ListIdentities>("a stranger", &stranger, request).await;
        s.call::<ListIdentities>("nobody", &s.server.nobody(), by_name()).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn names_what_is_wrong_with_a_list() {
    let transcript = scenario(async |s| {
        let admin = s.server.admin();
        let unknown = ListIdentitiesRequest { relationship_type: 9, ..ListIdentitiesRequest::default() };
        s.call::<ListIdentities>("an unknown type", &admin, unknown).await;
    })
    .await;
    insta::assert_snapshot!(transcript);
}
