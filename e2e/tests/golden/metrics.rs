//! What `/metrics` tells, in values after known traffic and as the table in docs/operate/monitoring.md.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use client::http::{Http, Request};
use contract::chainguard::platform::iam::v2beta1::{
    CreateGroupRequest, GetGroupRequest, Group,
    rpc::{CreateGroup, GetGroup},
};
use testkit::{TestServer, Transport, golden, openmetrics::Family};

const GET: &str = "/chainguard.platform.iam.v2beta1.GroupsService/GetGroup";
const CREATE: &str = "/chainguard.platform.iam.v2beta1.GroupsService/CreateGroup";

/// A group, asked for over both transports, with and without a token and a right name; an exchange that fails.
async fn traffic(server: &TestServer) {
    let admin = server.admin();
    let uid = server.organization().to_string();
    for transport in [Transport::Grpc, Transport::Json] {
        admin.call::<GetGroup>(transport, GetGroupRequest { uid: uid.clone() }).await.ok::<Group>();
    }
    let group = Group { name: "made".into(), ..Group::default() };
    let create = CreateGroupRequest { parent: uid.clone(), group: Some(group) };
    admin.call::<CreateGroup>(Transport::Json, create.clone()).await.ok::<Group>();
    let nowhere = CreateGroupRequest { parent: server.organization().child([9; 8]).to_string(), ..create };
    for (caller, code) in [(admin, "NOT_FOUND"), (server.bearer("junk"), "UNAUTHENTICATED")] {
        assert_eq!(caller.call::<CreateGroup>(Transport::Json, nowhere.clone()).await.code, code);
    }
    server.exchange("junk", None).await.expect_err("no token of anybody");
    for path in ["/nothing/here", "/livez"] {
        server.nobody().http(Request::get(path)).await;
    }
}

#[tokio::test]
async fn known_traffic_gives_known_values() {
    let server = TestServer::start().await;
    let before = server.metrics().await;
    traffic(&server).await;
    let after = server.metrics().await;
    let grown = |name: &str, labels: &[(&str, &str)]| {
        let (old, new) = (before.sum(name, labels), after.sum(name, labels));
        assert!(new >= old, "{name} fell from {old} to {new}");
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
        let count = (new - old).round() as u64;
        count
    };
    let requests = |method, transport, code| {
        grown("provost_requests_total", &[("method", method), ("transport", transport), ("code", code)])
    };
    assert_eq!(requests(GET, "grpc", "OK"), 1);
    assert_eq!(requests(GET, "json", "OK"), 1);
    assert_eq!(requests(CREATE, "json", "UNAUTHENTICATED"), 1);
    assert_eq!(requests(CREATE, "json", "OK"), 1);
    assert_eq!(requests(CREATE, "json", "NOT_FOUND"), 1);
    assert_eq!(requests("other", "http", "NOT_FOUND"), 1);
    assert_eq!(requests("other", "http", "2xx"), 1, "/livez, and no scrape");
    assert_eq!(grown("provost_request_duration_seconds_count", &[("method", GET)]), 2);
    assert_eq!(grown("provost_exchanges_total", &[("outcome", "TOKEN_INVALID"), ("keys_from", "none")]), 1);
    assert_eq!(grown("provost_token_verifications_total", &[("outcome", "TOKEN_INVALID")]), 1);
    assert_eq!(grown("provost_token_verifications_total", &[("outcome", "OK")]), 4);
    assert_eq!(grown("provost_store_writes_total", &[("outcome", "refused")]), 1);
    assert!(grown("provost_store_writes_total", &[("outcome", "committed")]) >= 1);
    assert!(grown("provost_store_read_wait_seconds_count", &[]) >= 4);
    // Before that, the owner has logged in at the development identity provider.
    assert!((before.sum("provost_exchanges_total", &[("outcome", "OK"), ("keys_from", "fetched")]) - 1.0).abs() < 0.5);
    assert!((before.sum("provost_issuer_key_fetches_total", &[("outcome", "ok")]) - 1.0).abs() < 0.5);
    assert!(after.sum("provost_requests_under_way", &[]).abs() < 0.5);
    assert!(after.sum("provost_connections", &[]) >= 1.0);
    assert!(after.sum("provost_signing_keys", &[]) >= 1.0);
    assert!(after.sum("provost_store_database_bytes", &[]) > 10_000.0);
    assert!(after.sum("process_resident_memory_bytes", &[]) > 1_000_000.0);
}

#[tokio::test]
async fn metrics_are_told_at_their_own_door_alone() {
    let server = TestServer::start().await;
    let ask = async |url: &str, request: Request| Http::new(url, None).expect("a client").send(request).await.expect("an answer");
    assert_eq!(ask(server.base_url(), Request::get("/metrics")).await.status, 404);
    let url = server.metrics_url();
    for (path, status) in [("/livez", 200), ("/readyz", 200), ("/openapi.json", 404), ("/", 404), ("/iam/v2beta1/groups", 404)] {
        assert_eq!(ask(&url, Request::get(path)).await.status, status, "{path}");
    }
    let refused = ask(&url, Request::post("/metrics", &serde_json::json!({}))).await;
    assert_eq!((refused.status.as_u16(), refused.headers["allow"].to_str().ok()), (405, Some("GET, HEAD, OPTIONS")));
    assert_eq!(ask(&url, Request::new(http::Method::HEAD, "/metrics")).await.text(), "");
}

#[tokio::test]
async fn every_metric_is_documented() {
    const PATH: &str = "docs/operate/monitoring.md";
    let server = TestServer::start().await;
    traffic(&server).await;
    let told = server.metrics().await;
    let mut table = String::from("| metric | type | labels | meaning |\n|---|---|---|---|\n");
    for family in &told.families {
        let _ = writeln!(table, "{}", row(family));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(PATH);
    let page = fs::read_to_string(file).expect("the page");
    let (head, rest) = page.split_once("<!-- metrics: begin -->\n").expect("where the table begins");
    let (_, tail) = rest.split_once("<!-- metrics: end -->").expect("where the table ends");
    let page = format!("{head}<!-- metrics: begin -->\n{table}<!-- metrics: end -->{tail}");
    golden(PATH, &page);
    // What the page's queries ask for is told.
    let names: BTreeSet<_> = told.families.iter().flat_map(|family| &family.samples).map(|sample| sample.name.as_str()).collect();
    let words = page.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    for word in words.filter(|word| word.starts_with("provost_") || word.starts_with("process_")) {
        let known = names.contains(word) || told.families.iter().any(|family| family.name == word);
        assert!(known, "the page speaks of {word}, which the server does not tell");
    }
}

fn row(family: &Family) -> String {
    let labels: BTreeSet<_> =
        family.samples.iter().flat_map(|sample| sample.labels.keys()).filter(|label| *label != "le").collect();
    let labels: Vec<_> = labels.into_iter().map(|label| format!("`{label}`")).collect();
    let name = match family.kind.as_str() {
        "counter" => format!("{}_total", family.name),
        "info" => format!("{}_info", family.name),
        _ => family.name.clone(),
    };
    format!("| `{name}` | {} | {} | {} |", family.kind, labels.join(", "), family.help)
}
