//! The line to PostgreSQL is slow, silent, or cut.

use std::time::Duration;

use pgcluster::Options;
use testkit::{Line, Proxy};

use crate::{aftermath, cluster, load::Load, server_at};

/// What may come when answers take long: readers may wait in vain for a connection.
const LATE: &[&str] = &["UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED"];

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
