//! What would take this server long: it is refused before it is begun, or done where it holds up nobody else.

use client::http::{Answer, Request};
use domain::Uidp;
use futures::future::join_all;
use serde_json::{Value, json};
use testkit::{Actor, TestServer};

fn violations(answer: &Answer) -> Vec<String> {
    let body = answer.json();
    let details = body["details"].as_array().cloned().unwrap_or_default();
    let fields = details.iter().filter_map(|detail| detail["fieldViolations"].as_array()).flatten();
    fields.filter_map(|violation| violation["field"].as_str()).map(str::to_owned).collect()
}

fn rule(server: &TestServer, subject: &str, patterns: &[(&str, &str)]) -> Value {
    let patterns: serde_json::Map<_, _> = patterns.iter().map(|(name, pattern)| ((*name).to_owned(), json!(pattern))).collect();
    json!({"issuer": server.issuer(), "subjectPattern": subject, "claimPatterns": patterns})
}

async fn create(actor: &Actor, parent: &str, rule: &Value) -> Answer {
    let identity = json!({"name": "robot", "claimMatch": rule});
    actor.http(Request::post(format!("/iam/v2beta1/identities/{parent}"), &identity)).await
}

async fn created(actor: &Actor, parent: &str, rule: &Value) -> Uidp {
    let answer = create(actor, parent, rule).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["uid"].as_str().and_then(|uid| uid.parse().ok()).expect("a UID")
}

#[tokio::test]
async fn patterns_that_expand_without_end_are_refused_by_name() {
    let server = TestServer::start().await;
    let (admin, org) = (server.admin(), server.organization().to_string());
    let letters = format!("(?i){}", r"\pL".repeat(330));
    let names: Vec<_> = (0..32).map(|number| format!("c{number:02}")).collect();
    let patterns: Vec<_> = names.iter().map(|name| (name.as_str(), letters.as_str())).collect();
    let costly = rule(&server, "x", &patterns);
    let robot = created(&admin, &org, &rule(&server, "robot", &[])).await;
    let path = format!("/iam/v2beta1/identities/{robot}?updateMask=claimMatch");
    let refusals = [create(&admin, &org, &costly).await, admin.http(Request::patch(path, &json!({"claimMatch": costly}))).await];
    for refused in refusals {
        assert_eq!(refused.status, 400, "{}", refused.text());
        let expected: Vec<_> = names.iter().map(|name| format!("claim_match.claim_patterns.{name}")).collect();
        assert_eq!(violations(&refused), expected);
        assert!(refused.text().contains("c00 is too large to be read: use fewer or smaller classes"), "{}", refused.text());
    }
    let wide = "(?i)[!-\u{10ffff}]".repeat(50);
    assert_eq!(violations(&create(&admin, &org, &rule(&server, &wide, &[])).await), ["claim_match.subject_pattern"]);
    // Classes are no fault in themselves.
    created(&admin, &org, &rule(&server, r"(?i)[\pL\pN-]+/\pL+", &[])).await;
    server.stop().await;
}

#[tokio::test]
async fn a_crowd_of_costly_rules_stops_nobody() {
    let server = TestServer::start().await;
    let (admin, org) = (server.admin(), server.organization().to_string());
    let stranger = server.stranger().await;
    let costly = rule(&server, ".{1,100}", &[("a", "[0-9a-f]{1,100}.{1,70}"), ("b", "[0-9a-f]{1,100}.{1,70}")]);
    let crowd = join_all((0..16).map(|_| created(&admin, &org, &costly)));
    let theirs = stranger.uid().root_text().to_owned();
    let other = async {
        let refused = create(&stranger, &theirs, &rule(&server, "(", &[])).await;
        assert_ne!(refused.status, 429, "{}", refused.text());
    };
    let (crowd, ()) = futures::future::join(crowd, other).await;
    let upstream = server.mint("robot", server.base_url(), json!({"a": "0f", "b": "0f"})).await;
    let first_of_all = join_all(crowd.iter().map(|uid| server.exchange(&upstream, Some(uid))));
    let own = server.mint("admin", server.base_url(), json!({})).await;
    let (exchanged, own) = futures::future::join(first_of_all, server.exchange(&own, None)).await;
    assert!(own.is_ok() && exchanged.iter().all(Result::is_ok), "{exchanged:?}");
    server.stop().await;
}

#[tokio::test]
async fn claims_that_are_too_long_for_a_pattern_say_so() {
    let server = TestServer::start().await;
    let (admin, org) = (server.admin(), server.organization().to_string());
    let dear = created(&admin, &org, &rule(&server, "robot", &[("c", "(?:.*a[ab]{120}.*){8}[ab]*")])).await;
    let exchange = async |claim: String| {
        let upstream = server.mint("robot", server.base_url(), json!({ "c": claim })).await;
        server.exchange(&upstream, Some(&dear)).await.map(|_| ()).map_err(|error| error.to_string())
    };
    let short = exchange(format!("c{}", "ab".repeat(50))).await.expect_err("it does not match");
    assert!(short.contains("invalid \"c\""), "{short}");
    let long = exchange(format!("c{}", "ab".repeat(5000))).await.expect_err("it is too long");
    assert!(long.contains("too long for the patterns of identity"), "{long}");
    server.stop().await;
}

#[tokio::test]
async fn pasted_keys_of_one_name_are_few() {
    let server = TestServer::start().await;
    let (admin, org) = (server.admin(), server.organization().to_string());
    let key = json!({"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"});
    let paste = async |keys: usize| {
        let keys = json!({ "keys": vec![key.clone(); keys] }).to_string();
        let keys = json!({"issuer": "https://issuer.example", "subject": "robot", "issuerKeys": keys});
        let identity = json!({"name": "robot", "staticKeys": keys});
        admin.http(Request::post(format!("/iam/v2beta1/identities/{org}"), &identity)).await
    };
    assert_eq!(paste(4).await.status, 200);
    let refused = paste(5).await;
    assert_eq!(violations(&refused), ["static_keys.issuer_keys"]);
    assert!(refused.text().contains("at most 4 keys with the same kid"), "{}", refused.text());
    server.stop().await;
}
