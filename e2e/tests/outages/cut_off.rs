//! A node that cannot confirm what is true refuses, whatever it remembers, and serves again when it can.

use std::time::{Duration, Instant};

use contract::chainguard::platform::iam::v2beta1::{
    CreateGroupRequest, DeleteRoleBindingRequest, GetGroupRequest, Group, ListRoleBindingsRequest, RoleBinding,
    rpc::{CreateGroup, DeleteRoleBinding, GetGroup, ListRoleBindings},
};
use pgcluster::Options;
use testkit::{Actor, Line, Proxy, TestServer, Transport};

use crate::{cluster, server_at};

/// The node takes ten seconds at most, and the machine may have much to do.
const PATIENCE: Duration = Duration::from_secs(20);

fn at(node: &TestServer, actor: &Actor) -> Actor {
    let token = actor.token.as_ref().expect("an actor with a token");
    Actor { identity: actor.identity.clone(), ..node.bearer(token.expose()) }
}

async fn reads(actor: &Actor, org: &str) -> String {
    actor.call::<GetGroup>(Transport::Grpc, GetGroupRequest { uid: org.to_owned() }).await.code
}

/// What a viewer may not do is refused without asking the store, once it is known what a viewer may do.
async fn writes(actor: &Actor, org: &str) -> (String, String) {
    let request = CreateGroupRequest { parent: org.to_owned(), group: Some(Group { name: "new".into(), ..Group::default() }) };
    let answer = actor.call::<CreateGroup>(Transport::Grpc, request).await;
    (answer.code, answer.body["message"].as_str().unwrap_or_default().to_owned())
}

async fn node_whose_line_is(line: Line) {
    let Some(cluster) = cluster(Options::default()).await else { return };
    let proxy = Proxy::start(cluster.address()).await;
    let mut through = String::new();
    let server = server_at(&cluster, |database| {
        through = cluster.url_at(proxy.address(), database.name());
        database.url()
    })
    .await;
    let other = server.second_node_at(through).await;
    let org = server.organization().to_string();
    let viewer = server.workload(server.organization(), "viewer", Some("viewer")).await;
    let there = at(&other, &viewer);
    assert_eq!(reads(&there, &org).await, "OK");
    assert_eq!(writes(&there, &org).await.0, "PERMISSION_DENIED");

    proxy.set(line);
    let binding = binding_of(&server, &viewer).await;
    server.admin().must::<DeleteRoleBinding>(DeleteRoleBindingRequest { uid: binding.uid }).await;
    for _ in 0..2 {
        let begin = Instant::now();
        let ((code, message), read) = tokio::join!(writes(&there, &org), reads(&there, &org));
        assert_eq!([code.as_str(), read.as_str()], ["UNAVAILABLE"; 2], "{message}");
        assert!(message.contains("cannot check permissions"), "{message}");
        assert!(begin.elapsed() < PATIENCE, "refused in time");
    }
    assert_eq!(reads(&viewer, &org).await, "PERMISSION_DENIED", "the other node knows");

    proxy.set(Line::Good);
    let begin = Instant::now();
    loop {
        match reads(&there, &org).await.as_str() {
            "PERMISSION_DENIED" => break,
            "UNAVAILABLE" => assert!(begin.elapsed() < PATIENCE, "the node does not come back"),
            other => panic!("{other} on what is old"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    other.stop().await;
    server.stop().await;
}

async fn binding_of(server: &TestServer, actor: &Actor) -> RoleBinding {
    let request = ListRoleBindingsRequest { identity: actor.uid().to_string(), ..ListRoleBindingsRequest::default() };
    let listed = server.admin().must::<ListRoleBindings>(request).await;
    listed.role_bindings.into_iter().next().expect("its binding")
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_off() {
    node_whose_line_is(Line::Cut).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn left_without_an_answer() {
    node_whose_line_is(Line::Silent).await;
}
