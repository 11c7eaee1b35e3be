//! Somebody holds the write lock and does not let go: writes wait, reads go on, and no node is taken for dead.

use std::time::{Duration, Instant};

use client::http::Request;
use contract::chainguard::platform::{
    iam::v2beta1::{
        GetGroupRequest,
        rpc::{CreateGroup, GetGroup},
    },
    oidc::{
        ExchangeRefreshTokenRequest, ExchangeRequest, RawToken,
        rpc::{Exchange, ExchangeRefreshToken},
    },
};
use testkit::{TestServer, Transport};

use crate::{Nodes, folder};

/// How long the test waits for what must happen some time.
const PATIENCE: Duration = Duration::from_mins(1);
/// Longer than the test takes.
const HOLD: &str = "BEGIN; SELECT n FROM revision FOR UPDATE; SELECT pg_sleep(300)";
const HOLDER: &str = "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";

/// Waits until the node says that of itself. It is ready all the time.
async fn says(node: &TestServer, status: &str) -> serde_json::Value {
    let begin = Instant::now();
    loop {
        let answer = node.nobody().http(Request::get("/readyz")).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let told = answer.json();
        if told["status"] == status {
            return told;
        }
        assert!(begin.elapsed() < PATIENCE, "the node does not say that it is {status}: {told}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn stalled(node: &TestServer) -> f64 {
    node.metrics().await.sum("provost_store_writes_stalled_seconds", &[])
}

/// The owner logs in.
async fn login(node: &TestServer, nodes: &Nodes) -> RawToken {
    let upstream = nodes.one.mint("admin", nodes.one.base_url(), serde_json::json!({})).await;
    node.bearer(&upstream).must::<Exchange>(ExchangeRequest::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_whose_writes_wait_are_ready_and_say_so() {
    let Some(cluster) = pgcluster::shared() else { return };
    let database = cluster.database();
    let nodes = Nodes::on(database.clone()).await;
    let org = nodes.one.organization().to_string();
    let session = login(&nodes.one, &nodes).await.refresh_token;
    let sql = async |statement: String| {
        let database = database.clone();
        tokio::task::spawn_blocking(move || database.sql(&statement)).await.expect("it answers")
    };
    let held = database.clone();
    let holder = std::thread::spawn(move || held.cluster().try_sql(held.name(), HOLD));
    let begin = Instant::now();
    while sql(format!("SELECT count(*) {HOLDER}")).await != "1" {
        assert!(begin.elapsed() < PATIENCE, "nobody takes the lock");
    }

    for node in [&nodes.one, &nodes.other] {
        let (admin, request) = (node.admin(), folder(&org, "late"));
        let write = tokio::spawn(async move { admin.call::<CreateGroup>(Transport::Grpc, request).await });
        let told = says(node, "degraded").await;
        assert_eq!(told["checks"], serde_json::json!(["store", "signing_key", "rights"]), "{told}");
        let why = told["degraded"][0].as_str().unwrap_or_default();
        assert!(why.starts_with("store: writes have been waiting for "), "{told}");
        assert_eq!(write.await.expect("an answer").code, "UNAVAILABLE", "a write does not wait for ever");
        node.admin().must::<GetGroup>(GetGroupRequest { uid: org.clone() }).await;
        let login = login(node, &nodes).await;
        assert_eq!((login.token.is_empty(), login.refresh_token.as_str()), (false, ""), "who logs in works, without a session");
        let renewal = ExchangeRefreshTokenRequest::default();
        let refused = node.bearer(&session).call::<ExchangeRefreshToken>(Transport::Grpc, renewal).await;
        assert_eq!(refused.code, "UNAVAILABLE", "{:#}", refused.body);
        assert!(node.metrics().await.sum("provost_sessions_not_started_total", &[]) > 0.0);
        // Also while nobody wants to write.
        says(node, "degraded").await;
        assert!(stalled(node).await > 1.0);
    }

    sql(format!("SELECT pg_terminate_backend(pid) {HOLDER}")).await;
    holder.join().expect("has ended").expect_err("was ended");
    for node in [&nodes.one, &nodes.other] {
        says(node, "ready").await;
        assert!(stalled(node).await.abs() < f64::EPSILON);
        node.admin().must::<CreateGroup>(folder(&org, "in time")).await;
        node.bearer(&session).must::<ExchangeRefreshToken>(ExchangeRefreshTokenRequest::default()).await;
    }
    nodes.stop().await;
}
