//! What is remembered of rights and tokens spares, as the server counts it.

use contract::chainguard::platform::iam::v2beta1::{
    CreateGroupRequest, GetGroupRequest, Group,
    rpc::{CreateGroup, GetGroup},
};
use testkit::{Actor, TestServer, Transport};

/// How often something is tried that others may disturb: each server reads for itself as well, now and then.
const TRIES: usize = 5;

async fn count(server: &TestServer, name: &str, labels: &[(&str, &str)]) -> u64 {
    let value = server.metrics().await.sum(name, labels);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let count = value.round() as u64;
    count
}

async fn reads(server: &TestServer) -> u64 {
    count(server, "provost_store_read_wait_seconds_count", &[]).await
}

/// How many reads it takes to refuse what a viewer may not do. The refusal itself reads nothing.
async fn reads_of_a_decision(server: &TestServer, viewer: &Actor) -> u64 {
    let before = reads(server).await;
    let parent = server.organization().to_string();
    let request = CreateGroupRequest { parent, group: Some(Group { name: "new".into(), ..Group::default() }) };
    let answer = viewer.call::<CreateGroup>(Transport::Grpc, request).await;
    assert_eq!(answer.code, "PERMISSION_DENIED", "{:#}", answer.body);
    reads(server).await - before
}

async fn write_something(server: &TestServer, name: String) {
    let group = Some(Group { name, ..Group::default() });
    let parent = server.organization().to_string();
    server.admin().must::<CreateGroup>(CreateGroupRequest { parent, group }).await;
}

#[tokio::test]
async fn whoever_is_not_remembered_costs_one_read_whatever_was_written() {
    let server = TestServer::start().await;
    let mut least = u64::MAX;
    for attempt in 0..TRIES {
        let viewer = server.workload(server.organization(), &format!("viewer-{attempt}"), Some("viewer")).await;
        write_something(&server, format!("unrelated-{attempt}")).await;
        least = least.min(reads_of_a_decision(&server, &viewer).await);
    }
    assert_eq!(least, 1);
    server.stop().await;
}

#[tokio::test]
async fn a_token_is_verified_once() {
    let server = TestServer::start().await;
    let viewer = server.workload(server.organization(), "viewer", Some("viewer")).await;
    let lookups = async |outcome| count(&server, "provost_token_cache_lookups_total", &[("outcome", outcome)]).await;
    let before = (lookups("hit").await, lookups("miss").await);
    for _ in 0..4 {
        viewer.must::<GetGroup>(GetGroupRequest { uid: server.organization().to_string() }).await;
    }
    assert_eq!((lookups("hit").await, lookups("miss").await), (before.0 + 3, before.1 + 1));
    server.stop().await;
}
