use contract::chainguard::platform::{
    auth::{RegistrationRequest, rpc::Register},
    iam::{
        self as v1,
        rpc::{CheckEligibility as OldCheckEligibility, LookupGroup as OldLookupGroup},
        v2beta1::{
            CheckEligibilityRequest, CheckEligibilityResponse, Group, LookupGroupRequest, OrgKind,
            rpc::{CheckEligibility, CreateGroup, LookupGroup},
        },
    },
    oidc::{ExchangeRequest, RawToken, rpc::Exchange},
};
use serde_json::json;
use testkit::{Actor, Scenario, scenario};

use super::new_group;

/// Somebody who has registered with this address.
pub(crate) async fn user(s: &Scenario, name: &str, email: &str, is_verified: bool) -> Actor {
    let claims = json!({"email": email, "email_verified": is_verified});
    let upstream = s.server.bearer(&s.server.mint(name, s.server.base_url(), claims).await);
    assert_eq!(s.quietly::<Register>(&upstream, RegistrationRequest::default()).await.code, "OK");
    let token: RawToken = s.quietly::<Exchange>(&upstream, ExchangeRequest::default()).await.ok();
    s.server.bearer(&token.token)
}

#[tokio::test]
async fn goes_by_the_domain_of_the_verified_address() {
    let transcript = scenario(async |s| {
        let operator = s.server.operator().await;
        let mut wish = new_group("", "example.com");
        wish.group = wish.group.map(|group| Group { verified: true, kind: OrgKind::Customer.into(), ..group });
        let made = operator.must::<CreateGroup>(wish).await;
        s.name(&made.uid, "example");
        operator.must::<CreateGroup>(new_group("", "example.org")).await;

        let ana = user(s, "ana", "Ana@EXAMPLE.com", true).await;
        s.call::<LookupGroup>("of the organization", &ana, LookupGroupRequest::default()).await;
        let old: v1::LookupGroupResponse = s.quietly::<OldLookupGroup>(&ana, v1::LookupGroupRequest::default()).await.ok();
        assert_eq!(old.group.map(|group| group.id), Some(made.uid), "the same in v1");
        let bob = user(s, "bob", "bob@example.com", false).await;
        s.call::<LookupGroup>("nobody vouches for the address", &bob, LookupGroupRequest::default()).await;
        for (name, email) in [("cid", "cid@example.org"), ("dan", "dan@mail.example.com"), ("eve", "example.com@elsewhere.com")] {
            let user = user(s, name, email, true).await;
            let told = s.quietly::<LookupGroup>(&user, LookupGroupRequest::default()).await;
            assert_eq!(told.code, "NOT_FOUND", "{email}: {:#}", told.body);
        }
        let robot = s.server.workload(s.server.organization(), "robot", Some("owner")).await;
        let told = s.quietly::<LookupGroup>(&robot, LookupGroupRequest::default()).await;
        assert_eq!(told.code, "NOT_FOUND", "workloads have no address: {:#}", told.body);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn who_may_have_an_organization_is_told() {
    scenario(async |s| {
        let ana = user(s, "ana", "ana@example.com", true).await;
        let eligible = async |actor: &Actor| {
            let new: CheckEligibilityResponse =
                s.quietly::<CheckEligibility>(actor, CheckEligibilityRequest::default()).await.ok();
            let old: v1::CheckEligibilityResponse =
                s.quietly::<OldCheckEligibility>(actor, v1::CheckEligibilityRequest::default()).await.ok();
            assert_eq!(new.eligible, old.eligible);
            new.eligible
        };
        assert!(eligible(&ana).await, "anybody in development mode");
        let here = ExchangeRequest { scopes: vec![s.server.organization().to_string()], ..ExchangeRequest::default() };
        let narrowed: RawToken = s.quietly::<Exchange>(&s.server.admin(), here).await.ok();
        assert!(!eligible(&s.server.bearer(&narrowed.token)).await, "but for tokens that are for something else");
    })
    .await;
}
