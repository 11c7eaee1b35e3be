//! An issuer on loopback and tokens that it could have signed.

use jsonwebtoken::Algorithm;
use serde_json::{Value, json};
use sts::Settings;
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{method, path},
};

use super::{
    TestKey, jwks,
    world::{NOW, US},
};

pub(crate) async fn issuer(key: &TestKey) -> MockServer {
    let server = MockServer::start().await;
    let uri = server.uri();
    let documents = [
        ("/.well-known/openid-configuration", json!({"issuer": uri, "jwks_uri": format!("{uri}/keys")}).to_string()),
        ("/keys", jwks(&[key.named("k")])),
    ];
    for (at, body) in documents {
        Mock::given(method("GET"))
            .and(path(at))
            .respond_with(ResponseTemplate::new(200).set_body_string(body))
            .mount(&server)
            .await;
    }
    server
}

pub(crate) fn settings() -> Settings {
    Settings { allow_loopback_http: true, registry_host: Some("registry.example.com".into()), ..Settings::new(US) }
}

/// Claims of a token that fits `claim_match(issuer, "s")`.
pub(crate) fn fitting(issuer: &str) -> Value {
    json!({"iss": issuer, "sub": "s", "aud": US, "iat": NOW.seconds(), "exp": NOW.seconds() + 600})
}

pub(crate) fn changed(claims: &Value, name: &str, to: Value) -> Value {
    let mut claims = claims.clone();
    claims[name] = to;
    claims
}

pub(crate) fn sign(key: &TestKey, claims: &Value) -> String {
    key.token(Algorithm::ES256, Some("k"), claims)
}
