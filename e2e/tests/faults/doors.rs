//! What else the port answers: health, self-description, and the development identity provider.

use client::http::Request;
use serde_json::json;
use testkit::{TestServer, Transcript};

#[tokio::test]
async fn health_is_asked_of_the_parts() {
    let server = TestServer::start().await;
    let nobody = server.nobody();
    for path in ["/livez", "/readyz"] {
        assert_eq!(nobody.http(Request::get(path)).await.status, 200, "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn the_development_identity_provider_guards_itself() {
    let server = TestServer::start().await;
    let nobody = server.nobody();
    let mut transcript = Transcript::default();
    transcript.name(server.base_url(), "base");
    transcript.name(server.host(), "host");
    transcript.name(server.host().replace("127.0.0.1", ""), ":port");
    let mint = |body: serde_json::Value| Request::post("/dev/idp/mint", &body);
    let good = json!({"sub": "robot", "aud": "x"});
    let minted = nobody.http(mint(good.clone())).await;
    assert_eq!(minted.status, 200, "{}", minted.text());
    assert!(minted.json()["token"].is_string());
    for (title, request) in [
        ("a foreign origin", mint(good.clone()).header("origin", "https://evil.example")),
        ("a foreign host", mint(good).header("host", "evil.example")),
        ("no subject", mint(json!({"aud": "x"}))),
        ("a subject that is a number", mint(json!({"sub": 1, "aud": "x"}))),
        ("claims that override", mint(json!({"sub": "robot", "aud": "x", "claims": {"iss": "https://evil.example"}}))),
        ("a negative lifetime", mint(json!({"sub": "robot", "aud": "x", "ttl": -1}))),
    ] {
        transcript.http(title, &nobody.http(request).await);
    }
    insta::assert_snapshot!(transcript.finish());
    server.stop().await;
}
