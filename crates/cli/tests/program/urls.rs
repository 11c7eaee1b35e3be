//! The names under which a server is known, and who may say where a request came from.

use std::path::Path;

use client::http::{Http, Request};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Server, User};

fn claims(token: &str) -> Value {
    let payload = token.trim().split('.').nth(1).expect("a JWT");
    let claims = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, payload).expect("base64url");
    serde_json::from_slice(&claims).expect("JSON")
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port").port()
}

#[tokio::test]
async fn the_issuer_can_have_a_url_of_its_own() {
    let data = TempDir::new().expect("a folder");
    let port = free_port();
    let (api, auth) = (format!("http://127.0.0.1:{port}"), format!("http://localhost:{port}"));
    let further = ["--base-url", &api, "--auth-url", &auth, "--registry-host", "registry.example"];
    let server = Server::start_with(data.path(), &format!("127.0.0.1:{port}"), &further);
    let http = Http::new(&auth, None).expect("a client");
    let get = async |path: &str| http.send(Request::get(path)).await.expect("an answer").json();
    let discovery = get("/.well-known/openid-configuration").await;
    assert_eq!(
        (&discovery["issuer"], &discovery["jwks_uri"]),
        (&auth.as_str().into(), &format!("{auth}/.well-known/jwks.json").into())
    );

    // Without an audience of its own a claim match expects the issuer's URL or host name, and nothing else.
    let user = User::of(&server);
    let id_token = |audience: &str| user.done(&["dev", "id-token", "--subject", "admin", "--audience", audience]);
    let login = |audience: &str, further: &[&str]| {
        let token = id_token(audience);
        let line = ["auth", "login", "--issuer", &auth, "--identity", &server.identity, "--identity-token", token.trim()];
        user.run(&[&line[..], further].concat())
    };
    let refused = login(&api, &[]);
    assert_eq!(refused.code, 4, "{}", refused.stderr);
    assert!(refused.stderr.contains("invalid \"aud\""), "{}", refused.stderr);
    for audience in [auth.as_str(), "localhost"] {
        let ran = login(audience, &[]);
        assert_eq!(ran.code, 0, "{audience}: {}", ran.stderr);
    }
    let token = user.done(&["auth", "token"]);
    assert_eq!((&claims(&token)["iss"], &claims(&token)["aud"]), (&auth.as_str().into(), &api.as_str().into()));
    user.done(&["iam", "organizations", "list"]);

    // Tokens for the registry are for its host, and not for the API.
    let ran = login(&auth, &["--audience", "registry.example"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let registry = user.done(&["auth", "token", "--audience", "registry.example"]);
    assert_eq!(claims(&registry)["aud"], "registry.example");
    assert_eq!(User::with_token(&server, registry.trim()).run(&["iam", "organizations", "list"]).code, 3);

    // Operators' tokens keep the names when no server runs.
    drop(server);
    let operator = user.run_on(data.path(), &["admin", "token"]).stdout;
    assert_eq!((&claims(&operator)["iss"], &claims(&operator)["aud"]), (&auth.as_str().into(), &api.as_str().into()));
}

/// The client's address that the access log has for a request to `/livez` with these headers.
async fn logged(data: &Path, further: &[&str], headers: &[(&str, &str)]) -> String {
    let path = data.join("log");
    let mut command = Server::command(data, "127.0.0.1:0");
    command.args(further);
    let mut server = Server::logging(command, &path);
    let mut request = Request::get("/livez");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = Http::new(&server.url, None).expect("a client").send(request).await.expect("an answer");
    assert_eq!(answer.status, 200);
    server.signal("TERM");
    server.wait();
    let log = std::fs::read_to_string(path).expect("a log");
    let events = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut requests = events.filter(|event| event["path"] == "/livez");
    let peer = requests.next().and_then(|event| event.get("peer")?.as_str().map(str::to_owned));
    peer.expect("the request with its address")
}

#[tokio::test]
async fn only_trusted_proxies_say_where_a_request_came_from() {
    let data = TempDir::new().expect("a folder");
    let trusting = ["--trusted-proxies", "127.0.0.0/8,192.0.2.0/24"];
    let forged = [("x-forwarded-for", "198.51.100.7, 203.0.113.1, 192.0.2.1"), ("forwarded", "for=198.51.100.8")];
    assert_eq!(logged(data.path(), &[], &forged).await, "127.0.0.1", "nobody is trusted by default");
    assert_eq!(
        logged(data.path(), &trusting, &forged).await,
        "203.0.113.1",
        "what comes before an untrusted address is its word"
    );
    let forwarded = [&trusting[..], &["--forwarding-header", "forwarded"]].concat();
    assert_eq!(logged(data.path(), &forwarded, &forged).await, "198.51.100.8", "the other header is not read");
    assert_eq!(logged(data.path(), &["--trusted-proxies", "10.0.0.0/8"], &forged).await, "127.0.0.1");
}

#[test]
fn identity_providers_are_only_asked_where_the_operator_allows() {
    let data = TempDir::new().expect("a folder");
    let denying = Server::start_with(data.path(), "127.0.0.1:0", &["--outbound-deny", "127.0.0.0/8"]);
    let ran = User::of(&denying).login(&denying, "admin", None);
    assert_eq!(ran.code, 7, "{}", ran.stderr);
    assert!(ran.stderr.contains("cannot be connected to"), "callers do not learn why: {}", ran.stderr);
    drop(denying);
    let elsewhere = Server::start_with(data.path(), "127.0.0.1:0", &["--outbound-allow", "login.example,10.0.0.0/8"]);
    assert_eq!(User::of(&elsewhere).login(&elsewhere, "admin", None).code, 0, "dev mode always asks its own");
}
