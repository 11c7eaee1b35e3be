//! PostgreSQL is stopped and started, restarted, and crashes.

use pgcluster::{Options, Shutdown};

use crate::{aftermath, blocking, cluster, load::Load, server_at};

#[tokio::test(flavor = "multi_thread")]
async fn stopped_for_a_while() {
    let Some(cluster) = cluster(Options::default()).await else { return };
    let server = server_at(&cluster, pgcluster::Database::url).await;
    let load = Load::start(&server);
    load.progress().await;
    load.ready().await;
    let down = cluster.clone();
    blocking(move || down.stop(Shutdown::Fast)).await;
    load.not_ready().await;
    load.trouble().await;
    blocking(move || cluster.start_again()).await;
    load.ready().await;
    load.progress().await;
    let told = load.finish("stopped for a while", &["UNAVAILABLE", "ABORTED"]).await;
    aftermath::check("stopped for a while", &server, &told).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn restarted_again_and_again() {
    let Some(cluster) = cluster(Options::default()).await else { return };
    let server = server_at(&cluster, pgcluster::Database::url).await;
    let load = Load::start(&server);
    for how in [Shutdown::Fast, Shutdown::Immediate, Shutdown::Fast, Shutdown::Immediate] {
        load.progress().await;
        let again = cluster.clone();
        blocking(move || again.restart(how)).await;
    }
    load.ready().await;
    load.progress().await;
    let told = load.finish("restarted", &["UNAVAILABLE", "ABORTED"]).await;
    aftermath::check("restarted", &server, &told).await;
    server.stop().await;
}

/// With every commit on the disk, as in production.
#[tokio::test(flavor = "multi_thread")]
async fn killed() {
    let Some(cluster) = cluster(Options::default().durable()).await else { return };
    let server = server_at(&cluster, pgcluster::Database::url).await;
    let load = Load::start(&server);
    load.progress().await;
    let down = cluster.clone();
    blocking(move || down.kill()).await;
    load.not_ready().await;
    blocking(move || cluster.start_again()).await;
    load.ready().await;
    load.progress().await;
    let told = load.finish("killed", &["UNAVAILABLE", "ABORTED"]).await;
    aftermath::check("killed", &server, &told).await;
    server.stop().await;
}
