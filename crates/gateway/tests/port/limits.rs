//! Sizes, times and counts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use contract::chainguard::platform::iam::v2beta1::{GetGroupRequest, Group, UpdateGroupRequest};
use futures::{StreamExt as _, future::Either};
use gateway::Limits;
use prost::Message as _;
use reqwest::Method;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{Instant, timeout},
};
use tonic::Code;

use crate::support::{GROUPS, Running, SLOW, call, group, org, start, start_limited};

/// Sends bytes and reads until the server closes.
async fn raw(server: &Running, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await.expect("the server closes").unwrap();
    String::from_utf8(answer).unwrap()
}

fn body_of(answer: &str) -> serde_json::Value {
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn headers_above_32_kib_are_refused() {
    let server = start().await;
    let get = |value: String| server.request(Method::GET, "/livez").header("x-large", value);
    assert_eq!(server.send(get("a".repeat(31 << 10))).await.status, 200);
    let answered = server.send(get("a".repeat(33 << 10))).await;
    let message = "Invalid argument: the headers are larger than 32768 bytes".to_owned();
    assert_eq!(answered.error(), (431, 3, "TOO_LARGE".to_owned(), message));
    let http2 = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let request = http2.get(format!("http://{}/livez", server.address)).header("x-large", "a".repeat(33 << 10));
    assert_eq!(server.send(request).await.error().0, 431);
    let many = "x-a: 1\r\n".repeat(120);
    for headers in [many, format!("x-large: {}\r\n", "a".repeat(512 << 10))] {
        let answer = raw(&server, format!("GET /livez HTTP/1.1\r\nhost: x\r\n{headers}\r\n").as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
        assert_eq!(body_of(&answer)["details"][0]["metadata"]["rule"], "TOO_LARGE");
    }
}

#[tokio::test]
async fn urls_above_64_kib_are_refused() {
    let server = start().await;
    let get = |length: usize| format!("GET /livez?a={} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "a".repeat(length));
    assert!(raw(&server, get(60 << 10).as_bytes()).await.starts_with("HTTP/1.1 200 "));
    let answer = raw(&server, get(65 << 10).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 414 "), "{answer}");
    assert_eq!(
        (&body_of(&answer)["code"], &body_of(&answer)["details"][0]["metadata"]["rule"]),
        (&3.into(), &"TOO_LARGE".into())
    );

    let server = start_limited(Limits { url_bytes: 1000, ..Limits::default() }).await;
    let answered = server.send(server.request(Method::GET, &format!("/livez?{}", "a".repeat(1000)))).await;
    assert_eq!(answered.error().0, 414);
}

#[tokio::test]
async fn what_is_no_http_is_refused_with_the_standard_body() {
    let server = start().await;
    let answer = raw(&server, b"this is not HTTP at all\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert_eq!(body_of(&answer)["details"][0]["metadata"]["rule"], "MALFORMED");
    assert_eq!(body_of(&answer)["message"], "Invalid argument: the request is not HTTP/1.1 or HTTP/2");
    assert!(answer.contains("x-request-id: "), "{answer}");
}

#[tokio::test]
async fn bodies_above_4_mib_are_refused() {
    let server = start().await;
    let large = format!(r#"{{"name":"{}"}}"#, "a".repeat(5 << 20));
    let answered = server.owner(Method::POST, "/iam/v2beta1/groups", Some(&large)).await;
    let expected = (413, 3, "TOO_LARGE".to_owned(), "Invalid argument: the body is larger than 4194304 bytes".to_owned());
    assert_eq!(answered.error(), expected);
    let chunks = futures::stream::iter((0..5).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1 << 20])));
    let request = server.request(Method::POST, "/iam/v2beta1/groups").bearer_auth("owner");
    let answered = server.send(request.body(reqwest::Body::wrap_stream(chunks))).await;
    assert_eq!(answered.error(), expected);
    let just_below = format!(r#"{{"name":"{}"}}"#, "a".repeat((4 << 20) - 20));
    assert_eq!(server.owner(Method::POST, "/iam/v2beta1/groups", Some(&just_below)).await.status, 200);

    let update = |length: usize| UpdateGroupRequest {
        group: Some(Group { uid: org().to_string(), description: "a".repeat(length), ..Group::default() }),
        update_mask: None,
    };
    let path = format!("{GROUPS}/UpdateGroup");
    let owner = [("authorization", "Bearer owner")];
    let status = server.grpc(&path, &update(5 << 20), &owner).await.unwrap_err();
    assert_eq!(
        (status.code(), status.message()),
        (Code::InvalidArgument, "Invalid argument: the body is larger than 4194304 bytes")
    );
    server.grpc(&path, &update(3 << 20), &owner).await.unwrap();
}

/// How much of a body of `chunks` mebibytes an HTTP/2 client gets rid of before the refusal, which must be the usual one.
async fn sent_over_http2(server: &Running, chunks: usize, declared: bool) -> usize {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let body = futures::stream::iter(0..chunks).map(move |_| {
        counted.fetch_add(1, SeqCst);
        Ok::<_, std::io::Error>(vec![b' '; 1 << 20])
    });
    let http2 = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let mut request = http2.post(format!("http://{}/iam/v2beta1/groups", server.address)).bearer_auth("owner");
    if declared {
        request = request.header("content-length", chunks << 20);
    }
    let (status, _, rule, _) = server.send(request.body(reqwest::Body::wrap_stream(body))).await.error();
    assert_eq!((status, rule.as_str()), (413, "TOO_LARGE"));
    sent.load(SeqCst)
}

#[tokio::test]
async fn http2_clients_may_finish_a_body_that_is_somewhat_too_large() {
    let server = start().await;
    assert_eq!(sent_over_http2(&server, 12, true).await, 12);
    assert_eq!(sent_over_http2(&server, 12, false).await, 12);
    assert!(sent_over_http2(&server, 60, true).await < 60);
    assert!(sent_over_http2(&server, 60, false).await < 60);
}

#[tokio::test]
async fn http2_clients_that_wait_for_leave_are_not_waited_for() {
    let server = start().await;
    // Nobody sends a byte of a body that the server would read to its end.
    let refused = |waits: bool| {
        let http2 = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
        let request = http2.post(format!("http://{}/iam/v2beta1/groups", server.address)).bearer_auth("owner");
        let request = request.header("content-length", 5 << 20);
        let request = if waits { request.header("expect", "100-continue") } else { request };
        let body = reqwest::Body::wrap_stream(futures::stream::pending::<std::io::Result<Vec<u8>>>());
        Box::pin(server.send(request.body(body)))
    };
    let Either::Right((answered, _)) = futures::future::select(refused(false), refused(true)).await else {
        panic!("who waits was waited for")
    };
    assert_eq!(answered.error().0, 413);
}

#[tokio::test]
async fn http2_clients_that_stall_in_a_body_that_is_too_large_are_answered() {
    let server = start().await;
    let begun = futures::stream::iter((0..5).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1 << 20])));
    let body = begun.chain(futures::stream::pending());
    let http2 = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let request = http2.post(format!("http://{}/iam/v2beta1/groups", server.address)).bearer_auth("owner");
    let answered = timeout(Duration::from_secs(10), server.send(request.body(reqwest::Body::wrap_stream(body)))).await;
    assert_eq!(answered.expect("an answer before the end of the body").error().0, 413);
}

#[tokio::test]
async fn a_body_that_ends_early_is_no_request() {
    let server = start().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head =
        "POST /iam/v2beta1/groups HTTP/1.1\r\nhost: x\r\nauthorization: Bearer owner\r\ncontent-length: 50\r\n\r\n{\"name\":";
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = Vec::new();
    timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await.expect("the server closes").unwrap();
    assert_eq!(server.world.created.load(SeqCst), 0);
}

#[tokio::test]
async fn slow_heads_are_cut_off() {
    let server = start_limited(Limits { header_timeout: Duration::from_millis(300), ..Limits::default() }).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let begun = Instant::now();
    // One byte now and then would keep a per-read timeout alive for ever.
    let (mut reading, mut writing) = stream.split();
    let drip = async {
        for byte in b"GET /livez HTTP/1.1\r\nhost: a-very-long-name" {
            if writing.write_all(&[*byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
        std::future::pending::<()>().await;
    };
    let mut answer = Vec::new();
    tokio::select! {
        () = drip => {}
        _ = reading.read_to_end(&mut answer) => {}
        () = tokio::time::sleep(Duration::from_secs(5)) => panic!("the connection is still open"),
    }
    assert!(begun.elapsed() >= Duration::from_millis(300), "{:?}", begun.elapsed());
    assert!(answer.is_empty());
}

#[tokio::test]
async fn resting_connections_live_longer_than_heads_and_end_when_idle() {
    let limits =
        Limits { header_timeout: Duration::from_millis(150), idle_timeout: Duration::from_millis(900), ..Limits::default() };
    let server = start_limited(limits).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let mut buf = [0; 4096];
    for _ in 0..2 {
        stream.write_all(b"GET /livez HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let read = stream.read(&mut buf).await.unwrap();
        assert!(buf[..read].starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&buf[..read]));
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    let begun = Instant::now();
    let read = timeout(Duration::from_secs(5), stream.read(&mut buf)).await.expect("the server closes").unwrap();
    assert_eq!(read, 0);
    assert!(begun.elapsed() < Duration::from_secs(2));

    let mut silent = TcpStream::connect(server.address).await.unwrap();
    let read = timeout(Duration::from_secs(5), silent.read(&mut buf)).await.expect("the server closes").unwrap();
    assert_eq!(read, 0);
}

#[tokio::test]
async fn requests_have_a_deadline() {
    let server = start_limited(Limits { request_timeout: Duration::from_millis(200), ..Limits::default() }).await;
    *server.world.slow_for.lock().unwrap() = Duration::from_secs(30);
    let answered = server.owner(Method::GET, &format!("/iam/v2beta1/groups/{}", group(SLOW)), None).await;
    let expected = (504, 4, "TIMEOUT".to_owned(), "the request took longer than 200 ms".to_owned());
    assert_eq!(answered.error(), expected);
    let request = GetGroupRequest { uid: group(SLOW).to_string() };
    let owner = ("authorization", "Bearer owner");
    let path = format!("{GROUPS}/GetGroup");
    let status = server.grpc(&path, &request, &[owner]).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::DeadlineExceeded, "the request took longer than 200 ms"));

    // Sent without a gRPC client, which would watch the shorter deadline itself.
    let message = request.encode_to_vec();
    let frame: Vec<u8> = [vec![0, 0, 0, 0, u8::try_from(message.len()).unwrap()], message].concat();
    let http2 = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let call = http2.post(format!("http://{}{path}", server.address)).bearer_auth("owner").body(frame);
    let answered = server.send(call.header("content-type", "application/grpc").header("grpc-timeout", "50m")).await;
    assert_eq!(answered.status, 200);
    assert_eq!(
        (answered.header("grpc-status"), answered.header("grpc-message")),
        ("4", "the%20request%20took%20longer%20than%2050%20ms")
    );

    // A body that never comes counts too.
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = "POST /iam/v2beta1/groups HTTP/1.1\r\nhost: x\r\nauthorization: Bearer owner\r\ncontent-length: 50\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut buf = [0; 64];
    let read = timeout(Duration::from_secs(5), stream.read(&mut buf)).await.expect("an answer").unwrap();
    assert!(buf[..read].starts_with(b"HTTP/1.1 504"), "{}", String::from_utf8_lossy(&buf[..read]));
}

#[tokio::test]
async fn streams_of_one_connection_are_limited() {
    let server = start_limited(Limits { streams_per_connection: 4, ..Limits::default() }).await;
    *server.world.slow_for.lock().unwrap() = Duration::from_millis(100);
    let channel = server.channel().await;
    let request = GetGroupRequest { uid: group(SLOW).to_string() };
    let path = format!("{GROUPS}/GetGroup");
    // The first call lets the client learn the server's settings.
    call(channel.clone(), &path, &request, &[("authorization", "Bearer owner")]).await.unwrap();
    let calls = (0..20).map(|_| call(channel.clone(), &path, &request, &[("authorization", "Bearer owner")]));
    let answers = futures::future::join_all(calls).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(server.world.most_running.load(SeqCst), 4);
}

#[tokio::test]
async fn connections_are_limited() {
    let server = start_limited(Limits { connections: 1, ..Limits::default() }).await;
    *server.world.slow_for.lock().unwrap() = Duration::from_secs(1);
    let mut buf = [0; 512];
    let mut first = TcpStream::connect(server.address).await.unwrap();
    let get = format!("GET /iam/v2beta1/groups/{} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer owner\r\n\r\n", group(SLOW));
    first.write_all(get.as_bytes()).await.unwrap();
    while server.world.running.load(SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut second = TcpStream::connect(server.address).await.unwrap();
    let read = timeout(Duration::from_secs(5), second.read(&mut buf)).await.expect("it is closed");
    assert!(!matches!(read, Ok(1..)), "only one connection is served");
    let read = timeout(Duration::from_secs(5), first.read(&mut buf)).await.expect("an answer").unwrap();
    assert!(buf[..read].starts_with(b"HTTP/1.1 200 "), "who has a request under way keeps the place");
    let mut third = TcpStream::connect(server.address).await.unwrap();
    third.write_all(b"GET /livez HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let read = timeout(Duration::from_secs(5), third.read(&mut buf)).await.expect("it has a place").unwrap();
    assert!(read > 0, "and gives it up when it rests");
}

#[tokio::test]
async fn listeners_that_nobody_uses_take_no_connection_from_the_others() {
    let server = start_limited(Limits { connections: 1, ..Limits::default() }).await;
    let other = server.listen_too().await;
    for address in [server.address, server.address, other, other] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
        let read = timeout(Duration::from_secs(5), stream.read(&mut [0; 512])).await.expect("its turn comes").unwrap();
        assert!(read > 0, "{address}");
    }
}

#[tokio::test]
async fn strangers_are_read_for_less_long() {
    let server = start().await;
    let form = |size: usize| format!("identity={}", "a".repeat(size));
    let exchange = |size: usize| server.request(Method::POST, "/sts/exchange").body(form(size));
    assert_eq!(server.send(exchange(200 << 10)).await.status, 200);
    let (status, _, rule, message) = server.send(exchange(300 << 10)).await.error();
    assert_eq!((status, rule.as_str()), (413, "TOO_LARGE"));
    assert!(message.contains("larger than 262144 bytes"), "{message}");

    let path = "/chainguard.platform.oidc.SecurityTokenService/Exchange";
    let request = contract::chainguard::platform::oidc::ExchangeRequest { identity: "a".repeat(300 << 10), ..Default::default() };
    assert_eq!(server.grpc(path, &request, &[]).await.unwrap_err().code(), tonic::Code::InvalidArgument);

    let mut health = tonic_health::pb::health_client::HealthClient::new(server.channel().await);
    let check = |size: usize| tonic_health::pb::HealthCheckRequest { service: "a".repeat(size) };
    assert_eq!(health.check(check(60 << 10)).await.unwrap_err().code(), tonic::Code::NotFound);
    assert_eq!(health.check(check(70 << 10)).await.unwrap_err().code(), tonic::Code::InvalidArgument);
}
