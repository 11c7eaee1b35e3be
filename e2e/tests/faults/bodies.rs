//! Bodies that are not what the method wants.

use client::http::Request;
use contract::chainguard::platform::iam::v2beta1::{CreateGroupRequest, Group, rpc::CreateGroup};
use http::Method;
use testkit::{TestServer, Transcript};

#[tokio::test]
async fn every_bad_body_is_answered_with_the_place_of_the_fault() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let path = format!("/iam/v2beta1/groups/{}", server.organization());
    let mut transcript = Transcript::default();
    transcript.name(server.organization().as_str(), "org");
    let bodies = [
        ("not JSON", "name=x"),
        ("cut off", "{\"name\": \"x\""),
        ("a trailing comma", "{\"name\": \"x\",}"),
        ("something behind it", "{\"name\": \"x\"} {}"),
        ("a list", "[]"),
        ("a number for a text", "{\n  \"name\": 5\n}"),
        ("a text for a switch", "{\"name\": \"x\", \"verified\": \"yes\"}"),
        ("an unknown enum name", "{\"name\": \"x\", \"kind\": \"ORG_KIND_OTHER\"}"),
        ("an unknown enum number", "{\"name\": \"x\", \"kind\": 99}"),
        ("a key twice", "{\"name\": \"x\", \"name\": \"y\"}"),
        ("a key in both spellings", "{\"createTime\": null, \"name\": \"x\", \"create_time\": null}"),
        ("a lone surrogate", "{\"name\": \"\\ud800\"}"),
        ("too deep", "DEEP"),
        ("nothing", ""),
        ("null", "null"),
    ];
    for (title, body) in bodies {
        let body = if body == "DEEP" { format!("{}{}", "{\"a\":".repeat(200), "1") } else { body.to_owned() };
        let answer = admin.http(Request::new(Method::POST, &path).bytes(body)).await;
        transcript.http(title, &answer);
    }
    let two = r#"{"name": "x", "claimMatch": {"issuer": "https://a.example", "subject": "s"}, "servicePrincipal": "COSIGNED"}"#;
    let identities = format!("/iam/v2beta1/identities/{}", server.organization());
    transcript.http("two members of a oneof", &admin.http(Request::new(Method::POST, identities).bytes(two)).await);
    insta::assert_snapshot!(transcript.finish());
    server.stop().await;
}

#[tokio::test]
async fn five_megabytes_are_too_much_for_both_transports() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let body = format!("{{\"name\": \"x\", \"description\": \"{}\"}}", "a".repeat(5 << 20));
    let answer =
        admin.http(Request::new(Method::POST, format!("/iam/v2beta1/groups/{}", server.organization())).bytes(body)).await;
    assert_eq!(answer.status, 413, "{}", answer.text());
    assert_eq!(answer.json()["details"][0]["metadata"]["rule"], "TOO_LARGE");
    let group = Group { name: "x".into(), description: "a".repeat(5 << 20), ..Group::default() };
    let request = CreateGroupRequest { parent: server.organization().to_string(), group: Some(group) };
    let refused = admin.doors.grpc().call::<CreateGroup>(request).await.expect_err("too large");
    assert_ne!(refused.code_name(), "INTERNAL", "{refused}");
    let alive = admin.http(Request::get("/livez")).await;
    assert_eq!(alive.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn bodies_are_json_whatever_they_are_called() {
    let server = TestServer::start().await;
    let admin = server.admin();
    for kind in ["application/x-www-form-urlencoded", "text/plain", "application/json; charset=utf-8", "nonsense"] {
        let request = Request::new(Method::POST, format!("/iam/v2beta1/groups/{}", server.organization()));
        let answer = admin.http(request.bytes(r#"{"name":"x"}"#).header("content-type", kind)).await;
        assert_eq!(answer.status, 200, "{kind}: {}", answer.text());
    }
    server.stop().await;
}
