//! What the server tells about itself.

use std::{
    sync::atomic::Ordering::SeqCst,
    time::{Duration, Instant},
};

use futures::StreamExt as _;
use prost::Message as _;
use prost_types::FileDescriptorProto;
use reqwest::Method;
use tonic::Code;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};
use tonic_reflection::pb::{
    v1::{self, server_reflection_request::MessageRequest as Question, server_reflection_response::MessageResponse as Answer},
    v1alpha,
};

use crate::support::{Running, start};

/// As old as an answer about readiness may be.
const RECENT: Duration = Duration::from_secs(1);

#[tokio::test]
async fn liveness_and_readiness_are_told_apart() {
    let server = start().await;
    let answered = server.send(server.request(Method::GET, "/livez")).await;
    assert_eq!((answered.status, answered.text.as_str()), (200, r#"{"status":"live"}"#));
    let answered = server.send(server.request(Method::GET, "/readyz")).await;
    assert_eq!((answered.status, answered.json()), (200, serde_json::json!({"status": "ready", "checks": ["store"]})));
    *server.world.degraded.lock().unwrap() = Some("writes wait");
    tokio::time::sleep(RECENT).await;
    let answered = server.send(server.request(Method::GET, "/readyz")).await;
    let degraded = serde_json::json!({"status": "degraded", "checks": ["store"], "degraded": ["store: writes wait"]});
    assert_eq!((answered.status, answered.json()), (200, degraded), "it goes on serving");
    *server.world.not_ready.lock().unwrap() = Some("the disk is full");
    tokio::time::sleep(RECENT).await;
    let answered = server.send(server.request(Method::GET, "/readyz")).await;
    let expected = (503, 14, "UNAVAILABLE".to_owned(), "not ready: store: the disk is full".to_owned());
    assert_eq!(answered.error(), expected);
    assert_eq!(server.send(server.request(Method::GET, "/livez")).await.status, 200);
}

#[tokio::test]
async fn a_crowd_that_asks_for_readiness_asks_the_parts_once() {
    let server = start().await;
    let begin = Instant::now();
    let asked = (0..50).map(|_| server.send(server.request(Method::GET, "/readyz")));
    assert!(futures::future::join_all(asked).await.iter().all(|answered| answered.status == 200));
    let mut health = HealthClient::new(server.channel().await);
    health.check(HealthCheckRequest::default()).await.unwrap();
    let most = 1 + usize::try_from(begin.elapsed().as_secs()).unwrap();
    let asked = server.world.asked_ready.load(SeqCst);
    assert!(asked <= most, "{asked} times in {most} s");
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
    *server.world.degraded.lock().unwrap() = Some("writes wait");
    tokio::time::sleep(RECENT).await;
    assert_eq!(health.check(request("")).await.unwrap().into_inner().status(), ServingStatus::Serving);
    assert_eq!(health.check(request("no.such.Service")).await.unwrap_err().code(), Code::NotFound);
    *server.world.not_ready.lock().unwrap() = Some("the disk is full");
    tokio::time::sleep(RECENT).await;
    let status = health.check(request("")).await.unwrap().into_inner().status();
    assert_eq!(status, ServingStatus::NotServing);
    let mut watch = health.watch(request("")).await.unwrap().into_inner();
    assert_eq!(watch.next().await.unwrap().unwrap().status(), ServingStatus::NotServing);
}

/// What reflection answers to questions on one stream.
async fn reflected(server: &Running, questions: Vec<Question>) -> Vec<Answer> {
    let mut client = v1::server_reflection_client::ServerReflectionClient::new(server.channel().await);
    let requests =
        questions.into_iter().map(|question| v1::ServerReflectionRequest { host: "h".into(), message_request: Some(question) });
    let answers = client.server_reflection_info(futures::stream::iter(requests.collect::<Vec<_>>())).await.unwrap().into_inner();
    answers.map(|answer| answer.unwrap().message_response.unwrap()).collect().await
}

/// The name of the file in an answer.
fn file(answer: &Answer) -> String {
    let Answer::FileDescriptorResponse(files) = answer else { panic!("{answer:?}") };
    FileDescriptorProto::decode(files.file_descriptor_proto[0].as_slice()).unwrap().name.unwrap()
}

#[tokio::test]
async fn reflection_lists_the_services_of_the_port() {
    let server = start().await;
    let answers = reflected(&server, vec![Question::ListServices(String::new())]).await;
    let [Answer::ListServicesResponse(list)] = answers.as_slice() else { panic!("{answers:?}") };
    for name in [
        "chainguard.platform.iam.v2beta1.GroupsService",
        "chainguard.platform.iam.v2.GroupsService",
        "chainguard.platform.oidc.SecurityTokenService",
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
    ] {
        assert_eq!(list.service.iter().filter(|service| service.name == name).count(), 1, "{name}");
    }
}

#[tokio::test]
async fn reflection_finds_whatever_has_a_name() {
    let server = start().await;
    for (symbol, expected) in [
        ("chainguard.platform.iam.v2beta1.GroupsService", "chainguard/platform/iam/v2beta1/groups.proto"),
        ("chainguard.platform.iam.v2beta1.GroupsService.GetGroup", "chainguard/platform/iam/v2beta1/groups.proto"),
        ("chainguard.platform.iam.v2beta1.Group", "chainguard/platform/iam/v2beta1/groups.proto"),
        ("chainguard.platform.iam.v2beta1.Group.name", "chainguard/platform/iam/v2beta1/groups.proto"),
        ("chainguard.platform.iam.v2beta1.Identity.ClaimMatch.iss", "chainguard/platform/iam/v2beta1/identities.proto"),
        ("chainguard.platform.iam.v2beta1.OrgKind", "chainguard/platform/iam/v2beta1/groups.proto"),
        ("chainguard.capabilities.CAP_REPO_LIST", "chainguard/capabilities/capabilities.proto"),
        ("chainguard.annotations.iam", "chainguard/annotations/auth.proto"),
        ("google.protobuf.Timestamp", "google/protobuf/timestamp.proto"),
    ] {
        let answers = reflected(&server, vec![Question::FileContainingSymbol(symbol.to_owned())]).await;
        assert_eq!(file(&answers[0]), expected, "{symbol}");
        let answers = reflected(&server, vec![Question::FileByFilename(expected.to_owned())]).await;
        assert_eq!(file(&answers[0]), expected);
    }
}

#[tokio::test]
async fn reflection_knows_extensions() {
    const METHOD: &str = "google.protobuf.MethodOptions";
    let server = start().await;
    let extension = |number| v1::ExtensionRequest { containing_type: METHOD.to_owned(), extension_number: number };
    let answers = reflected(
        &server,
        vec![
            Question::AllExtensionNumbersOfType(METHOD.to_owned()),
            Question::FileContainingExtension(extension(72_295_728)),
            Question::FileContainingExtension(extension(1)),
            Question::FileContainingExtension(extension(-1)),
            Question::AllExtensionNumbersOfType("no.such.Type".to_owned()),
            Question::FileContainingSymbol("no.such.symbol".to_owned()),
            Question::FileByFilename("google/api/http.proto".to_owned()),
        ],
    )
    .await;
    let Answer::AllExtensionNumbersResponse(known) = &answers[0] else { panic!("{answers:?}") };
    assert_eq!(known.base_type_name, METHOD);
    // google.api.http and our access rule.
    assert!([72_295_728, 189_350_641].iter().all(|number| known.extension_number.contains(number)), "{known:?}");
    assert_eq!(file(&answers[1]), "google/api/annotations.proto");
    for answer in &answers[2..6] {
        assert!(matches!(answer, Answer::ErrorResponse(error) if error.error_code == 5), "{answer:?}");
    }
    assert_eq!(file(&answers[6]), "google/api/http.proto", "what cannot be found does not end the stream");
}

#[tokio::test]
async fn the_older_reflection_answers_the_same() {
    let server = start().await;
    let mut client = v1alpha::server_reflection_client::ServerReflectionClient::new(server.channel().await);
    let symbol = v1alpha::server_reflection_request::MessageRequest::FileContainingSymbol("google.api.http".to_owned());
    let request = v1alpha::ServerReflectionRequest { host: String::new(), message_request: Some(symbol) };
    let mut answers = client.server_reflection_info(futures::stream::iter([request])).await.unwrap().into_inner();
    let answer = answers.next().await.unwrap().unwrap().message_response;
    assert!(matches!(answer, Some(v1alpha::server_reflection_response::MessageResponse::FileDescriptorResponse(_))));
}

#[tokio::test]
async fn many_watchers_ask_the_parts_as_often_as_one() {
    let server = start().await;
    let mut watching = Vec::new();
    for _ in 0..16 {
        let mut health = HealthClient::new(server.channel().await);
        let mut watch = health.watch(HealthCheckRequest::default()).await.unwrap().into_inner();
        assert_eq!(watch.next().await.unwrap().unwrap().status(), ServingStatus::Serving);
        watching.push(watch);
    }
    let asked = server.world.asked_ready.load(std::sync::atomic::Ordering::SeqCst);
    assert!(asked < 25, "{asked}");
}
