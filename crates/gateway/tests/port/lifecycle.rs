//! Panics, and the end of the server.

use std::time::Duration;

use contract::chainguard::platform::iam::v2beta1::GetGroupRequest;
use gateway::{Limits, Server};
use reqwest::Method;
use tokio::time::{Instant, timeout};
use tonic::Code;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};

use crate::support::{GROUPS, PANICS, SLOW, call, group, org, start, start_limited};

#[tokio::test]
async fn one_panic_is_one_error() {
    let server = start().await;
    let path = format!("/iam/v2beta1/groups/{}", group(PANICS));
    let answered = server.owner(Method::GET, &path, None).await;
    let (status, code, rule, message) = answered.error();
    assert_eq!((status, code, rule.as_str()), (500, 13, "INTERNAL"));
    assert!(!message.contains("secret"), "{message}");
    let channel = server.channel().await;
    let owner = [("authorization", "Bearer owner")];
    let get = |uid: String| {
        let (channel, owner) = (channel.clone(), &owner);
        async move { call(channel, &format!("{GROUPS}/GetGroup"), &GetGroupRequest { uid }, owner).await }
    };
    let status = get(group(PANICS).to_string()).await.unwrap_err();
    assert_eq!(status.code(), Code::Internal);
    assert!(!status.message().contains("secret"), "{}", status.message());
    assert!(get(org().to_string()).await.is_ok(), "the connection lives on");
    assert_eq!(server.owner(Method::GET, "/livez", None).await.status, 200);
}

#[tokio::test]
async fn requests_under_way_finish_before_the_server_ends() {
    let server = start().await;
    *server.world.slow_for.lock().unwrap() = Duration::from_millis(400);
    let path = format!("/iam/v2beta1/groups/{}", group(SLOW));
    let channel = server.channel().await;
    let request = GetGroupRequest { uid: group(SLOW).to_string() };
    let method = format!("{GROUPS}/GetGroup");
    let (json, grpc, ()) = tokio::join!(
        server.owner(Method::GET, &path, None),
        call(channel, &method, &request, &[("authorization", "Bearer owner")]),
        async {
            tokio::time::sleep(Duration::from_millis(150)).await;
            server.stop.cancel();
        }
    );
    assert_eq!(json.status, 200);
    assert!(grpc.is_ok(), "{grpc:?}");
    timeout(Duration::from_secs(3), server.ended).await.expect("the server ends").unwrap();
    assert!(tokio::net::TcpStream::connect(server.address).await.is_err());
}

#[tokio::test]
async fn idle_connections_do_not_hold_the_server_up() {
    let server = start().await;
    assert_eq!(server.owner(Method::GET, "/livez", None).await.status, 200);
    let _channel = server.channel().await;
    let _silent = tokio::net::TcpStream::connect(server.address).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let begun = Instant::now();
    server.stop.cancel();
    timeout(Duration::from_secs(3), server.ended).await.expect("the server ends").unwrap();
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_server_that_is_withdrawn_says_so_and_goes_on_serving() {
    let drain = Duration::from_millis(400);
    let server = start_limited(Limits { ready_drain: drain, ..Limits::default() }).await;
    let mut health = HealthClient::new(server.channel().await);
    let mut watch = health.watch(HealthCheckRequest::default()).await.unwrap().into_inner();
    assert_eq!(watch.message().await.unwrap().unwrap().status(), ServingStatus::Serving);
    let begun = Instant::now();
    let told = async {
        assert_eq!(watch.message().await.unwrap().unwrap().status(), ServingStatus::NotServing);
        let (status, _, rule, message) = server.owner(Method::GET, "/readyz", None).await.error();
        assert_eq!((status, rule.as_str()), (503, "UNAVAILABLE"));
        assert!(message.contains("shutting down"), "{message}");
        let path = format!("/iam/v2beta1/groups/{}", org());
        assert_eq!(server.owner(Method::GET, &path, None).await.status, 200);
        assert!(begun.elapsed() < drain, "told at once");
    };
    tokio::join!(server.withdraw(), told);
    assert!(begun.elapsed() >= drain, "{:?}", begun.elapsed());
    assert!(tokio::net::TcpStream::connect(server.address).await.is_ok(), "until it is stopped");
    server.stop.cancel();
    timeout(Duration::from_secs(3), server.ended).await.expect("the server ends").unwrap();
}

#[tokio::test]
async fn the_drain_time_ends_what_does_not_end() {
    let server = start_limited(Limits { drain: Duration::from_millis(300), ..Limits::default() }).await;
    *server.world.slow_for.lock().unwrap() = Duration::from_mins(1);
    let request = server.request(Method::GET, &format!("/iam/v2beta1/groups/{}", group(SLOW))).bearer_auth("owner");
    let pending = tokio::spawn(request.send());
    tokio::time::sleep(Duration::from_millis(150)).await;
    server.stop.cancel();
    timeout(Duration::from_secs(3), server.ended).await.expect("the server ends").unwrap();
    assert!(pending.await.unwrap().is_err());
}

#[tokio::test]
async fn a_server_needs_its_parts() {
    let error = Server::builder().build().unwrap_err().to_string();
    assert!(error.contains("says nothing about who may call it"), "{error}");
    let error = Server::builder().public(&crate::support::PUBLIC).build().unwrap_err().to_string();
    assert_eq!(error, "the server was built without authenticate");
}
