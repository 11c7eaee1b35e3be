//! What one client may hold, and that the others go on meanwhile.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::atomic::Ordering::SeqCst,
    time::{Duration, Instant},
};

use gateway::{Limits, Settings, settings::TrustedProxies};
use h2::{
    Reason,
    client::{ResponseFuture, SendRequest},
};
use http::Request;
use reqwest::Method;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use crate::support::{KEPT, Running, SLOW, group, org, start_limited, start_with};

/// Long enough for whatever does happen, on the slowest machine.
const LONG: Duration = Duration::from_mins(1);
/// Long enough for what would happen at once. It is waited for what must not come alone: a slow machine fails no test by that.
const WHILE: Duration = Duration::from_millis(300);

const HEALTH: &[u8] = b"GET /livez HTTP/1.1\r\nhost: x\r\n\r\n";

/// A connection from one of the addresses of loopback.
async fn connect(server: &Running, from: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((Ipv4Addr::new(127, 0, 0, from), 0))).unwrap();
    socket.connect(server.address).await.unwrap()
}

/// A connection that has begun a request of a stranger, and does not go on.
async fn unfinished(server: &Running, from: u8, body: usize) -> TcpStream {
    let mut stream = connect(server, from).await;
    let head = format!("POST /sts/exchange HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body + 10);
    // A server that refuses need not read everything.
    let _ = stream.write_all(&[head.as_bytes(), &vec![b'a'; body]].concat()).await;
    stream
}

/// Waits for what does happen, however long that takes.
async fn until(happens: impl Fn() -> bool) {
    let waits = async {
        while !happens() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LONG, waits).await.expect("it happens");
}

/// Whether nothing is there to read, and the connection is open.
async fn is_quiet(stream: &mut TcpStream) -> bool {
    timeout(WHILE, stream.read(&mut [0; 512])).await.is_err()
}

/// A whole answer that does come, however long that takes; nothing when the connection ends without one.
async fn answer(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut text = String::new();
    let mut part = [0; 4096];
    while !is_whole(&text) {
        let read = timeout(LONG, stream.read(&mut part)).await.expect("an answer").unwrap_or_default();
        if read == 0 {
            break;
        }
        text.push_str(std::str::from_utf8(&part[..read]).unwrap());
    }
    text
}

/// Whether an answer that says how long it is has come to its end.
fn is_whole(text: &str) -> bool {
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    head.lines().find_map(|line| line.strip_prefix("content-length: ")).is_some_and(|length| length.parse() == Ok(body.len()))
}

/// Whether the server closes the connection, however long that takes.
async fn is_closed(stream: &mut TcpStream) -> bool {
    matches!(timeout(LONG, stream.read(&mut [0; 512])).await, Ok(Ok(0) | Err(_)))
}

async fn asks_health(stream: &mut TcpStream) -> bool {
    stream.write_all(HEALTH).await.is_ok() && answer(stream).await.starts_with("HTTP/1.1 200 ")
}

/// An HTTP/2 connection whose windows let so many bytes of each answer through, before it is read.
async fn http2(server: &Running, window: u32) -> SendRequest<bytes::Bytes> {
    let stream = TcpStream::connect(server.address).await.unwrap();
    let (client, connection) = h2::client::Builder::new().initial_window_size(window).handshake(stream).await.unwrap();
    tokio::spawn(connection);
    client
}

fn list(server: &Running) -> Request<()> {
    let url = format!("http://{}/iam/v2beta1/groups", server.address);
    Request::get(url).header("authorization", "Bearer owner").body(()).unwrap()
}

#[tokio::test]
async fn unfinished_bodies_of_strangers_take_no_more_than_their_share() {
    // Of 8 MiB strangers have 838,860 bytes, and one address of them 209,715: twelve requests of 16 KiB.
    let server = start_limited(Limits { memory_bytes: 8 << 20, ..Limits::default() }).await;
    let mut held = Vec::new();
    for count in 1..=12 {
        held.push(unfinished(&server, 1, 0).await);
        until(|| server.bytes_under_way() == count * (16 << 10)).await;
    }
    let refused = answer(&mut unfinished(&server, 1, 0).await).await;
    assert!(refused.starts_with("HTTP/1.1 429 "), "{refused}");
    assert!(refused.contains("MEMORY_SHARE") && refused.contains("retry-after: 1\r\n"), "{refused}");
    assert!(refused.contains("this address has 209715 bytes under way"), "{refused}");

    assert!(asks_health(&mut connect(&server, 1).await).await);
    assert_eq!(server.owner(Method::GET, "/iam/v2beta1/groups", None).await.status, 200, "who is known goes on");
    let missing = server.send(server.request(Method::GET, "/iam/v2beta1/groups")).await;
    assert_eq!(missing.error().2, "TOKEN_MISSING", "strangers are told why");
    assert!(is_quiet(&mut unfinished(&server, 2, 0).await).await, "another address has a share of its own");

    drop(held);
    until(|| server.bytes_under_way() == 0).await;
    let answered = server.send(server.request(Method::POST, "/sts/exchange").body("identity=a")).await;
    assert_eq!(answered.status, 200);
}

#[tokio::test]
async fn bodies_are_counted_as_they_arrive() {
    let server = start_limited(Limits { memory_bytes: 8 << 20, ..Limits::default() }).await;
    let mut small = unfinished(&server, 1, 100 << 10).await;
    // All of it has arrived, and 4 KiB of it are in the 16 that every request takes.
    until(|| server.bytes_under_way() >= (16 + 100 - 4) << 10).await;
    assert!(is_quiet(&mut small).await);
    let refused = answer(&mut unfinished(&server, 1, 200 << 10).await).await;
    assert!(refused.starts_with("HTTP/1.1 429 ") && refused.contains("MEMORY_SHARE"), "{refused}");
    small.write_all(&[b'a'; 10]).await.unwrap();
    let answer = answer(&mut small).await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "it was read to its end: {answer}");
}

#[tokio::test]
async fn bodies_of_routes_beside_the_contract_are_counted_and_must_arrive() {
    let keep =
        axum::Router::new().route("/keep", axum::routing::post(|body: bytes::Bytes| async move { body.len().to_string() }));
    let limits = Limits { memory_bytes: 8 << 20, ..Limits::default() };
    let server = start_with(Settings { limits, ..Settings::default() }, keep.clone()).await;
    let post = |size: usize| server.request(Method::POST, "/keep").body("a".repeat(size));
    assert_eq!(server.send(post(100 << 10)).await.text, (100 << 10).to_string());
    assert_eq!(server.send(post(250 << 10)).await.error().2, "MEMORY_SHARE");
    let limits = Limits { body_grace: Duration::from_millis(200), body_rate: 1 << 20, ..Limits::default() };
    let server = start_with(Settings { limits, ..Settings::default() }, keep).await;
    let mut slow = connect(&server, 1).await;
    slow.write_all(b"POST /keep HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\na").await.unwrap();
    let answer = answer(&mut slow).await;
    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("BODY_TOO_SLOW"), "{answer}");
}

#[tokio::test]
async fn a_body_must_arrive_at_the_slowest_rate() {
    let limits = Limits { body_grace: Duration::from_millis(300), body_rate: 64 << 10, ..Limits::default() };
    let server = start_limited(limits).await;
    let mut stream = connect(&server, 1).await;
    let head = "POST /iam/v2beta1/groups HTTP/1.1\r\nhost: x\r\nauthorization: Bearer owner\r\ncontent-length: 100000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let (mut reader, mut writer) = stream.into_split();
    // A hundred bytes a second do not help.
    let drip = tokio::spawn(async move {
        for _ in 0..5 {
            let _ = writer.write_all(b"          ").await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        writer
    });
    let answer = answer(&mut reader).await;
    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("\"BODY_TOO_SLOW\""), "{answer}");
    drip.abort();

    // Over gRPC the same, and a body that comes in time is read.
    let http2 = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let url = format!("http://{}/chainguard.platform.iam.v2beta1.GroupsService/GetGroup", server.address);
    let never = futures::stream::pending::<Result<Vec<u8>, std::io::Error>>();
    let call = http2.post(url).bearer_auth("owner").header("content-type", "application/grpc");
    let answered = timeout(LONG, server.send(call.body(reqwest::Body::wrap_stream(never)))).await.expect("it ends");
    assert_eq!(answered.header("grpc-status"), "4");
    assert!(answered.header("grpc-message").contains("8192") || answered.header("grpc-message").contains("65536"));
}

#[tokio::test]
async fn requests_of_one_address_are_limited() {
    let limits = Limits { requests_per_address: 2, request_timeout: Duration::from_hours(1), ..Limits::default() };
    let proxies = TrustedProxies { networks: vec!["127.0.0.9".parse().unwrap()], ..TrustedProxies::default() };
    let settings = Settings { limits, trusted_proxies: proxies, ..Settings::default() };
    let server = start_with(settings, axum::Router::new()).await;
    *server.world.slow_for.lock().unwrap() = Duration::from_hours(1);
    let ask = async |from: u8, headers: &str| {
        let mut stream = connect(&server, from).await;
        let path = format!("/iam/v2beta1/groups/{}", group(SLOW));
        let head = format!("GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer owner\r\n{headers}\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    };
    let mut held = Vec::new();
    for count in 1..=2 {
        held.push(ask(1, "").await);
        until(|| server.world.running.load(SeqCst) == count).await;
    }
    let refused = answer(&mut ask(1, "").await).await;
    assert!(refused.starts_with("HTTP/1.1 429 ") && refused.contains("TOO_MANY_REQUESTS"), "{refused}");
    // Behind a proxy it is the client that counts.
    let named = ["x-forwarded-for: 192.0.2.1\r\n", "x-forwarded-for: 192.0.2.2\r\n"];
    for (count, header) in (3..).zip([named[0], named[0], named[1]]) {
        held.push(ask(9, header).await);
        until(|| server.world.running.load(SeqCst) == count).await;
    }
    assert!(answer(&mut ask(9, named[0]).await).await.contains("TOO_MANY_REQUESTS"));
    assert!(asks_health(&mut connect(&server, 1).await).await);
}

/// What waits for the writer, or is finished in a task of its own, is there when its client has gone.
#[tokio::test]
async fn what_outlives_its_client_is_counted() {
    let server = start_limited(Limits { requests_per_address: 1, ..Limits::default() }).await;

    let create = format!("/iam/v2beta1/groups/{}", org());
    let body = serde_json::json!({ "name": KEPT }).to_string();
    for key in [None, Some("once")] {
        let mut request = server.request(Method::POST, &create).bearer_auth("owner").body(body.clone());
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let mut client = tokio::spawn(request.send());
        let handled = async {
            while server.world.contexts.lock().unwrap().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            () = handled => client.abort(),
            answer = &mut client => panic!("the handler does not answer: {answer:?}"),
        }
        tokio::time::sleep(WHILE).await;
        let refused = server.owner(Method::GET, "/iam/v2beta1/groups", None).await;
        assert_eq!(refused.status, 429, "{key:?}: {}", refused.text);
        if key.is_some() {
            // The task goes on, and keeps the context with the handler.
            return;
        }
        server.world.contexts.lock().unwrap().clear();
        let begin = Instant::now();
        while server.owner(Method::GET, "/iam/v2beta1/groups", None).await.status != 200 {
            assert!(begin.elapsed() < LONG, "it is given back");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn health_checks_that_do_not_come_are_not_waited_for() {
    let server = start_limited(Limits { body_grace: WHILE, ..Limits::default() }).await;
    let mut client = http2(&server, 65_535).await.ready().await.unwrap();
    let url = format!("http://{}/grpc.health.v1.Health/Check", server.address);
    let request = || Request::post(&url).header("te", "trailers");
    let (answer, _body) =
        client.send_request(request().header("content-type", "application/grpc").body(()).unwrap(), false).unwrap();
    let answer = timeout(LONG, answer).await.expect("it ends").unwrap();
    assert_eq!(answer.headers()["grpc-status"], "4", "{:?}", answer.headers());
    // What is not gRPC is nobody's question how the server is.
    let refused = server.send(server.request(Method::POST, "/grpc.health.v1.Health/Check").body("")).await;
    assert_eq!(refused.status, 404, "{}", refused.text);
}

#[tokio::test]
async fn reads_of_one_address_take_turns() {
    let server = start_limited(Limits { reads_per_address: 2, ..Limits::default() }).await;
    *server.world.slow_for.lock().unwrap() = Duration::from_millis(50);
    let slow = format!("/iam/v2beta1/groups/{}", group(SLOW));
    let ask = async || server.owner(Method::GET, &slow, None).await.status;
    let answered = futures::future::join_all((0..8).map(|_| ask())).await;
    assert!(answered.iter().all(|status| *status == 200), "{answered:?}");
    // The first two find the address with nothing else under way.
    assert!(server.world.most_running.load(SeqCst) <= 4);
}

/// Asks for three answers, and reads none.
async fn three_lists(server: &Running) -> (SendRequest<bytes::Bytes>, Vec<ResponseFuture>) {
    let mut client = http2(server, 0).await;
    let mut answers = Vec::new();
    for _ in 0..3 {
        client = client.ready().await.unwrap();
        answers.push(client.send_request(list(server), true).unwrap().0);
    }
    (client, answers)
}

#[tokio::test]
async fn answers_that_nobody_reads_are_not_made_and_end() {
    let limits = Limits { unsent_bytes: 1, send_timeout: Duration::from_hours(1), ..Limits::default() };
    let server = start_limited(limits).await;
    let (_client, _answers) = three_lists(&server).await;
    until(|| server.world.listed.load(SeqCst) == 1).await;
    tokio::time::sleep(WHILE).await;
    assert_eq!(server.world.listed.load(SeqCst), 1, "one answer is made; the others wait until it is sent");
    assert!(server.owner(Method::GET, "/iam/v2beta1/groups", None).await.status == 200, "on other connections nobody waits");

    let limits = Limits { unsent_bytes: 1, send_timeout: Duration::from_millis(500), ..Limits::default() };
    let server = start_limited(limits).await;
    let (mut client, answers) = three_lists(&server).await;
    // Each is reset in its turn, and the connection goes on.
    for answer in answers {
        let mut body = timeout(LONG, answer).await.expect("its turn comes").unwrap().into_body();
        let error = timeout(LONG, body.data()).await.expect("it is reset").unwrap().unwrap_err();
        assert_eq!(error.reason(), Some(Reason::CANCEL), "{error}");
    }
    client = client.ready().await.unwrap();
    let answer = client.send_request(list(&server), true).unwrap().0;
    assert_eq!(timeout(LONG, answer).await.expect("the connection goes on").unwrap().status(), 200);
}

#[tokio::test]
async fn connections_end_that_take_a_byte_of_each_answer() {
    let server = start_limited(Limits { send_timeout: Duration::from_millis(500), ..Limits::default() }).await;
    let mut client = http2(&server, 1).await.ready().await.unwrap();
    let mut body = client.send_request(list(&server), true).unwrap().0.await.unwrap().into_body();
    let mut first = timeout(LONG, body.data()).await.expect("a byte comes").unwrap().unwrap();
    assert_eq!(first.split_off(0).len(), 1);
    let end = timeout(LONG, body.data()).await.expect("the connection ends");
    assert!(end.is_none_or(|end| end.is_err()));
}

#[tokio::test]
async fn answers_that_wait_for_news_stay() {
    // Longer than a machine commonly stops for: what has come and is not read for so long ends the stream.
    let send_timeout = Duration::from_secs(2);
    let server = start_limited(Limits { send_timeout, ..Limits::default() }).await;
    let mut health = tonic_health::pb::health_client::HealthClient::new(server.channel().await);
    let mut news = health.watch(tonic_health::pb::HealthCheckRequest::default()).await.unwrap().into_inner();
    assert!(news.message().await.unwrap().is_some());
    assert!(timeout(2 * send_timeout, news.message()).await.is_err(), "nothing comes, and it does not end");
}

#[tokio::test]
async fn large_answers_arrive_whole_over_both_protocols() {
    let text = "0123456789".repeat(100_000);
    let large = text.clone();
    let routes = axum::Router::new().route("/large", axum::routing::get(move || async move { large.clone() }));
    let server = start_with(Settings::default(), routes).await;
    assert_eq!(server.send(server.request(Method::GET, "/large")).await.text, text);
    let http2 = reqwest::Client::builder().no_proxy().http2_prior_knowledge().build().unwrap();
    let request = http2.get(format!("http://{}/large", server.address));
    assert_eq!(server.send(request).await.text, text);
}

#[tokio::test]
async fn a_newcomer_takes_the_place_of_the_oldest_silent_connection() {
    let server = start_limited(Limits { connections: 3, ..Limits::default() }).await;
    let mut used = connect(&server, 1).await;
    assert!(asks_health(&mut used).await);
    let mut silent = [connect(&server, 2).await, connect(&server, 3).await];
    assert!(asks_health(&mut connect(&server, 4).await).await, "the newcomer is served");
    assert!(is_closed(&mut silent[0]).await, "the oldest went");
    assert!(asks_health(&mut silent[1]).await && asks_health(&mut used).await, "the others stay");
}

#[tokio::test]
async fn one_address_takes_no_places_of_others() {
    let proxies = TrustedProxies { networks: vec!["127.0.0.9".parse().unwrap()], ..TrustedProxies::default() };
    let limits = Limits { connections_per_address: 2, ..Limits::default() };
    let server = start_with(Settings { limits, trusted_proxies: proxies, ..Settings::default() }, axum::Router::new()).await;
    let mut other = connect(&server, 2).await;
    let mut crowd = Vec::new();
    for _ in 0..4 {
        crowd.push(connect(&server, 1).await);
    }
    for silent in crowd.iter_mut().take(2) {
        assert!(is_closed(silent).await);
    }
    let [.., third, fourth] = crowd.as_mut_slice() else { panic!("there are four") };
    assert!(asks_health(third).await && asks_health(fourth).await && asks_health(&mut other).await);
    let mut behind_proxy = Vec::new();
    for _ in 0..4 {
        behind_proxy.push(connect(&server, 9).await);
    }
    for stream in &mut behind_proxy {
        assert!(asks_health(stream).await, "proxies are counted apart");
    }
}

#[tokio::test]
async fn the_time_for_the_first_head_runs_from_the_beginning() {
    let server = start_limited(Limits { header_timeout: Duration::from_millis(500), ..Limits::default() }).await;
    let mut silent = connect(&server, 1).await;
    let mut dripping = connect(&server, 1).await;
    tokio::time::sleep(WHILE).await;
    // On a slow machine it is closed already.
    let _ = dripping.write_all(b"GET /livez HTTP/1.1\r\n").await;
    assert!(is_closed(&mut silent).await && is_closed(&mut dripping).await);
    let mut used = connect(&server, 1).await;
    while !asks_health(&mut used).await {
        used = connect(&server, 1).await;
    }
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert!(asks_health(&mut used).await, "one that has asked may rest longer");
}
