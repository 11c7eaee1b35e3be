//! Much of one thing: bindings, claims, patterns.

use std::{collections::BTreeMap, sync::Arc, time::Duration};
use store::rows;

use contract::{
    chainguard::platform::{
        auth::rpc::Validate,
        iam::v2beta1::{
            CreateIdentityRequest, GetGroupRequest, Identity, ListRoleBindingsRequest, ListRoleBindingsResponse,
            UpdateIdentityRequest,
            identity::{
                ClaimMatch, Relationship,
                claim_match::{Iss, Sub},
            },
            rpc::{CreateIdentity, GetGroup, ListRoleBindings, UpdateIdentity},
        },
        oidc::{ExchangeRequest, rpc::Exchange},
    },
    prost_types::FieldMask,
};
use domain::{
    Clock as _, Ctx,
    iam::{RoleBinding, RoleBindingSpec, role::built_in_uid},
};
use serde_json::json;
use testkit::{CountedEntropy, Outcome, Scenario, TestServer, Transport, scenario};

const BINDINGS: u64 = 10_000;

async fn create(s: &Scenario, rule: ClaimMatch) -> Outcome {
    let relationship = Some(Relationship::ClaimMatch(rule));
    let identity = Identity { name: "robot".into(), relationship, ..Identity::default() };
    let request = CreateIdentityRequest { parent: s.server.organization().to_string(), identity: Some(identity) };
    s.quietly::<CreateIdentity>(&s.server.admin(), request).await
}

fn accepting(s: &Scenario, subject: Sub) -> ClaimMatch {
    ClaimMatch { iss: Some(Iss::Issuer(s.server.issuer())), sub: Some(subject), ..ClaimMatch::default() }
}

fn is_about(outcome: &Outcome, field: &str) {
    assert_eq!(outcome.code, "INVALID_ARGUMENT", "{:#}", outcome.body);
    let violations = outcome.body["details"][1]["fieldViolations"].as_array().expect("violations");
    let named = violations.iter().all(|violation| violation["field"].as_str().is_some_and(|named| named.starts_with(field)));
    assert!(named && violations.len() <= 100, "{:#}", outcome.body);
    assert!(outcome.body["message"].as_str().is_some_and(|message| message.len() < 16_384), "errors stay short");
}

#[tokio::test]
async fn ten_thousand_bindings_of_one_identity_are_all_there() {
    let server = TestServer::start().await;
    let org = server.organization().clone();
    let robot = server.workload(&org, "robot", None).await;
    let get = GetGroupRequest { uid: org.to_string() };
    assert_eq!(robot.call::<GetGroup>(Transport::Json, get.clone()).await.code, "PERMISSION_DENIED");
    let ctx = Ctx::system("test", server.clock().now(), Arc::new(CountedEntropy::from(2_000_000)));
    for first in (0..BINDINGS).step_by(500) {
        let (identity, place) = (robot.uid().clone(), org.clone());
        let bind = server.store().write(&ctx, move |tx| {
            let (identity, place) = (identity.clone(), place.clone());
            Box::pin(async move {
                for number in first..first + 500 {
                    let spec = RoleBindingSpec { identity: identity.clone(), role: built_in_uid("viewer") };
                    let (uid, at, revision) = (place.child(number.to_be_bytes()), tx.now(), tx.revision());
                    let binding = RoleBinding { uid, spec, created_at: at, updated_at: at, revision };
                    rows::insert(tx, &binding).await?;
                }
                Ok(())
            })
        });
        bind.await.expect("five hundred bindings");
    }
    let identity = robot.uid().to_string();
    let own = ListRoleBindingsRequest { identity, skip: 9_990, page_size: 200, ..ListRoleBindingsRequest::default() };
    for transport in [Transport::Json, Transport::Grpc] {
        assert_eq!(robot.call::<GetGroup>(transport, get.clone()).await.code, "OK");
        let page: ListRoleBindingsResponse = robot.call::<ListRoleBindings>(transport, own.clone()).await.ok();
        assert_eq!((page.total_count(), page.role_bindings.len()), (10_000, 10));
        let told = robot.call::<Validate>(transport, ()).await;
        let places = told.body["capabilities"].as_array().map(Vec::len);
        assert_eq!((told.code.as_str(), places), ("OK", Some(1)), "{:#}", told.body);
    }
    server.stop().await;
}

#[tokio::test]
async fn patterns_that_would_explode_are_refused_and_others_take_linear_time() {
    scenario(async |s| {
        let bombs = ["(a{1000}){1000}", "((a{100}){100}){100}", "(.{1000}|.{1000}){1000}"];
        for bomb in bombs {
            is_about(&create(s, accepting(s, Sub::SubjectPattern(bomb.into()))).await, "claim_match.subject_pattern");
            let claim_patterns = BTreeMap::from([("ref".to_owned(), bomb.to_owned())]);
            let rule = ClaimMatch { claim_patterns, ..accepting(s, Sub::Subject("robot".into())) };
            is_about(&create(s, rule).await, "claim_match.claim_patterns");
        }
        let deep = format!("{}a{}", "(".repeat(500), ")".repeat(500));
        is_about(&create(s, accepting(s, Sub::SubjectPattern(deep))).await, "claim_match.subject_pattern");

        // What takes other engines exponential time.
        let robot: Identity = create(s, accepting(s, Sub::SubjectPattern("(a|a)*(a*)*b".into()))).await.ok();
        let upstream = s.server.mint(&"a".repeat(1024), s.server.base_url(), json!({})).await;
        let exchange = ExchangeRequest { identity: robot.uid, ..ExchangeRequest::default() };
        let bearer = s.server.bearer(&upstream);
        let answer = s.quietly::<Exchange>(&bearer, exchange);
        let outcome = tokio::time::timeout(Duration::from_secs(30), answer).await.expect("matching ends");
        assert_eq!(outcome.code, "PERMISSION_DENIED", "{:#}", outcome.body);
    })
    .await;
}

#[tokio::test]
async fn a_megabyte_of_claims_is_refused_by_name() {
    scenario(async |s| {
        let much = |size: usize| (0..32).map(move |number| (format!("claim-{number}"), "x".repeat(size)));
        let claims = much(32 * 1024).collect();
        let rule = ClaimMatch { claims, ..accepting(s, Sub::Subject("robot".into())) };
        is_about(&create(s, rule).await, "claim_match.claims");
        let many = (0..50_000).map(|number| (format!("claim-{number}"), "x".to_owned())).collect();
        let rule = ClaimMatch { claims: many, ..accepting(s, Sub::Subject("robot".into())) };
        is_about(&create(s, rule).await, "claim_match.claims");
    })
    .await;
}

/// Over gRPC, where no URL limits a mask.
#[tokio::test]
async fn a_mask_counts_a_field_once_and_its_errors_stay_short() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let robot = server.workload(server.organization(), "robot", None).await;
    let update = async |claims: usize, paths: Vec<String>| {
        let claims = (0..claims).map(|n| (format!("claim{n}"), "x".repeat(20))).collect();
        let relationship = Some(Relationship::ClaimMatch(ClaimMatch { claims, ..ClaimMatch::default() }));
        let identity = Some(Identity { uid: robot.uid().to_string(), relationship, ..Identity::default() });
        let request = UpdateIdentityRequest { identity, update_mask: Some(FieldMask { paths }) };
        admin.call::<UpdateIdentity>(Transport::Grpc, request).await
    };
    let repeated = || (0..400).map(|n| ["claim_match.claims", "claimMatch.claims"][n % 2].to_owned()).collect();
    let after: Identity = update(32, repeated()).await.ok();
    let Some(Relationship::ClaimMatch(rule)) = after.relationship else { panic!("it is a rule") };
    assert_eq!(rule.claims.len(), 32);
    assert!(rule.iss.is_some() && rule.sub.is_some(), "nothing else has changed");
    is_about(&update(5000, repeated()).await, "claim_match.claims");

    let refused = update(1, (0..500).map(|n| format!("{}{n}", "x".repeat(n))).collect()).await;
    is_about(&refused, "update_mask");
    assert!(refused.body["message"].as_str().is_some_and(|message| message.ends_with("and 492 more")), "{:#}", refused.body);
    is_about(&update(1, vec!["name".to_owned(); 1001]).await, "update_mask");
    server.stop().await;
}
