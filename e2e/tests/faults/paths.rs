//! Paths and queries that lead nowhere, and those that lead somewhere by another name.

use client::http::Request;
use http::Method;
use testkit::{TestServer, Transcript};

#[tokio::test]
async fn unknown_paths_methods_and_parameters_have_the_same_error_body() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let org = server.organization();
    let mut transcript = Transcript::default();
    transcript.name(org.as_str(), "org");
    let requests = [
        ("an unknown path", Request::get("/nowhere")),
        ("an unknown collection", Request::get("/iam/v2beta1/nowhere")),
        ("an unknown version", Request::get("/iam/v9/groups")),
        ("an unsupported method", Request::new(Method::PUT, format!("/iam/v2beta1/groups/{org}"))),
        ("an unsupported method on a collection", Request::delete("/iam/v2beta1/groups")),
        ("a method that is not served yet", Request::get("/registry/v1/buildstatus")),
        ("an unknown parameter", Request::get("/iam/v2beta1/groups?nonsense=1")),
        ("a parameter that is no number", Request::get("/iam/v2beta1/groups?pageSize=many")),
        ("a parameter that no number holds", Request::get("/iam/v2beta1/groups?pageSize=99999999999")),
        ("a broken escape", Request::get("/iam/v2beta1/groups/%zz")),
        ("bytes that are no text", Request::get("/iam/v2beta1/groups/%ff%fe")),
    ];
    for (title, request) in requests {
        transcript.http(title, &admin.http(request).await);
    }
    insta::assert_snapshot!(transcript.finish());
    server.stop().await;
}

#[tokio::test]
async fn v2_is_the_same_api_under_another_name() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let org = server.organization();
    for path in
        [format!("groups/{org}"), "groups?pageSize=1".into(), format!("roleBindings?group={org}"), "roles?name=owner".into()]
    {
        let beta = admin.http(Request::get(format!("/iam/v2beta1/{path}"))).await;
        let stable = admin.http(Request::get(format!("/iam/v2/{path}"))).await;
        assert_eq!((beta.status.as_u16(), stable.status.as_u16()), (200, 200), "{path}: {}", stable.text());
        if !path.contains('?') {
            assert_eq!(beta.bytes, stable.bytes, "{path}");
        }
    }
    let escaped = admin.http(Request::get(format!("/iam/v2/groups/{}", org.as_str().replace('/', "%2F")))).await;
    assert_eq!(escaped.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn both_spellings_of_nested_parameters_are_read() {
    let server = TestServer::start().await;
    let admin = server.admin();
    let org = server.organization();
    for query in ["uidp.descendants_of", "uidp.descendantsOf"] {
        let answer = admin.http(Request::get(format!("/iam/v2beta1/groups?{query}={org}&page_size=1&orderBy=name%20desc"))).await;
        assert_eq!(answer.json()["totalCount"], "1", "{query}: {}", answer.text());
    }
    server.stop().await;
}
