//! The ways to ask for an exchange: query, form, JSON body and gRPC.

use client::{Options, http::Request};
use contract::chainguard::platform::oidc::{ExchangeRequest, rpc::Exchange};
use http::Method;
use serde_json::{Value, json};
use testkit::{TestServer, scenario};

#[tokio::test]
async fn query_form_and_json_all_work_and_answer_nothing_else() {
    let server = TestServer::start().await;
    let robot = server.workload(server.organization(), "robot", None).await;
    let uid = robot.uid().to_string();
    let upstream = server.bearer(&server.mint("robot", server.base_url(), json!({})).await);
    let audience = server.base_url();
    let form = format!("aud={audience}&identity={}", uid.replace('/', "%2F"));
    let requests = [
        ("GET with a query", Request::get(format!("/sts/exchange?{form}"))),
        ("POST with a query", Request::new(Method::POST, format!("/sts/exchange?{form}"))),
        (
            "POST with a form",
            Request::new(Method::POST, "/sts/exchange")
                .bytes(form.clone())
                .header("content-type", "application/x-www-form-urlencoded"),
        ),
        ("POST with JSON", Request::post("/sts/exchange", &json!({"aud": [audience], "identity": uid}))),
        (
            "POST with JSON that says it is a form",
            Request::new(Method::POST, "/sts/exchange")
                .bytes(json!({"aud": [audience], "identity": uid}).to_string())
                .header("content-type", "application/x-www-form-urlencoded"),
        ),
    ];
    for (title, request) in requests {
        let answer = upstream.http(request).await;
        assert_eq!(answer.status, 200, "{title}: {}", answer.text());
        let body = answer.json();
        let keys: Vec<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["token", "refreshToken", "expiry"], "{title}");
        assert_eq!(body["refreshToken"], "", "{title}");
        assert_eq!(body["expiry"], "2026-01-02T04:04:05.000Z", "{title}: one hour, in whole seconds");
        assert_eq!(claims(body["token"].as_str().unwrap())["sub"], uid, "{title}");
    }
    let nobody = server.nobody().http(Request::get(format!("/sts/exchange?{form}"))).await;
    assert_eq!(nobody.status, 401, "{}", nobody.text());
    server.stop().await;
}

#[tokio::test]
async fn an_exchange_is_not_rehearsed() {
    scenario(async |s| {
        let robot = s.server.workload(s.server.organization(), "robot", None).await;
        let upstream = s.server.bearer(&s.server.mint("robot", s.server.base_url(), json!({})).await);
        let request = ExchangeRequest {
            aud: vec![s.server.base_url().to_owned()],
            identity: robot.uid().to_string(),
            ..Default::default()
        };
        let rehearsal = Options { validate_only: true, ..Options::default() };
        let refused = upstream.call_with::<Exchange>(s.transport, request.clone(), &rehearsal).await;
        assert_eq!(refused.code, "INVALID_ARGUMENT", "{:#}", refused.body);
        assert!(refused.body.to_string().contains("an exchange cannot be rehearsed"), "{:#}", refused.body);
        let traded = upstream.call::<Exchange>(s.transport, request).await;
        assert_eq!(traded.code, "OK", "{:#}", traded.body);
    })
    .await;
}

#[tokio::test]
async fn our_token_says_who_acts_for_whom() {
    let server = TestServer::start().await;
    let robot = server.workload(server.organization(), "robot", None).await;
    let claims = claims(robot.token.as_ref().unwrap().expose());
    assert_eq!(claims["iss"], server.base_url());
    assert_eq!(claims["sub"], robot.uid().as_str());
    assert_eq!(claims["aud"], server.base_url(), "one audience is a text, not a list");
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 3600);
    assert_eq!(claims["act"], json!({"iss": server.issuer(), "sub": "robot", "aud": server.base_url()}));
    assert!(claims["jti"].as_str().is_some_and(|id| !id.is_empty()));

    let discovery = server.nobody().http(Request::get("/.well-known/openid-configuration")).await.json();
    assert_eq!(discovery["issuer"], server.base_url());
    assert_eq!(discovery["id_token_signing_alg_values_supported"], json!(["ES256", "RS256"]));
    let jwks = discovery["jwks_uri"].as_str().unwrap().strip_prefix(server.base_url()).unwrap().to_owned();
    let keys = server.nobody().http(Request::get(jwks)).await.json();
    let token = robot.token.as_ref().unwrap().expose();
    let header = jsonwebtoken::decode_header(token).unwrap();
    let set: jsonwebtoken::jwk::JwkSet = serde_json::from_value(keys).unwrap();
    let key = jsonwebtoken::DecodingKey::from_jwk(set.find(&header.kid.unwrap()).unwrap()).unwrap();
    let mut rules = jsonwebtoken::Validation::new(jsonwebtoken::Algorithm::ES256);
    rules.set_audience(&[server.base_url()]);
    rules.validate_exp = false; // the server's clock stands still, the library's does not
    let verified = jsonwebtoken::decode::<Value>(token, &key, &rules).expect("the published keys verify the token");
    assert_eq!(verified.claims, claims);
    server.stop().await;
}

/// The claims of a token, unverified.
fn claims(token: &str) -> Value {
    jsonwebtoken::dangerous::insecure_decode::<Value>(token).expect("a token").claims
}
