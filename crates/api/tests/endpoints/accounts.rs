//! Tokens and what they stand for, and the methods that ask for none.

use std::time::Duration;

use contract::chainguard::platform::{
    auth::rpc::Validate,
    oidc::{ExchangeRequest, rpc::Exchange},
    ping::{PingRequest, rpc::Ping, v2beta1},
};
use domain::{Ctx, Kind, Secret, iam::identity::operator_uid};

use crate::server::{NOW, Server, URL, violated};

#[tokio::test]
async fn callers_learn_who_they_are() {
    let server = Server::new().await;
    let (answer, etag) = server.call(Validate, ()).await.unwrap();
    assert_eq!((answer.issuer.as_str(), answer.subject, etag), (URL, operator_uid().to_string(), None));
    assert_eq!(answer.expiry.map(|time| time.seconds), Some(NOW.0 / 1000 + 3600));
    assert!(answer.capabilities.is_empty() && answer.profile.is_none());
}

#[tokio::test]
async fn the_ping_answers() {
    let server = Server::new().await;
    assert_eq!(server.call(Ping, PingRequest {}).await.unwrap().0.response, "pong");
    assert_eq!(server.call(v2beta1::rpc::Ping, v2beta1::PingRequest {}).await.unwrap().0.response, "pong");
}

#[tokio::test]
async fn tokens_are_traded_for_narrower_ones() {
    let server = Server::new().await;
    let token = server.operators.operator_token(&server.ctx(), Duration::from_mins(10), "me").await.unwrap();
    let trade = |bearer: Option<Secret<String>>, request| server.call_in(Ctx { bearer, ..server.ctx() }, Exchange, request);
    let request = ExchangeRequest { cap: vec!["groups.list".into()], ..ExchangeRequest::default() };
    let (answer, _) = trade(Some(token.clone()), request.clone()).await.unwrap();
    assert!(answer.token.split('.').count() == 3 && answer.refresh_token.is_empty(), "{answer:?}");
    assert_eq!(answer.expiry.map(|time| time.seconds), Some(NOW.0 / 1000 + 600));

    assert_eq!(trade(None, request).await.unwrap_err().kind(), Kind::Unauthenticated);
    let bad = ExchangeRequest { cap: vec!["groups.fly".into()], identity: "X".into(), ..ExchangeRequest::default() };
    assert_eq!(violated(trade(Some(token), bad).await), ["identity", "cap"]);
}
