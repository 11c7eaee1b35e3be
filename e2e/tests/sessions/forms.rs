//! The ways to send a refresh token, and what comes back.

use client::http::Request;
use http::Method;
use serde_json::{Value, json};
use testkit::TestServer;

/// The refresh token of a login.
async fn login(server: &TestServer) -> String {
    let upstream = server.bearer(&server.mint("admin", server.base_url(), json!({})).await);
    let answer = upstream.http(Request::post("/sts/exchange", &json!({}))).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body = answer.json();
    assert_eq!(keys(&body), ["token", "refreshToken", "expiry"]);
    body["refreshToken"].as_str().expect("a refresh token").to_owned()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[tokio::test]
async fn query_form_and_json_all_work_and_answer_nothing_else() {
    let server = TestServer::start().await;
    let audience = server.base_url();
    let form = format!("aud={audience}");
    let form_type = "application/x-www-form-urlencoded";
    let mut refresh_token = login(&server).await;
    for path in ["/sts/exchange_refresh_token", "/sts/access_token"] {
        for (title, request) in [
            ("a query", Request::new(Method::POST, format!("{path}?{form}"))),
            ("a form", Request::new(Method::POST, path).bytes(form.clone()).header("content-type", form_type)),
            ("JSON", Request::post(path, &json!({"aud": [audience]}))),
            ("nothing", Request::new(Method::POST, path)),
        ] {
            let answer = server.bearer(&refresh_token).http(request).await;
            assert_eq!(answer.status, 200, "{path} with {title}: {}", answer.text());
            let body = answer.json();
            assert_eq!(keys(&body), ["token", "refreshToken"], "{path} with {title}");
            for part in ["token", "refreshToken"] {
                assert_eq!(keys(&body[part]), ["token", "refreshToken", "expiry"], "{path} with {title}");
            }
            refresh_token = body["refreshToken"]["token"].as_str().expect("a token").to_owned();
            let token = body["token"]["token"].as_str().expect("a token");
            let list = server.bearer(token).http(Request::get("/iam/v2beta1/groups")).await;
            assert_eq!(list.status, 200, "{}", list.text());
        }
    }
    let got = server.bearer(&refresh_token).http(Request::get("/sts/exchange_refresh_token")).await;
    assert_eq!(got.status, 405, "{}", got.text());
    server.stop().await;
}

#[tokio::test]
async fn what_becomes_of_sessions_is_counted_and_secrets_are_not_kept() {
    let server = TestServer::start().await;
    let refresh_token = login(&server).await;
    let renew = Request::new(Method::POST, "/sts/exchange_refresh_token");
    assert_eq!(server.bearer(&refresh_token).http(renew.clone()).await.status, 200);
    assert_eq!(server.bearer("nonsense").http(renew).await.status, 401);
    let metrics = server.metrics().await;
    let renewed = metrics.sum("provost_exchanges_total", &[("outcome", "OK"), ("keys_from", "session")]);
    assert!((renewed - 1.0).abs() < f64::EPSILON, "{renewed}");
    assert!(metrics.sum("provost_sessions_not_started_total", &[]).abs() < f64::EPSILON);
    server.stop().await;
}
