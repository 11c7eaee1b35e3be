//! JSON over HTTP: binding, bodies, verbs.

use gateway::Settings;
use reqwest::Method;

use crate::support::{group, org, start, start_with};

#[tokio::test]
async fn updates_without_a_mask_get_one_from_the_body() {
    let server = start().await;
    let path = format!("/iam/v2beta1/groups/{}", org());
    let mask = |path: String, body: &'static str| {
        let server = &server;
        async move { server.owner(Method::PATCH, &path, Some(body)).await.json()["description"].as_str().unwrap().to_owned() }
    };
    assert_eq!(mask(path.clone(), r#"{"name":"a"}"#).await, "mask name");
    assert_eq!(mask(path.clone(), r#"{"name":"a","verified":null}"#).await, "mask name,verified");
    assert_eq!(mask(format!("{path}?updateMask=description"), r#"{"name":"a"}"#).await, "mask description");
}

#[tokio::test]
async fn malformed_json_is_refused_with_its_position() {
    let server = start().await;
    let answered = server.owner(Method::POST, "/iam/v2beta1/groups", Some("{\n  \"name\": oops}")).await;
    let (status, code, rule, message) = answered.error();
    assert_eq!((status, code, rule.as_str()), (400, 3, "JSON"));
    assert!(message.starts_with("Invalid argument: body: ") && message.contains("(line 2, column 11)"), "{message}");
    let answered = server.owner(Method::POST, "/iam/v2beta1/groups", Some(r#"{"name": 5}"#)).await;
    assert!(answered.error().3.starts_with("Invalid argument: name: "), "{answered:?}");
    let answered = server.owner(Method::POST, "/iam/v2beta1/groups", Some(r#"{"name":"a","name":"b"}"#)).await;
    assert_eq!(answered.error().2, "JSON");
}

#[tokio::test]
async fn bodies_are_json_whatever_their_content_type() {
    let server = start().await;
    for kind in ["application/x-www-form-urlencoded", "text/plain", "application/json; charset=utf-8", ""] {
        let request = server.request(Method::POST, "/iam/v2beta1/groups").bearer_auth("owner").body(r#"{"name":"a"}"#);
        let answered = server.send(request.header("content-type", kind)).await;
        assert_eq!((answered.status, &answered.json()["name"]), (200, &"a".into()), "{kind}");
    }
}

#[tokio::test]
async fn exchanges_take_query_form_and_json() {
    let server = start().await;
    let post = |query: &str, body: &'static str, kind: &'static str| {
        let request = server.request(Method::POST, &format!("/sts/exchange{query}")).bearer_auth("up").body(body);
        let request = if kind.is_empty() { request } else { request.header("content-type", kind) };
        async { server.send(request).await.json()["token"].as_str().unwrap().to_owned() }
    };
    let form = "application/x-www-form-urlencoded";
    assert_eq!(post("?aud=a&identity=i", "", "").await, "up|a|i|");
    assert_eq!(post("", "aud=a&aud=b&identity=i%2Fj&scopes=s", form).await, "up|a,b|i/j|s");
    assert_eq!(post("?identity=i", "aud=a", form).await, "up|a|i|");
    assert_eq!(post("", r#"{"aud":["a"],"identity":"i","scopes":["s","t"]}"#, "application/json").await, "up|a|i|s,t");
    assert_eq!(post("", r#"{"aud":["a"]}"#, form).await, "up|a||");
    let request = server.request(Method::POST, "/sts/exchange").header("content-type", "application/json").body("[1]");
    assert_eq!(server.send(request).await.error().2, "JSON");
    let answered = server.send(server.request(Method::GET, "/sts/exchange?nonsense=1")).await;
    assert_eq!(answered.json()["details"][1]["fieldViolations"][0]["field"], "nonsense");
}

#[tokio::test]
async fn bad_parameters_are_named() {
    let server = start().await;
    let answered = server.owner(Method::GET, "/iam/v2beta1/groups?pageSize=ten", None).await;
    assert_eq!(answered.json()["details"][1]["fieldViolations"][0]["field"], "pageSize");
    let answered = server.owner(Method::GET, "/iam/v2beta1/groups?name=%FF", None).await;
    assert_eq!(answered.error().3, "Invalid argument: name: name is not UTF-8 after percent-decoding");
    let answered = server.owner(Method::GET, "/iam/v2beta1/groups/%FF", None).await;
    assert_eq!(answered.error().3, "Invalid argument: uid: uid in the path is not UTF-8 after percent-decoding");
    let answered =
        server.owner(Method::GET, &format!("/iam/v2beta1/groups/{}", group(1).as_str().replace('/', "%2F")), None).await;
    assert_eq!(answered.json()["uid"], group(1).as_str());
}

#[tokio::test]
async fn unknown_paths_and_verbs_have_the_standard_body() {
    let fallback = axum::Router::new().route("/own", axum::routing::get(|| async { "own answer" }));
    let server = start_with(Settings::default(), fallback).await;
    let answered = server.owner(Method::GET, "/iam/v2beta1/nonsense", None).await;
    let expected = (404, 5, "NO_SUCH_PATH".to_owned(), "there is nothing at /iam/v2beta1/nonsense".to_owned());
    assert_eq!(answered.error(), expected);
    let answered = server.owner(Method::PUT, "/iam/v2beta1/groups", None).await;
    let message = "PUT is not offered here; allowed are GET, POST, DELETE, PATCH, HEAD, OPTIONS".to_owned();
    assert_eq!(answered.error(), (405, 12, "METHOD_NOT_ALLOWED".to_owned(), message));
    assert_eq!(answered.header("allow"), "GET, POST, DELETE, PATCH, HEAD, OPTIONS");
    assert_eq!(server.owner(Method::TRACE, "/sts/exchange", None).await.status, 405);

    let own = server.owner(Method::GET, "/own", None).await;
    assert_eq!((own.status, own.text.as_str()), (200, "own answer"));
    assert!(!own.header("x-request-id").is_empty());
    let answered = server.owner(Method::POST, "/own", None).await;
    assert_eq!(answered.error().0, 405);
    assert_eq!(answered.header("allow"), "GET,HEAD");
    assert_eq!(server.owner(Method::DELETE, "/readyz", None).await.header("allow"), "GET, HEAD, OPTIONS");
}

#[tokio::test]
async fn head_and_options_answer_without_a_body() {
    let server = start().await;
    let path = format!("/iam/v2beta1/groups/{}", org());
    let length = server.owner(Method::GET, &path, None).await.text.len();
    let head = server.owner(Method::HEAD, &path, None).await;
    assert_eq!((head.status, head.text.as_str(), head.header("content-length")), (200, "", &*length.to_string()));
    assert_eq!(head.header("etag"), "\"2a\"");
    let options = server.send(server.request(Method::OPTIONS, &path)).await;
    assert_eq!((options.status, options.header("allow")), (204, "GET, POST, DELETE, PATCH, HEAD, OPTIONS"));
}

#[tokio::test]
async fn request_ids_are_accepted_and_returned() {
    let server = start().await;
    let sent = |name: &'static str, value: &'static str| {
        let request = server.request(Method::GET, "/livez").header(name, value);
        async { server.send(request).await.header("x-request-id").to_owned() }
    };
    assert_eq!(sent("x-request-id", "abc-1").await, "abc-1");
    assert_eq!(sent("cgrequestid", "0d1f").await, "0d1f");
    assert_eq!(sent("x-request-id", "bad id").await.len(), 32);
}

#[tokio::test]
async fn only_trusted_proxies_name_the_client() {
    let mut settings = Settings::default();
    settings.trusted_proxies.networks.push("127.0.0.1".parse().unwrap());
    for (settings, expected) in [(Settings::default(), "127.0.0.1"), (settings, "203.0.113.7")] {
        let server = start_with(settings, axum::Router::new()).await;
        let request = server.request(Method::GET, &format!("/iam/v2beta1/groups/{}", org())).bearer_auth("owner");
        let answered = server.send(request.header("x-forwarded-for", "203.0.113.7")).await;
        let description = answered.json()["description"].as_str().unwrap().to_owned();
        assert!(description.ends_with(expected), "{description}");
    }
}
