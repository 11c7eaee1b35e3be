//! Other issuers at their worst: down, slow, lying, redirecting, inside our network, or endless.

use std::{
    io,
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use crate::support::{TestKey, jwks, p256};
use domain::{Error, Kind, Rule, Timestamp};
use futures::future::{BoxFuture, Either, join_all, select};
use jsonwebtoken::Algorithm;
use serde_json::json;
use sts::{
    Issuers, Limits, Settings,
    issuers::{Found, Resolver},
    jws::Unverified,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::timeout,
};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{method, path},
};

const DISCOVERY: &str = "/.well-known/openid-configuration";
const NOW: Timestamp = Timestamp(1_800_000_000_000);
/// How long a failure is remembered.
const FAILURE: Duration = Duration::from_millis(1500);
/// Much less than a fetch of a silent issuer takes where this counts, and enough for a machine that has much to do.
const AT_ONCE: Duration = Duration::from_secs(2);

/// Nobody gives up waiting for a fetch before it ends.
fn settings() -> Settings {
    let limits = Limits {
        fetch_timeout: Duration::from_millis(700),
        connect_timeout: Duration::from_millis(500),
        stale_wait: Duration::from_mins(1),
        failure_ttl: FAILURE,
        ..Limits::default()
    };
    Settings { allow_loopback_http: true, limits, ..Settings::new("https://us.example.com") }
}

fn settings_with(change: impl FnOnce(&mut Limits)) -> Settings {
    let mut settings = settings();
    change(&mut settings.limits);
    settings
}

fn later(seconds: i64) -> Timestamp {
    NOW.plus_seconds(seconds)
}

fn token(issuer: &str, key: &TestKey, kid: &str) -> String {
    key.token(Algorithm::ES256, Some(kid), &json!({"iss": issuer, "sub": "s"}))
}

async fn keys(issuers: &Issuers, token: &str, now: Timestamp) -> Result<Found, Error> {
    issuers.keys(&Unverified::parse(token).expect("a token"), now).await
}

/// Why the keys of `issuer` are refused.
async fn refusal(issuer: &str) -> (Kind, Rule, String) {
    let error = keys(&Issuers::new(&settings()), &token(issuer, &p256(), "k"), NOW).await.expect_err("refused");
    (error.kind(), error.rule(), error.message().to_owned())
}

async fn answer(server: &MockServer, at: &str, answer: ResponseTemplate) {
    Mock::given(method("GET")).and(path(at)).respond_with(answer).mount(server).await;
}

fn document(issuer: &str) -> ResponseTemplate {
    ResponseTemplate::new(200)
        .set_body_json(json!({"issuer": issuer, "jwks_uri": format!("{}/keys", issuer.trim_end_matches('/'))}))
}

/// An issuer with this key.
async fn issuer(key: &TestKey) -> MockServer {
    let server = MockServer::start().await;
    answer(&server, DISCOVERY, document(&server.uri())).await;
    answer(&server, "/keys", ResponseTemplate::new(200).set_body_string(jwks(&[key.named("k")]))).await;
    server
}

/// An issuer whose keys are known to `issuers`, and which says nothing any more. Answers a token of it, too.
async fn silent(issuers: &Issuers, key: &TestKey) -> (MockServer, String) {
    let server = issuer(key).await;
    let token = token(&server.uri(), key, "k");
    keys(issuers, &token, NOW).await.expect("keys");
    server.reset().await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(200).set_delay(Duration::from_mins(1))).mount(&server).await;
    (server, token)
}

/// Where keys come from, which is told at once.
async fn at_once(issuers: &Issuers, token: &str, now: Timestamp) -> Result<&'static str, Rule> {
    let found = timeout(AT_ONCE, keys(issuers, token, now)).await.expect("an answer at once");
    found.map(|found| found.from).map_err(|error| error.rule())
}

/// How often discovery and the keys were asked for.
async fn asked(server: &MockServer) -> (usize, usize) {
    let requests = server.received_requests().await.expect("recorded");
    let count = |at: &str| requests.iter().filter(|request| request.url.path() == at).count();
    (count(DISCOVERY), count("/keys"))
}

#[tokio::test]
async fn keys_are_fetched_once_and_remembered() {
    let key = p256();
    let server = issuer(&key).await;
    let issuers = Issuers::new(&settings());
    let token = token(&server.uri(), &key, "k");
    let all = join_all((0..20).map(|_| keys(&issuers, &token, NOW))).await;
    assert_eq!(all.iter().filter(|found| found.as_ref().is_ok_and(|found| found.from == "fetched")).count(), 1);
    let found = all.into_iter().next().expect("one").expect("keys");
    assert!(Unverified::parse(&token).expect("a token").verify(&found.keys).is_ok());
    assert_eq!(keys(&issuers, &token, later(899)).await.expect("keys").from, "cached");
    assert_eq!(asked(&server).await, (1, 1));
    // Old keys are fetched anew; the discovery document is still good, and later it is not.
    assert_eq!(keys(&issuers, &token, later(901)).await.expect("keys").from, "fetched");
    assert_eq!(asked(&server).await, (1, 2));
    assert_eq!(keys(&issuers, &token, later(4000)).await.expect("keys").from, "fetched");
    assert_eq!(asked(&server).await, (2, 3));
}

#[tokio::test]
async fn an_issuer_may_end_in_a_slash_and_have_a_path() {
    let key = p256();
    let server = MockServer::start().await;
    for name in [format!("{}/", server.uri()), format!("{}/realms/a", server.uri()), format!("{}/realms/b/", server.uri())] {
        let at = name.strip_prefix(&server.uri()).expect("below").trim_end_matches('/').to_owned();
        answer(&server, &format!("{at}{DISCOVERY}"), document(&name)).await;
        answer(&server, &format!("{at}/keys"), ResponseTemplate::new(200).set_body_string(jwks(&[key.named("k")]))).await;
        keys(&Issuers::new(&settings()), &token(&name, &key, "k"), NOW).await.expect(&name);
    }
}

#[tokio::test]
async fn an_unknown_key_is_looked_for_but_not_too_often() {
    let (old, new) = (p256(), p256());
    let server = issuer(&old).await;
    let issuers = Issuers::new(&settings());
    let (old_token, new_token) = (token(&server.uri(), &old, "k"), token(&server.uri(), &new, "l"));
    keys(&issuers, &old_token, NOW).await.expect("keys");
    server.reset().await;
    answer(&server, "/keys", ResponseTemplate::new(200).set_body_string(jwks(&[new.named("l"), old.named("k")]))).await;
    // Within ten seconds of the last fetch nothing is asked, however many tokens come.
    for _ in 0..5 {
        assert_eq!(keys(&issuers, &new_token, later(9)).await.expect("keys").from, "cached");
    }
    assert_eq!(asked(&server).await, (0, 0));
    let found = keys(&issuers, &new_token, later(10)).await.expect("keys");
    assert_eq!((found.from, asked(&server).await), ("fetched", (0, 1)));
    assert!(Unverified::parse(&new_token).expect("a token").verify(&found.keys).is_ok());
    assert_eq!(keys(&issuers, &old_token, later(10)).await.expect("keys").from, "cached");
    // Somebody who makes up key names costs the issuer one request in ten seconds.
    for second in 0..30 {
        let _ = keys(&issuers, &token(&server.uri(), &new, &format!("made-up-{second}")), later(11 + second)).await;
    }
    assert_eq!(asked(&server).await, (0, 1 + 3));
}

#[tokio::test]
async fn keys_outlive_an_outage_for_an_hour() {
    let key = p256();
    let server = issuer(&key).await;
    let issuers = Issuers::new(&settings());
    let token = token(&server.uri(), &key, "k");
    keys(&issuers, &token, NOW).await.expect("keys");
    server.reset().await;
    answer(&server, DISCOVERY, ResponseTemplate::new(503)).await;
    answer(&server, "/keys", ResponseTemplate::new(500)).await;
    assert_eq!(keys(&issuers, &token, later(1000)).await.expect("keys").from, "stale");
    // The failure is remembered for a moment, then tried again.
    assert_eq!(keys(&issuers, &token, later(1001)).await.expect("keys").from, "stale");
    assert_eq!(asked(&server).await, (0, 1));
    tokio::time::sleep(FAILURE).await;
    assert_eq!(keys(&issuers, &token, later(1005)).await.expect("keys").from, "stale");
    assert_eq!(asked(&server).await, (1, 1));
    assert_eq!(keys(&issuers, &token, later(900 + 3599)).await.expect("keys").from, "stale");
    let error = keys(&issuers, &token, later(900 + 3605)).await.expect_err("too old");
    assert_eq!((error.kind(), error.rule()), (Kind::Unavailable, Rule::IssuerUnavailable));
    server.reset().await;
    answer(&server, DISCOVERY, document(&server.uri())).await;
    answer(&server, "/keys", ResponseTemplate::new(200).set_body_string(jwks(&[key.named("k")]))).await;
    tokio::time::sleep(FAILURE).await;
    assert_eq!(keys(&issuers, &token, later(900 + 3700)).await.expect("keys").from, "fetched");
}

#[tokio::test]
async fn known_keys_serve_while_the_issuer_is_asked() {
    let (issuers, key) = (Issuers::new(&settings()), p256());
    let (server, token) = silent(&issuers, &key).await;
    // Ends when the time for a fetch is over.
    let asking = keys(&issuers, &token, later(1000));
    let mut others = Box::pin(join_all((0..10).map(|_| keys(&issuers, &token, later(1000)))));
    let Either::Right((others, asking)) = select(Box::pin(asking), &mut others).await else {
        panic!("who had to wait for the issuer was first")
    };
    assert!(others.into_iter().all(|found| found.is_ok_and(|found| found.from == "stale")));
    assert_eq!(asking.await.expect("keys").from, "stale");
    assert_eq!(asked(&server).await, (0, 1));
}

#[tokio::test]
async fn a_silent_issuer_holds_up_nobody_while_its_keys_may_be_used() {
    let slow = settings_with(|limits| {
        limits.fetch_timeout = Duration::from_secs(5);
        limits.stale_wait = Duration::from_millis(100);
    });
    let (issuers, key) = (Issuers::new(&slow), p256());
    let (server, token) = silent(&issuers, &key).await;
    for _ in 0..5 {
        assert_eq!(at_once(&issuers, &token, later(901)).await, Ok("stale"));
    }
    assert_eq!(at_once(&issuers, &token, later(900 + 3599)).await, Ok("stale"));
    assert_eq!(asked(&server).await, (0, 1));
    // Keys that are too old are no keys: this waits for the fetch, which fails.
    let error = keys(&issuers, &token, later(900 + 3600)).await.expect_err("too old");
    assert_eq!((error.kind(), error.rule()), (Kind::Unavailable, Rule::IssuerUnavailable));
}

#[tokio::test]
async fn a_fetch_goes_on_when_who_asked_has_gone() {
    let (issuers, key) = (Issuers::new(&settings()), p256());
    let (server, token) = silent(&issuers, &key).await;
    let gone = timeout(Duration::from_millis(100), keys(&issuers, &token, later(901))).await;
    assert!(gone.is_err(), "it waited");
    assert_eq!(at_once(&issuers, &token, later(901)).await, Ok("stale"));
    // Its failure is remembered although nobody has waited for it.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(at_once(&issuers, &token, later(901)).await, Ok("stale"));
    assert_eq!(asked(&server).await, (0, 1));

    // The first fetch of an issuer, which is slow and answers.
    let server = MockServer::start().await;
    answer(&server, DISCOVERY, document(&server.uri()).set_delay(Duration::from_millis(400))).await;
    answer(&server, "/keys", ResponseTemplate::new(200).set_body_string(jwks(&[key.named("k")]))).await;
    let token = self::token(&server.uri(), &key, "k");
    let gone = timeout(Duration::from_millis(100), keys(&issuers, &token, NOW)).await;
    assert!(gone.is_err(), "it waited");
    assert_eq!(keys(&issuers, &token, NOW).await.expect("keys").from, "cached");
    assert_eq!(asked(&server).await, (1, 1));
}

#[tokio::test]
async fn a_fetch_ends_with_the_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let issuers = Issuers::new(&settings_with(|limits| limits.fetch_timeout = Duration::from_mins(10)));
    let token = token(&url, &p256(), "k");
    let gone = timeout(Duration::from_millis(100), keys(&issuers, &token, NOW)).await;
    assert!(gone.is_err(), "it waited");
    let (mut stream, _) = listener.accept().await.expect("the issuer is asked");
    let mut request = [0; 4096];
    assert!(stream.read(&mut request).await.expect("a request") > 0);
    assert!(timeout(Duration::from_millis(100), stream.read(&mut request)).await.is_err(), "the fetch goes on");
    drop(issuers);
    let end = timeout(Duration::from_secs(30), stream.read(&mut request)).await.expect("the fetch ends");
    assert_eq!(end.unwrap_or_default(), 0);
}

#[tokio::test]
async fn keys_from_the_future_are_fetched_anew() {
    let key = p256();
    let server = issuer(&key).await;
    let (issuers, token) = (Issuers::new(&settings()), token(&server.uri(), &key, "k"));
    keys(&issuers, &token, NOW).await.expect("keys");
    // The clock was set back by an hour.
    assert_eq!(keys(&issuers, &token, later(-3600)).await.expect("keys").from, "fetched");
    assert_eq!(keys(&issuers, &token, later(-3590)).await.expect("keys").from, "cached");
    server.reset().await;
    answer(&server, DISCOVERY, ResponseTemplate::new(503)).await;
    let error = keys(&issuers, &token, later(-7200)).await.expect_err("nobody knows how old they are");
    assert_eq!(error.rule(), Rule::IssuerUnavailable);
}

#[tokio::test]
async fn failures_are_remembered_for_a_moment() {
    let server = MockServer::start().await;
    answer(&server, DISCOVERY, ResponseTemplate::new(500)).await;
    let issuers = Issuers::new(&settings());
    let token = token(&server.uri(), &p256(), "k");
    join_all((0..10).map(|_| keys(&issuers, &token, NOW))).await.into_iter().for_each(|found| drop(found.expect_err("down")));
    assert_eq!(asked(&server).await, (1, 0));
    tokio::time::sleep(FAILURE).await;
    keys(&issuers, &token, NOW).await.expect_err("still down");
    assert_eq!(asked(&server).await, (2, 0));
}

/// A fetch may take longer than its failure is remembered.
#[tokio::test]
async fn failures_are_remembered_from_their_end() {
    let server = MockServer::start().await;
    answer(&server, DISCOVERY, document(&server.uri()).set_delay(Duration::from_mins(1))).await;
    let slow = settings_with(|limits| limits.fetch_timeout = 2 * FAILURE);
    let (issuers, key) = (Issuers::new(&slow), p256());
    let token = token(&server.uri(), &key, "k");
    keys(&issuers, &token, NOW).await.expect_err("down");
    let after = NOW.plus_seconds(i64::try_from(2 * FAILURE.as_secs()).expect("seconds"));
    assert_eq!(at_once(&issuers, &token, after).await, Err(Rule::IssuerUnavailable));
    assert_eq!(asked(&server).await, (1, 0));
}

#[tokio::test]
async fn an_issuer_that_is_down_or_slow_is_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let nobody = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let (kind, rule, message) = refusal(&nobody).await;
    assert_eq!((kind, rule), (Kind::Unavailable, Rule::IssuerUnavailable));
    assert!(message.contains("cannot be connected to"), "{message}");

    let slow = MockServer::start().await;
    answer(&slow, DISCOVERY, document(&slow.uri()).set_delay(Duration::from_secs(5))).await;
    let began = Instant::now();
    let (kind, rule, message) = refusal(&slow.uri()).await;
    assert_eq!((kind, rule), (Kind::Unavailable, Rule::IssuerUnavailable));
    assert!(message.contains("did not answer in time") && began.elapsed() < Duration::from_secs(3), "{message}");
}

/// Answers every request with a head and then pieces of a body until the other side goes. Counts what it could send.
async fn endless(piece: &'static [u8], pause: Duration) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let sent = Arc::new(AtomicUsize::new(0));
    let count = sent.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let count = count.clone();
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 4096]).await;
                let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
                let mut next = head.as_bytes().to_vec();
                while stream.write_all(&next).await.is_ok() && count.load(Ordering::Relaxed) < 50 * 1024 * 1024 {
                    count.fetch_add(next.len(), Ordering::Relaxed);
                    next = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
                    tokio::time::sleep(pause).await;
                }
            });
        }
    });
    (url, sent)
}

#[tokio::test]
async fn a_body_of_50_mb_is_not_read() {
    const PIECE: &[u8] = &[b' '; 64 * 1024];
    let (url, sent) = endless(PIECE, Duration::ZERO).await;
    let (kind, rule, message) = refusal(&url).await;
    assert_eq!((kind, rule), (Kind::PermissionDenied, Rule::IssuerNotAllowed));
    assert!(message.contains("larger than 1048576 bytes"), "{message}");
    tokio::time::sleep(Duration::from_millis(200)).await;
    // What the kernel buffers comes on top of what was read.
    assert!(sent.load(Ordering::Relaxed) < 20 * 1024 * 1024, "{} bytes were taken", sent.load(Ordering::Relaxed));

    let server = MockServer::start().await;
    answer(&server, DISCOVERY, ResponseTemplate::new(200).set_body_bytes(vec![b' '; 2 * 1024 * 1024])).await;
    assert!(refusal(&server.uri()).await.2.contains("larger than"));
}

#[tokio::test]
async fn a_body_that_drips_ends_in_time() {
    let (url, _) = endless(b" ", Duration::from_millis(50)).await;
    let began = Instant::now();
    let (kind, _, message) = refusal(&url).await;
    assert_eq!(kind, Kind::Unavailable, "{message}");
    assert!(began.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn an_issuer_must_be_who_it_says() {
    let other = "https://other.example.com".to_owned();
    for (named, why) in [
        (json!({"issuer": other, "jwks_uri": "x"}), "names another issuer"),
        (json!({"jwks_uri": "x"}), "names no issuer"),
        (json!({"issuer": 7}), "names no issuer"),
        (json!([]), "not a JSON object"),
    ] {
        let server = MockServer::start().await;
        answer(&server, DISCOVERY, ResponseTemplate::new(200).set_body_json(&named)).await;
        let (kind, rule, message) = refusal(&server.uri()).await;
        assert_eq!((kind, rule), (Kind::PermissionDenied, Rule::IssuerNotAllowed), "{named}");
        assert!(message.contains(why), "{message}");
    }
    // Not even a final slash may differ.
    let server = MockServer::start().await;
    answer(&server, DISCOVERY, document(&format!("{}/", server.uri()))).await;
    assert!(refusal(&server.uri()).await.2.contains("names another issuer"));
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let target = issuer(&p256()).await;
    for status in [301, 302, 303, 307, 308] {
        let server = MockServer::start().await;
        let location = format!("{}{DISCOVERY}", target.uri());
        answer(&server, DISCOVERY, ResponseTemplate::new(status).insert_header("location", location.as_str())).await;
        let (_, rule, message) = refusal(&server.uri()).await;
        assert_eq!(rule, Rule::IssuerNotAllowed);
        assert!(message.contains("redirects"), "{message}");
    }
    assert_eq!(asked(&target).await, (0, 0));
}

#[tokio::test]
async fn the_place_of_the_keys_is_judged_like_the_issuer() {
    for jwks_uri in [
        "http://keys.example.com",
        "https://10.0.0.1/keys",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/keys",
        "https://127.0.0.1/keys?x",
        "file:///etc/passwd",
        "https://user@keys.example.com",
        "https://[::ffff:10.0.0.1]/keys",
        "/keys",
        "https://2130706433/",
        "https://0x7f.1/",
    ] {
        let server = MockServer::start().await;
        answer(
            &server,
            DISCOVERY,
            ResponseTemplate::new(200).set_body_json(json!({"issuer": server.uri(), "jwks_uri": jwks_uri})),
        )
        .await;
        let (_, rule, message) = refusal(&server.uri()).await;
        // Addresses that may not be asked are told of like those where nobody answers.
        let is_address =
            ["//[", "//10.", "//127.", "//169.", "//2130706433", "//0x7f"].iter().any(|host| jwks_uri.contains(host));
        let expected = if is_address { Rule::IssuerUnavailable } else { Rule::IssuerNotAllowed };
        assert_eq!(rule, expected, "{jwks_uri}: {message}");
    }
    let server = MockServer::start().await;
    answer(&server, DISCOVERY, document(&server.uri())).await;
    for (body, why) in [("{", "cannot be used"), ("{}", "cannot be used")] {
        answer(&server, "/keys", ResponseTemplate::new(200).set_body_string(body)).await;
        assert!(refusal(&server.uri()).await.2.contains(why));
    }
    let server = MockServer::start().await;
    answer(&server, DISCOVERY, document(&server.uri())).await;
    assert!(refusal(&server.uri()).await.2.contains("the issuer's key set answered 404"));
}

/// Says that every name has these addresses.
#[derive(Debug)]
struct Everywhere(Vec<IpAddr>, AtomicUsize);

impl Resolver for Everywhere {
    fn resolve(&self, _: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        let found = self.0.clone();
        Box::pin(async move { Ok(found) })
    }
}

/// No name has an address.
#[derive(Debug)]
struct Nowhere;

impl Resolver for Nowhere {
    fn resolve(&self, _: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async { Err(io::Error::new(io::ErrorKind::NotFound, "no such name")) })
    }
}

/// Nobody learns from the answer which names stand for something where the server is.
#[tokio::test]
async fn names_of_private_addresses_are_refused_like_names_that_do_not_exist() {
    let strict = Settings { allow_loopback_http: false, ..settings() };
    let nowhere = Issuers::with_resolver(&strict, Arc::new(Nowhere));
    let nowhere = keys(&nowhere, &token("https://issuer.example.com", &p256(), "k"), NOW).await.expect_err("refused");
    assert_eq!(nowhere.rule(), Rule::IssuerUnavailable, "{nowhere}");
    for address in ["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:192.168.0.1", "100.64.0.1", "0.0.0.0"] {
        let resolver = Arc::new(Everywhere(vec![address.parse().expect("an address")], AtomicUsize::new(0)));
        let issuers = Issuers::with_resolver(&strict, resolver.clone());
        let error = keys(&issuers, &token("https://issuer.example.com", &p256(), "k"), NOW).await.expect_err("refused");
        assert_eq!(
            (error.kind(), error.rule(), error.message()),
            (nowhere.kind(), nowhere.rule(), nowhere.message()),
            "{address}"
        );
        let probed = issuers.probe("https://issuer.example.com").await.expect_err("refused").to_string();
        assert!(probed.contains("its address is private or denied"), "operators are told: {probed}");
        assert_eq!(resolver.1.load(Ordering::Relaxed), 2);
    }
    for literal in [
        "https://10.0.0.1",
        "https://127.0.0.1",
        "https://[::1]",
        "https://[fd00::1]",
        "https://169.254.169.254",
        "https://[::ffff:127.0.0.1]",
    ] {
        let error = keys(&Issuers::new(&strict), &token(literal, &p256(), "k"), NOW).await.expect_err("refused");
        assert_eq!(error.message(), nowhere.message().replace("https://issuer.example.com", literal));
    }
    let error = keys(&Issuers::new(&strict), &token("http://127.0.0.1:1", &p256(), "k"), NOW).await.expect_err("refused");
    assert!(error.message().contains("must be an https URL"), "{error}");
}

#[tokio::test]
async fn only_allowed_addresses_of_a_name_are_used() {
    let key = p256();
    let server = MockServer::start().await;
    let name = format!("http://issuer.localhost:{}", server.address().port());
    answer(&server, DISCOVERY, document(&name)).await;
    answer(&server, "/keys", ResponseTemplate::new(200).set_body_string(jwks(&[key.named("k")]))).await;
    let found = vec!["10.255.255.1".parse().expect("an address"), IpAddr::V4(Ipv4Addr::LOCALHOST)];
    let issuers = Issuers::with_resolver(&settings(), Arc::new(Everywhere(found, AtomicUsize::new(0))));
    let began = Instant::now();
    keys(&issuers, &token(&name, &key, "k"), NOW).await.expect("keys");
    assert!(began.elapsed() < Duration::from_millis(400), "the private address was tried");
}

/// A pattern admits any number of issuers below one domain; slow ones must leave room for everybody else's.
#[tokio::test]
async fn slow_issuers_of_one_party_do_not_hold_up_the_others() {
    let key = p256();
    let (slow, quick) = (MockServer::start().await, issuer(&key).await);
    let delayed = ResponseTemplate::new(200).set_delay(Duration::from_secs(5));
    Mock::given(method("GET")).respond_with(delayed).mount(&slow).await;
    let settings = settings();
    let settings = Settings { limits: Limits { fetches: 8, ..settings.limits }, ..settings };
    let issuers = Issuers::new(&settings);
    let many: Vec<_> = (0..8).map(|i| token(&format!("{}/{i}", slow.uri()), &key, "k")).collect();
    let quick = token(&quick.uri().replace("127.0.0.1", "localhost"), &key, "k");
    let others = join_all(many.iter().map(|token| keys(&issuers, token, NOW)));
    let one = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let started = Instant::now();
        // The document names the address, so the issuer is refused: it was asked, which is what counts.
        let answer = keys(&issuers, &quick, NOW).await;
        (answer.map_err(|error| error.rule()).err(), started.elapsed())
    };
    let (others, (answer, waited)) = tokio::join!(others, one);
    assert!(others.iter().all(Result::is_err));
    assert_eq!(answer, Some(Rule::IssuerNotAllowed));
    assert!(waited < Duration::from_millis(400), "{waited:?}");
}

#[tokio::test]
async fn a_thousand_issuers_are_known_at_once() {
    let (key, server) = (p256(), MockServer::start().await);
    let (base, set) = (server.uri(), jwks(&[key.named("k")]));
    let answer = move |request: &wiremock::Request| match request.url.path().strip_suffix(DISCOVERY) {
        Some(issuer) => document(&format!("{base}{issuer}")),
        None => ResponseTemplate::new(200).set_body_string(set.clone()),
    };
    Mock::given(method("GET")).respond_with(answer).mount(&server).await;
    let issuers = Issuers::new(&settings());
    let tokens: Vec<_> = (0..1000).map(|i| token(&format!("{}/{i}", server.uri()), &key, "k")).collect();
    for (from, now) in [("fetched", NOW), ("cached", later(1)), ("cached", later(899))] {
        for token in &tokens {
            assert_eq!(keys(&issuers, token, now).await.expect("keys").from, from);
        }
    }
}
