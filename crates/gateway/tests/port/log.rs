//! What the log says about requests, and what it never says.

use std::{
    io,
    sync::{Arc, LazyLock, Mutex},
    time::Duration,
};

use contract::chainguard::platform::iam::v2beta1::GetGroupRequest;
use reqwest::Method;
use serde_json::Value;

use crate::support::{GROUPS, PANICS, Running, SLOW, group, org, start};

/// Everything that was logged by any test of this program: log subscribers are one per process.
static LOG: LazyLock<Arc<Mutex<Vec<u8>>>> = LazyLock::new(|| {
    let log = Arc::new(Mutex::new(Vec::new()));
    let to = Sink(log.clone());
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_max_level(tracing::Level::DEBUG)
        .with_writer(move || to.clone())
        .init();
    log
});

#[derive(Clone)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl io::Write for Sink {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(text)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn start_logged() -> Running {
    LazyLock::force(&LOG);
    start().await
}

/// The events that name this request, once there are as many as expected.
async fn events(request_id: &str, count: usize) -> Vec<Value> {
    for _ in 0..100 {
        let text = String::from_utf8(LOG.lock().unwrap().clone()).unwrap();
        let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let found: Vec<_> = events.filter(|event| event["request_id"] == request_id).collect();
        if found.len() >= count {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("fewer than {count} events for {request_id}");
}

#[tokio::test]
async fn every_request_leaves_one_access_event_without_secrets() {
    let server = start_logged().await;
    let path = format!("/iam/v2beta1/groups/{}?note=hidden-query", org());
    let request = server.request(Method::GET, &path).bearer_auth("viewer").header("x-request-id", "log-1");
    server.send(request.header("user-agent", "tester/1")).await;
    let [event] = &events("log-1", 1).await[..] else { panic!("more than one event") };
    assert_eq!((&event["target"], &event["transport"], &event["verb"]), (&"access".into(), &"json".into(), &"GET".into()));
    assert_eq!(event["path"], format!("/iam/v2beta1/groups/{}", org()));
    assert_eq!(event["method"], format!("{GROUPS}/GetGroup"));
    assert_eq!((&event["status"], &event["code"], &event["rule"]), (&400.into(), &"INVALID_ARGUMENT".into(), &"FIELD".into()));
    assert_eq!((&event["caller"], &event["peer"]), (&"02".repeat(20).into(), &"127.0.0.1".into()));
    assert_eq!(event["user_agent"], "tester/1");
    assert!(event["duration_us"].is_u64() && event["bytes"].as_u64() > Some(0), "{event}");

    let metadata = [("authorization", "Bearer owner"), ("x-request-id", "log-2")];
    let request = GetGroupRequest { uid: org().to_string() };
    server.grpc(&format!("{GROUPS}/GetGroup"), &request, &metadata).await.unwrap();
    let [event] = &events("log-2", 1).await[..] else { panic!("more than one event") };
    assert_eq!((&event["transport"], &event["code"], &event["caller"]), (&"grpc".into(), &"OK".into(), &"01".repeat(20).into()));

    let text = String::from_utf8(LOG.lock().unwrap().clone()).unwrap();
    for secret in ["hidden-query", "Bearer", "bearer"] {
        assert!(!text.contains(secret), "the log holds {secret:?}");
    }
}

#[tokio::test]
async fn tokens_in_urls_are_not_logged() {
    let server = start_logged().await;
    let token = format!("eyJhbGciOiJFUzI1NiJ9.{}.c2lnbmF0dXJl", "eyJzdWIiOiJh".repeat(9));
    for (id, path, told) in [
        ("log-5", format!("/iam/v2beta1/groups/{token}?token={token}"), "/iam/v2beta1/groups/…"),
        ("log-6", format!("/no/such/{token}/path"), "/no/such/…"),
        ("log-7", format!("/sts/exchange?aud=a&identity=b#{token}"), "/sts/exchange"),
    ] {
        server.send(server.request(Method::GET, &path).bearer_auth("owner").header("x-request-id", id)).await;
        let [event] = &events(id, 1).await[..] else { panic!("more than one event") };
        assert_eq!(event["path"], told);
    }
    server.grpc(&format!("/{token}/GetGroup"), &GetGroupRequest::default(), &[("x-request-id", "log-8")]).await.unwrap_err();
    let [event] = &events("log-8", 1).await[..] else { panic!("more than one event") };
    assert_eq!(event["path"], "/…");
    // Nor in what else a client may put them.
    let verb = Method::from_bytes(token.as_bytes()).unwrap();
    server.send(server.request(verb, "/no/such").header("x-request-id", "log-9")).await;
    let [event] = &events("log-9", 1).await[..] else { panic!("more than one event") };
    assert_eq!(event["verb"], "OTHER");
    let request = server.request(Method::GET, "/no/such").header("user-agent", format!("curl/8.5 {token}"));
    server.send(request.header("x-request-id", "log-10")).await;
    let [event] = &events("log-10", 1).await[..] else { panic!("more than one event") };
    assert_eq!(event["user_agent"], "curl/8.5 …");
    server.send(server.request(Method::GET, "/no/such").header("x-request-id", &token)).await;
    server.send(server.request(Method::GET, "/no/such").header("cgrequestid", &token)).await;
    let text = String::from_utf8(LOG.lock().unwrap().clone()).unwrap();
    assert!(!text.contains("eyJ"), "the log holds a token");
}

#[tokio::test]
async fn internal_causes_are_logged_once_and_never_sent() {
    let server = start_logged().await;
    let request = server.request(Method::GET, &format!("/iam/v2beta1/groups/{}", group(PANICS))).bearer_auth("owner");
    let answered = server.send(request.header("x-request-id", "log-3")).await;
    assert!(!answered.text.contains("secret reason"), "{}", answered.text);
    let events = events("log-3", 2).await;
    let causes: Vec<_> = events.iter().filter(|event| event["target"] != "access").collect();
    assert_eq!((events.len(), causes.len()), (2, 1));
    assert_eq!(causes[0]["level"], "ERROR");
    assert!(causes[0]["causes"].as_str().unwrap().contains("the handler's secret reason"), "{causes:?}");
}

#[tokio::test]
async fn a_request_that_its_client_gives_up_is_told_as_cancelled() {
    let server = start_logged().await;
    *server.world.slow_for.lock().unwrap() = Duration::from_secs(30);
    let request = server.request(Method::GET, &format!("/iam/v2beta1/groups/{}", group(SLOW))).bearer_auth("owner");
    let request = request.header("x-request-id", "log-4").timeout(Duration::from_millis(200));
    request.send().await.unwrap_err();
    let [event] = &events("log-4", 1).await[..] else { panic!("more than one event") };
    assert_eq!((&event["code"], event.get("status")), (&"CANCELLED".into(), None), "{event}");
}
