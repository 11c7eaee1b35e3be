//! Headers that are missing, malformed, too large, or answered.

use std::time::Duration;

use client::http::Request;
use contract::chainguard::platform::iam::v2beta1::{GetGroupRequest, rpc::GetGroup};
use testkit::{TestServer, Transcript, Transport};
use tokio::time::timeout;

#[tokio::test]
async fn tokens_are_missing_or_malformed() {
    let server = TestServer::start().await;
    let nobody = server.nobody();
    let mut transcript = Transcript::default();
    let path = "/iam/v2beta1/groups";
    for (title, header) in [
        ("no header", None),
        ("an empty header", Some("")),
        ("another scheme", Some("Basic YTpi")),
        ("no token", Some("Bearer")),
        ("two tokens", Some("Bearer a b")),
        ("nonsense", Some("Bearer nonsense")),
    ] {
        let request = header.into_iter().fold(Request::get(path), |request, value| request.header("authorization", value));
        let answer = nobody.http(request).await;
        assert!(answer.header("www-authenticate").is_some_and(|value| value.starts_with("Bearer")), "{title}");
        transcript.http(title, &answer);
    }
    insta::assert_snapshot!(transcript.finish());
    server.stop().await;
}

#[tokio::test]
async fn a_head_that_is_too_long_costs_nobody_else_anything() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let long_header = admin.http(Request::get("/livez").header("x-padding", "a".repeat(33 << 10))).await;
    assert!(long_header.status.is_client_error(), "{}", long_header.status);
    assert_eq!(admin.http(Request::get("/livez")).await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn a_token_that_is_too_long_ends_its_own_call_and_no_other() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let get = GetGroupRequest { uid: server.organization().to_string() };
    // What the program answers; what HTTP/2 answers beneath it, to the call; and to the connection, where it goes on for too long.
    for (length, code) in [(33 << 10, "INVALID_ARGUMENT"), (200 << 10, "UNKNOWN"), (1 << 20, "RESOURCE_EXHAUSTED")] {
        let long = server.bearer(&"a".repeat(length));
        let ended = timeout(Duration::from_secs(30), long.call::<GetGroup>(Transport::Grpc, get.clone())).await.expect("an end");
        assert_eq!(ended.code, code, "{length} bytes: {:#}", ended.body);
        assert_eq!(admin.call::<GetGroup>(Transport::Grpc, get.clone()).await.code, "OK");
    }
    server.stop().await;
}

#[tokio::test]
async fn request_ids_are_kept_or_made() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let id = async |value: Option<&str>| {
        let request = Request::get("/iam/v2beta1/groups");
        let request = value.into_iter().fold(request, |request, value| request.header("x-request-id", value));
        admin.http(request).await.header("x-request-id").map(str::to_owned)
    };
    assert_eq!(id(Some("my-request.1")).await.as_deref(), Some("my-request.1"));
    for unusable in [None, Some("with space"), Some("<script>")] {
        let made = id(unusable).await.expect("an id");
        assert!(!made.is_empty() && Some(made.as_str()) != unusable, "{made}");
    }
    server.stop().await;
}
