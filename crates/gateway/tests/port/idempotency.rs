//! Requests that are applied at most once.

use std::sync::atomic::Ordering::SeqCst;

use reqwest::Method;

use crate::support::{Answered, Running, start};

async fn create(server: &Running, token: &str, key: &str, body: &str) -> Answered {
    let request = server.request(Method::POST, "/iam/v2beta1/groups").bearer_auth(token);
    server.send(request.header("idempotency-key", key).body(body.to_owned())).await
}

#[tokio::test]
async fn a_retry_gets_the_first_answer() {
    let server = start().await;
    let first = create(&server, "owner", "k1", r#"{"name":"a"}"#).await;
    let again = create(&server, "owner", "k1", r#"{ "name": "a" }"#).await;
    assert_eq!((first.status, again.status), (200, 200));
    assert_eq!(first.text, again.text);
    assert_eq!(again.header("etag"), "\"1\"");
    assert_eq!(server.world.created.load(SeqCst), 1);
    create(&server, "owner", "k2", r#"{"name":"a"}"#).await;
    create(&server, "nobody", "k1", r#"{"name":"a"}"#).await;
    create(&server, "narrow", "k1", r#"{"name":"a"}"#).await;
    assert_eq!(server.world.created.load(SeqCst), 4);
}

#[tokio::test]
async fn another_request_with_the_same_key_is_refused() {
    let server = start().await;
    create(&server, "owner", "k1", r#"{"name":"a"}"#).await;
    let (status, code, rule, _) = create(&server, "owner", "k1", r#"{"name":"b"}"#).await.error();
    assert_eq!((status, code, rule.as_str()), (400, 3, "IDEMPOTENCY_KEY_REUSED"));
    assert_eq!(server.world.created.load(SeqCst), 1);
}

#[tokio::test]
async fn keys_are_only_for_writes_that_keep_something() {
    let server = start().await;
    let request = server.request(Method::GET, "/iam/v2beta1/groups").bearer_auth("owner");
    assert_eq!(server.send(request.header("idempotency-key", "k1")).await.status, 200);
    let request = server.request(Method::POST, "/iam/v2beta1/groups").bearer_auth("owner").body(r#"{"name":"a"}"#);
    server.send(request.header("idempotency-key", "k1").header("x-provost-validate-only", "1")).await;
    assert!(server.world.kept.lock().unwrap().is_empty());
    let (status, _, _, message) = create(&server, "owner", "no spaces", "{}").await.error();
    assert_eq!(status, 400);
    assert!(message.contains("idempotency-key must be 1 to 255 visible ASCII characters"), "{message}");
}

#[tokio::test]
async fn a_replay_is_for_those_alone_who_may_still_do_it() {
    let server = start().await;
    let first = create(&server, "owner", "k1", r#"{"name":"a"}"#).await;
    server.world.revoked.store(true, SeqCst);
    let (status, code, rule, _) = create(&server, "owner", "k1", r#"{"name":"a"}"#).await.error();
    assert_eq!((status, code, rule.as_str()), (403, 7, "CAPABILITY_MISSING"));
    assert_eq!(server.world.refused.lock().unwrap().len(), 1);
    server.world.revoked.store(false, SeqCst);
    assert_eq!(create(&server, "owner", "k1", r#"{"name":"a"}"#).await.text, first.text);
    assert_eq!(server.world.created.load(SeqCst), 1);
}
