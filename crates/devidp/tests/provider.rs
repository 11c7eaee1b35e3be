//! The provider through its front door, with another library as the judge of its tokens.
#![expect(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::sync::Arc;

use axum::{
    body::Body,
    http::{Request, StatusCode},
};
use devidp::DevIdp;
use domain::{Clock, Entropy, Error, Timestamp};
use http_body_util::BodyExt;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, jwk::JwkSet};
use serde_json::{Value, json};
use tower::ServiceExt;

const NOW: i64 = 1_800_000_000;

#[derive(Debug)]
struct Fixed;

impl Clock for Fixed {
    fn now(&self) -> Timestamp {
        Timestamp::from_seconds(NOW)
    }
}

impl Entropy for Fixed {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), Error> {
        bytes.fill(7);
        Ok(())
    }
}

fn provider() -> DevIdp {
    DevIdp::new("http://127.0.0.1:8080", Arc::new(Fixed), Arc::new(Fixed)).expect("a provider")
}

async fn call(
    provider: &DevIdp,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Body>,
) -> (StatusCode, Value) {
    let mut request = Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| *name == "host") {
        request = request.header("host", "127.0.0.1:8080");
    }
    if method == "POST" && !headers.iter().any(|(name, _)| *name == "content-type") {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = provider.router().oneshot(request.body(body.into()).expect("a request")).await.expect("an answer");
    let status = answer.status();
    let body = answer.into_body().collect().await.expect("a body").to_bytes();
    (status, serde_json::from_slice(&body).expect("JSON"))
}

#[tokio::test]
async fn minted_tokens_verify_with_the_published_keys() {
    let provider = provider();
    let (status, discovery) = call(&provider, "GET", "/dev/idp/.well-known/openid-configuration", &[], "").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(discovery["issuer"], "http://127.0.0.1:8080/dev/idp");
    assert_eq!(discovery["jwks_uri"], "http://127.0.0.1:8080/dev/idp/jwks");
    let (_, keys) = call(&provider, "GET", "/dev/idp/jwks", &[], "").await;
    let keys: JwkSet = serde_json::from_value(keys).expect("a key set");
    let body = json!({"sub": "admin", "aud": "us", "claims": {"email": "a@b.example", "jti": "mine"}, "ttl": 60}).to_string();
    let (status, minted) = call(&provider, "POST", "/dev/idp/mint", &[], body).await;
    assert_eq!(status, StatusCode::OK);
    let mut validation = Validation::new(Algorithm::ES256);
    validation.validate_exp = false;
    validation.set_audience(&["us"]);
    let key = DecodingKey::from_jwk(&keys.keys[0]).expect("a key");
    let token = jsonwebtoken::decode::<Value>(minted["token"].as_str().expect("a token"), &key, &validation).expect("verified");
    assert_eq!(token.header.kid.as_deref(), keys.keys[0].common.key_id.as_deref());
    let expected = json!({
        "iss": "http://127.0.0.1:8080/dev/idp", "sub": "admin", "aud": "us", "iat": NOW, "exp": NOW + 60, "jti": "mine", "email": "a@b.example",
    });
    assert_eq!(token.claims, expected);
}

#[tokio::test]
async fn foreign_hosts_and_origins_get_403() {
    let provider = provider();
    let body = json!({"sub": "admin", "aud": "us"}).to_string();
    for (headers, told) in [
        (&[("host", "evil.example")][..], "own Host: 127.0.0.1:8080"),
        (&[("origin", "https://evil.example")], "own Origin: 127.0.0.1:8080"),
        (&[("origin", "null")], "own Origin: 127.0.0.1:8080"),
        (&[("sec-fetch-site", "cross-site")], "no pages of other sites"),
        (&[("sec-fetch-site", "same-site")], "no pages of other sites"),
    ] {
        let (status, answer) = call(&provider, "POST", "/dev/idp/mint", headers, body.clone()).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{headers:?}");
        assert_eq!(answer["code"], 7);
        assert!(answer["message"].as_str().is_some_and(|message| message.contains(told)), "{answer}");
        assert_eq!(answer["details"][0]["reason"], "PERMISSION_DENIED");
        assert!(answer.get("token").is_none());
    }
}

#[tokio::test]
async fn bodies_are_of_a_type_that_tools_send() {
    let provider = provider();
    let body = json!({"sub": "admin", "aud": "us"}).to_string();
    for kind in ["application/json", "Application/JSON; charset=utf-8", "application/x-www-form-urlencoded"] {
        let (status, _) = call(&provider, "POST", "/dev/idp/mint", &[("content-type", kind)], body.clone()).await;
        assert_eq!(status, StatusCode::OK, "{kind}");
    }
    let twice = [("content-type", "application/json"), ("content-type", "text/plain")];
    for headers in
        [&[("content-type", "text/plain")][..], &[("content-type", "multipart/form-data")], &[("content-type", "")], &twice]
    {
        let (status, answer) = call(&provider, "POST", "/dev/idp/mint", headers, body.clone()).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{headers:?}");
        assert_eq!(answer["message"], "Invalid argument: content-type: content-type must be application/json");
    }
}

#[tokio::test]
async fn bad_requests_get_precise_400s() {
    let provider = provider();
    let (status, answer) = call(&provider, "POST", "/dev/idp/mint", &[], r#"{"aud":"us"}"#).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(answer["message"], "Invalid argument: sub: sub is required");
    assert_eq!(answer["details"][1]["fieldViolations"][0]["field"], "sub");
    let (status, answer) = call(&provider, "POST", "/dev/idp/mint", &[], "x".repeat(devidp::MAX_BODY + 1)).await;
    assert_eq!((status, &answer["code"]), (StatusCode::BAD_REQUEST, &json!(3)));
    assert!(answer["message"].as_str().is_some_and(|message| message.contains("65536 bytes")), "{answer}");
    let (status, answer) = call(&provider, "GET", "/dev/idp/mint", &[], "").await;
    assert_eq!((status, &answer["code"]), (StatusCode::METHOD_NOT_ALLOWED, &json!(12)));
}
