//! What the server tells about itself.

use futures::StreamExt as _;
use reqwest::Method;
use tonic::Code;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};
use tonic_reflection::pb::{v1, v1alpha};

use crate::support::start;

#[tokio::test]
async fn liveness_and_readiness_are_told_apart() {
    let server = start().await;
    let answered = server.send(server.request(Method::GET, "/livez")).await;
    assert_eq!((answered.status, answered.text.as_str()), (200, r#"{"status":"live"}"#));
    let answered = server.send(server.request(Method::GET, "/readyz")).await;
    assert_eq!((answered.status, answered.json()), (200, serde_json::json!({"status": "ready", "checks": ["store"]})));
    *server.world.not_ready.lock().unwrap() = Some("the disk is full");
    let answered = server.send(server.request(Method::GET, "/readyz")).await;
    let expected = (503, 14, "UNAVAILABLE".to_owned(), "not ready: store: the disk is full".to_owned());
    assert_eq!(answered.error(), expected);
    assert_eq!(server.send(server.request(Method::GET, "/livez")).await.status, 200);
}

#[tokio::test]
async fn the_contract_is_published_as_openapi() {
    let server = start().await;
    let answered = server.send(server.request(Method::GET, "/openapi.json")).await;
    assert_eq!((answered.status, answered.header("content-type")), (200, "application/json"));
    assert!(answered.json()["paths"].as_object().unwrap().len() > 30);
}

#[tokio::test]
async fn health_asks_the_same_parts() {
    let server = start().await;
    let mut health = HealthClient::new(server.channel().await);
    let request = |service: &str| HealthCheckRequest { service: service.to_owned() };
    let status = health.check(request("")).await.unwrap().into_inner().status();
    assert_eq!(status, ServingStatus::Serving);
    let status = health.check(request("chainguard.platform.iam.v2.GroupsService")).await.unwrap().into_inner().status();
    assert_eq!(status, ServingStatus::Serving);
    assert_eq!(health.check(request("no.such.Service")).await.unwrap_err().code(), Code::NotFound);
    *server.world.not_ready.lock().unwrap() = Some("the disk is full");
    let status = health.check(request("")).await.unwrap().into_inner().status();
    assert_eq!(status, ServingStatus::NotServing);
    let mut watch = health.watch(request("")).await.unwrap().into_inner();
    assert_eq!(watch.next().await.unwrap().unwrap().status(), ServingStatus::NotServing);
}

#[tokio::test]
async fn reflection_shows_all_services_in_both_versions() {
    let server = start().await;
    let expected = [
        "chainguard.platform.iam.v2beta1.GroupsService",
        "chainguard.platform.iam.v2.GroupsService",
        "chainguard.platform.oidc.SecurityTokenService",
        "grpc.health.v1.Health",
    ];
    let mut client = v1::server_reflection_client::ServerReflectionClient::new(server.channel().await);
    let list = v1::server_reflection_request::MessageRequest::ListServices(String::new());
    let request = v1::ServerReflectionRequest { host: String::new(), message_request: Some(list) };
    let mut answers = client.server_reflection_info(futures::stream::iter([request])).await.unwrap().into_inner();
    let Some(v1::server_reflection_response::MessageResponse::ListServicesResponse(list)) =
        answers.next().await.unwrap().unwrap().message_response
    else {
        panic!("no list")
    };
    let names: Vec<_> = list.service.into_iter().map(|service| service.name).collect();
    assert!(expected.iter().all(|name| names.iter().any(|known| known == name)), "{names:?}");

    let mut client = v1alpha::server_reflection_client::ServerReflectionClient::new(server.channel().await);
    let symbol = v1alpha::server_reflection_request::MessageRequest::FileContainingSymbol(expected[1].to_owned());
    let request = v1alpha::ServerReflectionRequest { host: String::new(), message_request: Some(symbol) };
    let mut answers = client.server_reflection_info(futures::stream::iter([request])).await.unwrap().into_inner();
    let answer = answers.next().await.unwrap().unwrap().message_response;
    assert!(matches!(answer, Some(v1alpha::server_reflection_response::MessageResponse::FileDescriptorResponse(_))));
}

#[tokio::test]
async fn many_watchers_ask_the_parts_as_often_as_one() {
    let server = start().await;
    let mut watching = Vec::new();
    for _ in 0..50 {
        let mut health = HealthClient::new(server.channel().await);
        let mut watch = health.watch(HealthCheckRequest::default()).await.unwrap().into_inner();
        assert_eq!(watch.next().await.unwrap().unwrap().status(), ServingStatus::Serving);
        watching.push(watch);
    }
    let asked = server.world.asked_ready.load(std::sync::atomic::Ordering::SeqCst);
    assert!(asked < 25, "{asked}");
}
