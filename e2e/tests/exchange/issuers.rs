//! Issuers that are down, slow, lying, redirecting, hiding in private networks or far too talkative.

use std::time::{Duration, Instant};

use contract::chainguard::platform::{
    iam::v2beta1::{
        CreateIdentityRequest, Identity,
        identity::{
            ClaimMatch, Relationship,
            claim_match::{Iss, Sub},
        },
        rpc::CreateIdentity,
    },
    oidc::{ExchangeRequest, RawToken, rpc::Exchange},
};
use domain::Clock;
use serde_json::json;
use testkit::{Fault, Issuer, Outcome, Scenario, scenario};
use tokio::{join, time::timeout};

/// Registers a workload of `issuer` and exchanges a token that the issuer signed.
async fn exchange(s: &Scenario, issuer: &Issuer) -> Outcome {
    let identity = register(s, &issuer.url).await;
    exchange_as(s, issuer, &identity).await
}

/// Exchanges a token that the issuer has signed just now.
async fn exchange_as(s: &Scenario, issuer: &Issuer, identity: &str) -> Outcome {
    let now = s.server.clock().now().seconds();
    let token = issuer.sign(&json!({
        "iss": issuer.url, "sub": "robot", "aud": s.server.base_url(), "iat": now, "exp": now + 600,
    }));
    let request = ExchangeRequest { identity: identity.to_owned(), ..ExchangeRequest::default() };
    s.quietly::<Exchange>(&s.server.bearer(&token), request).await
}

async fn register(s: &Scenario, issuer: &str) -> String {
    let rule =
        ClaimMatch { iss: Some(Iss::Issuer(issuer.into())), sub: Some(Sub::Subject("robot".into())), ..ClaimMatch::default() };
    let identity = Identity { name: "robot".into(), relationship: Some(Relationship::ClaimMatch(rule)), ..Identity::default() };
    let parent = s.server.organization().to_string();
    let admin = s.server.admin();
    s.quietly::<CreateIdentity>(&admin, CreateIdentityRequest { parent, identity: Some(identity) }).await.ok::<Identity>().uid
}

/// How long the keys of an issuer are fresh, and a little more, in seconds; and how long they may be used.
const NOT_FRESH: i64 = 16 * 60;
const TOO_OLD: i64 = 76 * 60;

#[tokio::test]
async fn an_honest_issuer_works_and_survives_an_outage() {
    scenario(async |s| {
        let mut issuer = Issuer::start(Fault::None).await;
        let identity = register(s, &issuer.url).await;
        assert!(!exchange_as(s, &issuer, &identity).await.ok::<RawToken>().token.is_empty());
        issuer.stop();
        for seconds in [0, NOT_FRESH] {
            s.server.clock().advance_seconds(seconds);
            let outcome = exchange_as(s, &issuer, &identity).await;
            assert_eq!(outcome.code, "OK", "known keys stay usable during an outage: {}", outcome.body);
        }
        s.server.clock().advance_seconds(TOO_OLD - NOT_FRESH);
        let outcome = exchange_as(s, &issuer, &identity).await;
        assert_eq!(outcome.code, "UNAVAILABLE", "not for ever: {}", outcome.body);
    })
    .await;
}

#[tokio::test]
async fn an_issuer_that_falls_silent_holds_up_no_exchange() {
    scenario(async |s| {
        let issuer = Issuer::start(Fault::None).await;
        let identity = register(s, &issuer.url).await;
        assert_eq!(exchange_as(s, &issuer, &identity).await.code, "OK");
        issuer.fall_silent();
        s.server.clock().advance_seconds(NOT_FRESH);
        // Much less than the issuer has to answer in.
        let at_once = async || timeout(Duration::from_secs(5), exchange_as(s, &issuer, &identity)).await.expect("in time").code;
        for _ in 0..5 {
            assert_eq!(at_once().await, "OK");
        }
        assert_eq!(join!(at_once(), at_once()), ("OK".to_owned(), "OK".to_owned()));
        s.server.clock().advance_seconds(TOO_OLD - NOT_FRESH);
        let outcome = exchange_as(s, &issuer, &identity).await;
        assert_eq!(outcome.code, "UNAVAILABLE", "not for ever: {}", outcome.body);
    })
    .await;
}

#[tokio::test]
async fn faulty_issuers_get_nobody_in() {
    let transcript = scenario(async |s| {
        let faults = [Fault::Lies, Fault::Redirects, Fault::Huge, Fault::PrivateKeys, Fault::Garbage];
        for fault in faults {
            let issuer = Issuer::start(fault).await;
            s.name(issuer.url.clone(), "issuer");
            let outcome = exchange(s, &issuer).await;
            s.transcript.step(&format!("{fault:?}"), &outcome);
        }
        let mut issuer = Issuer::start(Fault::None).await;
        issuer.stop();
        s.name(issuer.url.clone(), "issuer");
        let outcome = exchange(s, &issuer).await;
        s.transcript.step("Down", &outcome);
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn a_silent_issuer_costs_seconds_not_minutes() {
    scenario(async |s| {
        let issuer = Issuer::start(Fault::Silent).await;
        let from = Instant::now();
        let outcome = exchange(s, &issuer).await;
        assert_eq!(outcome.code, "UNAVAILABLE", "{}", outcome.body);
        assert!(from.elapsed() < Duration::from_secs(30), "gave up after {:?}", from.elapsed());
    })
    .await;
}

#[tokio::test]
async fn private_addresses_are_never_asked() {
    let transcript = scenario(async |s| {
        let issuer = Issuer::start(Fault::None).await;
        for url in ["https://10.0.0.1", "https://169.254.169.254", "https://[fd00::1]", "https://[::ffff:10.0.0.1]"] {
            let identity = register(s, url).await;
            let now = 1_767_323_045;
            let claims = json!({"iss": url, "sub": "robot", "aud": s.server.base_url(), "iat": now, "exp": now + 600});
            let request = ExchangeRequest { identity, ..ExchangeRequest::default() };
            let outcome = s.quietly::<Exchange>(&s.server.bearer(&issuer.sign(&claims)), request).await;
            s.transcript.step(url, &outcome);
        }
    })
    .await;
    insta::assert_snapshot!(transcript);
}

#[tokio::test]
async fn an_issuer_that_no_identity_names_is_never_asked() {
    scenario(async |s| {
        let named = Issuer::start(Fault::None).await;
        let identity = register(s, &named.url).await;
        let other = Issuer::start(Fault::Silent).await;
        let now = 1_767_323_045;
        let claims = json!({"iss": other.url, "sub": "robot", "aud": s.server.base_url(), "iat": now, "exp": now + 600});
        let request = ExchangeRequest { identity, ..ExchangeRequest::default() };
        let from = Instant::now();
        let outcome = s.quietly::<Exchange>(&s.server.bearer(&other.sign(&claims)), request).await;
        assert_eq!(outcome.code, "PERMISSION_DENIED", "{}", outcome.body);
        assert!(outcome.body["message"].as_str().is_some_and(|message| message.contains("invalid \"iss\"")), "{}", outcome.body);
        assert!(from.elapsed() < Duration::from_secs(3), "the silent issuer was asked");
    })
    .await;
}
