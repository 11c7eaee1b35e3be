//! The line to PostgreSQL is slow, silent, or cut.

use std::time::{Duration, Instant};

use contract::chainguard::platform::iam::v2beta1::{CreateGroupRequest, Group, rpc::CreateGroup};
use pgcluster::Options;
use testkit::{Line, Proxy, Transport};

use crate::{aftermath, cluster, load::Load, server_at};

/// What may come when answers take long: readers may wait in vain for a connection.
const LATE: &[&str] = &["UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED"];

/// How long one node may hold up the writes of all.
const LOCKED: Duration = Duration::from_secs(30);

async fn line_that_is(line: Line, story: &str, allowed: &[&str]) {
    let Some(cluster) = cluster(Options::default()).await else { return };
    let proxy = Proxy::start(cluster.address()).await;
    let server = server_at(&cluster, |database| cluster.url_at(proxy.address(), database.name())).await;
    let load = Load::start(&server);
    load.progress().await;
    proxy.set(line);
    load.not_ready().await;
    load.trouble().await;
    proxy.set(Line::Good);
    load.ready().await;
    load.progress().await;
    let told = load.finish(story, allowed).await;
    aftermath::check(story, &server, &told).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow() {
    line_that_is(Line::Slow(Duration::from_secs(2)), "2 s per exchange", LATE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silent() {
    line_that_is(Line::Silent, "silent", LATE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cut() {
    line_that_is(Line::Cut, "cut", &["UNAVAILABLE", "ABORTED"]).await;
}

/// A node that is cut off in the middle of a write holds the write lock of all nodes: for so long and no longer.
#[tokio::test(flavor = "multi_thread")]
async fn silent_for_one_of_two_nodes() {
    let Some(cluster) = cluster(Options::default()).await else { return };
    let proxy = Proxy::start(cluster.address()).await;
    let mut direct = String::new();
    let server = server_at(&cluster, |database| {
        direct = database.url();
        cluster.url_at(proxy.address(), database.name())
    })
    .await;
    let other = server.second_node_at(direct).await;
    let load = Load::start(&server);
    load.progress().await;
    proxy.set(Line::Silent);
    load.not_ready().await;
    let (begin, mut errors) = (Instant::now(), 0);
    loop {
        let group = Some(Group { name: "elsewhere".into(), ..Group::default() });
        // An organization of its own: the clients' one is compared with what they asked for.
        let request = CreateGroupRequest { parent: String::new(), group };
        let answer = other.admin().call::<CreateGroup>(Transport::Grpc, request).await;
        if answer.code == "OK" {
            break;
        }
        assert_eq!(answer.code, "UNAVAILABLE", "{:#}", answer.body);
        errors += 1;
        assert!(begin.elapsed() < LOCKED, "the other node does not get the lock");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    println!("one of two nodes silent: the other one wrote after {:?} and {errors} errors", begin.elapsed());
    proxy.set(Line::Good);
    load.ready().await;
    load.progress().await;
    let story = "one of two nodes silent";
    let told = load.finish(story, LATE).await;
    aftermath::check(story, &other, &told).await;
    other.stop().await;
    server.stop().await;
}
