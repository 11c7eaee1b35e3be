//! Traces as a receiver sees them: spans of a live server, decoded with the published messages.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use client::http::{Http, Request};
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::any_value::Value,
    trace::v1::{Span, span::SpanKind},
};
use prost::Message as _;
use tempfile::TempDir;

/// What arrived: the resource's attributes and its spans.
type Received = Arc<Mutex<Vec<(BTreeMap<String, String>, Span)>>>;

/// Receives OTLP over HTTP on a loopback port, for as long as the test runs.
fn receiver() -> (String, Received) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let received = Received::default();
    let store = received.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, store) = (stream.expect("a connection"), store.clone());
            std::thread::spawn(move || while take(&stream, &store).is_some() {});
        }
    });
    (url, received)
}

/// Takes one request of HTTP/1.1 and says that it was taken.
fn take(mut stream: &TcpStream, store: &Received) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let start = head.len();
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
        let line = head.get(start..)?.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.is_empty() {
            break;
        }
    }
    assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{head}");
    assert!(head.to_ascii_lowercase().contains("content-type: application/x-protobuf"), "{head}");
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    for batch in ExportTraceServiceRequest::decode(&*body).expect("a published message").resource_spans {
        let resource = texts(&batch.resource.unwrap_or_default().attributes);
        for span in batch.scope_spans.into_iter().flat_map(|scope| scope.spans) {
            store.lock().expect("the store").push((resource.clone(), span));
        }
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n").ok()
}

fn texts(attributes: &[opentelemetry_proto::tonic::common::v1::KeyValue]) -> BTreeMap<String, String> {
    let text = |value: &Value| match value {
        Value::StringValue(text) => text.clone(),
        Value::IntValue(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    let value = |attribute: &opentelemetry_proto::tonic::common::v1::KeyValue| attribute.value.as_ref()?.value.as_ref().map(text);
    attributes.iter().filter_map(|attribute| Some((attribute.key.clone(), value(attribute)?))).collect()
}

struct Server {
    child: Child,
    url: String,
    identity: String,
    _data: TempDir,
}

impl Server {
    fn start(environment: &[(&str, &str)]) -> Self {
        let data = TempDir::new().expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_provost"));
        command.args(["serve", "--dev", "--listen", "127.0.0.1:0", "--data"]).arg(data.path());
        command.env_clear().envs(environment.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut word = |name: &str| {
            let line = lines.next().expect("the server says more").expect("text");
            line.strip_prefix(name).expect(name).trim().to_owned()
        };
        let (url, _organization, identity) = (word("ready on"), word("organization"), word("identity"));
        Self { child, url, identity, _data: data }
    }

    /// Ends the server politely, so that it sends what is waiting.
    fn stop(mut self) {
        let status = Command::new("sh").arg("-c").arg(format!("kill -TERM {}", self.child.id())).status().expect("kill");
        assert!(status.success());
        let begin = Instant::now();
        while self.child.try_wait().expect("a status").is_none() {
            assert!(begin.elapsed() < Duration::from_secs(40), "the server does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Logs in and asks for groups within the trace `trace` with these flags.
async fn traffic(server: &Server, trace: &str, flags: &str) {
    let http = Http::new(&server.url, None).expect("a client");
    let parent = format!("00-{trace}-00f067aa0ba902b7-{flags}");
    let wish = serde_json::json!({ "sub": "admin", "aud": server.url });
    let minted = http.send(Request::post("/dev/idp/mint", &wish)).await.expect("an answer").json();
    let secret = minted["token"].as_str().expect("a token").to_owned();
    let exchange = format!("/sts/exchange?aud={}&identity={}", server.url, server.identity);
    let request = Request::get(exchange).header("authorization", format!("Bearer {secret}")).header("traceparent", &parent);
    let answer = http.send(request).await.expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let token = answer.json()["token"].as_str().expect("a token").to_owned();
    for (path, status) in [("/iam/v2beta1/groups", 200), ("/iam/v2beta1/groups/no-uid", 400)] {
        let request = Request::get(path).header("authorization", format!("Bearer {token}")).header("traceparent", &parent);
        let answer = http.send(request).await.expect("an answer");
        assert_eq!(answer.status, status, "{}", answer.text());
    }
}

const SAMPLED: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const UNSAMPLED: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

#[tokio::test]
async fn requests_become_spans_of_their_callers_traces() {
    let (url, received) = receiver();
    let server = Server::start(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &url),
        ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test"),
        ("OTEL_BSP_SCHEDULE_DELAY", "100"),
    ]);
    traffic(&server, SAMPLED, "01").await;
    traffic(&server, UNSAMPLED, "00").await;
    server.stop();
    let received = received.lock().expect("what arrived").clone();
    let of_trace = |trace: &str| -> Vec<&Span> {
        received.iter().map(|(_, span)| span).filter(|span| hex(&span.trace_id) == trace).collect()
    };
    assert_eq!(of_trace(UNSAMPLED), Vec::<&Span>::new(), "what its caller does not sample is not sent");

    let spans = of_trace(SAMPLED);
    let span = |name: &str, kind: SpanKind| {
        let found = spans.iter().find(|span| span.name == name && span.kind == kind as i32);
        (*found.unwrap_or_else(|| panic!("no {name} in {:#?}", spans.iter().map(|span| &span.name).collect::<Vec<_>>()))).clone()
    };
    let list = span("chainguard.platform.iam.v2beta1.GroupsService/ListGroups", SpanKind::Server);
    assert_eq!(hex(&list.parent_span_id), "00f067aa0ba902b7");
    let attributes = texts(&list.attributes);
    for (name, value) in [
        ("rpc.service", "chainguard.platform.iam.v2beta1.GroupsService"),
        ("rpc.method", "ListGroups"),
        ("http.request.method", "GET"),
        ("http.response.status_code", "200"),
        ("client.address", "127.0.0.1"),
    ] {
        assert_eq!(attributes.get(name).map(String::as_str), Some(value), "{name}: {attributes:?}");
    }
    let below: Vec<_> = spans.iter().filter(|span| span.parent_span_id == list.span_id).collect();
    assert!(below.iter().any(|span| span.name == "store read" && span.kind == SpanKind::Client as i32), "{below:?}");
    let refused = span("chainguard.platform.iam.v2beta1.GroupsService/GetGroup", SpanKind::Server);
    assert_eq!(texts(&refused.attributes).get("error.type").map(String::as_str), Some("INVALID_ARGUMENT"));
    assert_eq!(refused.status.as_ref().map_or(0, |status| status.code), 0, "the caller's own mistake is no error of the server");
    let exchange = span("chainguard.platform.oidc.SecurityTokenService/Exchange", SpanKind::Server);
    let fetch = span("GET", SpanKind::Client);
    assert_eq!((fetch.parent_span_id == exchange.span_id, &*fetch.trace_id), (true, &*exchange.trace_id));
    assert_eq!(texts(&fetch.attributes).get("http.response.status_code").map(String::as_str), Some("200"));

    for (resource, span) in &received {
        assert_eq!(resource.get("service.name").map(String::as_str), Some("provost"));
        assert_eq!(resource.get("deployment.environment.name").map(String::as_str), Some("test"));
        let text = format!("{span:?}");
        assert!(!text.contains("eyJ") && !text.contains("Bearer"), "{text}");
    }
}

#[tokio::test]
async fn without_a_receiver_nothing_is_sent() {
    let server = Server::start(&[]);
    traffic(&server, SAMPLED, "01").await;
    server.stop();
    let (url, received) = receiver();
    let server = Server::start(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &url), ("OTEL_SDK_DISABLED", "true")]);
    traffic(&server, SAMPLED, "01").await;
    server.stop();
    assert_eq!(received.lock().expect("what arrived").len(), 0);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
