//! Access requests, from the question to the answer.

use contract::{
    chainguard::platform::iam::{
        self as v1,
        rpc::RequestGroupAccess as OldRequestGroupAccess,
        v2beta1::{
            GetGroupRequest, Group, OrgKind, RequestGroupAccessRequest,
            rpc::{CreateGroup, GetGroup, RequestGroupAccess},
        },
    },
    provost::iam::v1::{
        AccessRequest, GetAccessRequestRequest, GrantAccessRequestRequest, ListAccessRequestsRequest, ListAccessRequestsResponse,
        RefuseAccessRequestRequest,
        rpc::{GetAccessRequest, GrantAccessRequest, ListAccessRequests, RefuseAccessRequest},
    },
};
use domain::iam::role::built_in_uid;
use testkit::{Actor, Scenario, scenario};

use super::groups::{lookup::user, new_group};

/// A verified organization.
async fn verified(s: &Scenario, name: &str) -> String {
    let mut wish = new_group("", name);
    wish.group = wish.group.map(|group| Group { verified: true, kind: OrgKind::Customer.into(), ..group });
    s.server.operator().await.must::<CreateGroup>(wish).await.uid
}

async fn ask(s: &Scenario, who: &Actor, group: &str) -> String {
    let request = RequestGroupAccessRequest { group_uid: group.to_owned() };
    s.quietly::<RequestGroupAccess>(who, request).await.code
}

async fn listed(s: &Scenario, who: &Actor) -> Vec<AccessRequest> {
    let listed: ListAccessRequestsResponse =
        s.quietly::<ListAccessRequests>(who, ListAccessRequestsRequest::default()).await.ok();
    listed.items
}

#[tokio::test]
async fn owners_let_people_in() {
    let transcript = scenario(async |s| {
        let operator = s.server.operator().await;
        let organization = verified(s, "example.com").await;
        s.name(&organization, "example");
        let ana = user(s, "ana", "ana@example.com", true).await;
        let get = GetGroupRequest { uid: organization.clone() };
        assert_eq!(s.quietly::<GetGroup>(&ana, get.clone()).await.code, "PERMISSION_DENIED");
        let request = RequestGroupAccessRequest { group_uid: organization.clone() };
        s.call::<RequestGroupAccess>("asks", &ana, request.clone()).await;
        s.call::<RequestGroupAccess>("asks again", &ana, request).await;
        assert_eq!(listed(s, &ana).await, [], "who asks sees nothing");
        assert_eq!(listed(s, &s.server.admin()).await, [], "and neither does another organization");

        let asked = listed(s, &operator).await;
        let [one] = asked.as_slice() else { panic!("one has asked: {asked:?}") };
        s.name(&one.uid, "request");
        s.name(&one.identity_uid, "ana");
        s.call::<GetAccessRequest>("is there", &operator, GetAccessRequestRequest { uid: one.uid.clone() }).await;
        let mut grant = GrantAccessRequestRequest { uid: one.uid.clone(), role_uid: "0".repeat(40) };
        s.call::<GrantAccessRequest>("of no role", &operator, grant.clone()).await;
        grant.role_uid = built_in_uid("viewer").to_string();
        let denied = s.quietly::<GrantAccessRequest>(&ana, grant.clone()).await;
        assert_eq!(denied.code, "PERMISSION_DENIED", "nobody lets themselves in");
        s.call::<GrantAccessRequest>("lets in", &operator, grant.clone()).await;
        assert_eq!(s.quietly::<GetGroup>(&ana, get).await.code, "OK");
        assert_eq!(s.quietly::<GrantAccessRequest>(&operator, grant).await.code, "NOT_FOUND", "it is closed");
        assert_eq!(listed(s, &operator).await, []);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn who_was_refused_waits() {
    scenario(async |s| {
        let operator = s.server.operator().await;
        let organization = verified(s, "example.com").await;
        let ana = user(s, "ana", "ana@example.com", true).await;
        let old = v1::RequestGroupAccessRequest { group_id: organization.clone() };
        assert_eq!(s.quietly::<OldRequestGroupAccess>(&ana, old).await.code, "OK", "the same in v1");
        let uid = listed(s, &operator).await[0].uid.clone();
        let refuse = RefuseAccessRequestRequest { uid: uid.clone() };
        let refused: AccessRequest = s.quietly::<RefuseAccessRequest>(&operator, refuse.clone()).await.ok();
        assert!(refused.refuse_time.is_some());
        assert_eq!(s.quietly::<RefuseAccessRequest>(&operator, refuse).await.ok::<AccessRequest>(), refused, "once");
        assert_eq!(ask(s, &ana, &organization).await, "RESOURCE_EXHAUSTED");

        s.server.clock().advance_seconds(30 * 24 * 60 * 60);
        let (operator, ana) = (s.server.operator().await, user(s, "ana", "ana@example.com", true).await);
        assert_eq!(ask(s, &ana, &organization).await, "OK", "after a while");
        let again = listed(s, &operator).await;
        assert_eq!((again.len(), again[0].refuse_time), (1, None));
        assert_ne!(again[0].uid, uid);
    })
    .await;
}

#[tokio::test]
async fn nobody_asks_elsewhere() {
    scenario(async |s| {
        let (organization, other) = (verified(s, "example.com").await, verified(s, "example.org").await);
        let (ana, bob) = (user(s, "ana", "ana@example.com", true).await, user(s, "bob", "bob@example.com", false).await);
        for (who, group, code) in [
            (&ana, other.as_str(), "NOT_FOUND"),
            (&ana, s.server.organization().as_str(), "NOT_FOUND"),
            (&ana, "0000000000000000000000000000000000000000", "NOT_FOUND"),
            (&ana, "", "INVALID_ARGUMENT"),
            (&ana, "example.com", "INVALID_ARGUMENT"),
            (&bob, organization.as_str(), "NOT_FOUND"),
            (&s.server.admin(), organization.as_str(), "NOT_FOUND"),
        ] {
            assert_eq!(ask(s, who, group).await, code, "{group}");
        }
    })
    .await;
}
