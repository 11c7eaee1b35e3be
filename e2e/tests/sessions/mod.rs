//! Sessions of users at the front door: who gets a refresh token, what it renews, and when that ends.

mod ends;
mod forms;
mod renewal;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use contract::chainguard::platform::oidc::{
    ExchangeRefreshTokenRequest, ExchangeRequest, RawToken, TokenPair,
    rpc::{Exchange, ExchangeRefreshToken},
};
use serde_json::{Value, json};
use testkit::{Actor, Outcome, Scenario};

/// Somebody with a token of the development provider.
async fn person(s: &Scenario, subject: &str) -> Actor {
    s.server.bearer(&s.server.mint(subject, s.server.base_url(), json!({})).await)
}

/// The owner of the organization logs in: both tokens.
async fn login(s: &Scenario) -> RawToken {
    login_as(s, "admin", ExchangeRequest::default()).await
}

async fn login_as(s: &Scenario, subject: &str, request: ExchangeRequest) -> RawToken {
    let token: RawToken = s.quietly::<Exchange>(&person(s, subject).await, request).await.ok();
    assert!(!token.refresh_token.is_empty(), "a user begins a session");
    token
}

/// Sends a refresh token.
async fn renew(s: &Scenario, refresh_token: &str) -> Outcome {
    renew_to(s, refresh_token, ExchangeRefreshTokenRequest::default()).await
}

async fn renew_to(s: &Scenario, refresh_token: &str, request: ExchangeRefreshTokenRequest) -> Outcome {
    s.quietly::<ExchangeRefreshToken>(&s.server.bearer(refresh_token), request).await
}

/// Renews a session: the access token and the next refresh token.
async fn renewed(s: &Scenario, refresh_token: &str) -> (String, String) {
    both(renew(s, refresh_token).await.ok())
}

fn both(pair: TokenPair) -> (String, String) {
    (pair.token.expect("an access token").token, pair.refresh_token.expect("a refresh token").token)
}

/// What stands in a refresh token, as published clients read it.
fn inside(refresh_token: &str) -> Value {
    serde_json::from_slice(&STANDARD.decode(refresh_token).expect("standard base64")).expect("JSON")
}

/// The rule that refused.
fn rule(outcome: &Outcome) -> (&str, &str) {
    (&outcome.code, outcome.body["details"][0]["metadata"]["rule"].as_str().unwrap_or_default())
}
