//! PostgreSQL takes no writes for a while.

use pgcluster::Options;

use crate::{aftermath, blocking, cluster, load::Load, server_at};

#[tokio::test(flavor = "multi_thread")]
async fn read_only_for_a_while() {
    let Some(cluster) = cluster(Options::default()).await else { return };
    let server = server_at(&cluster, pgcluster::Database::url).await;
    let load = Load::start(&server);
    load.progress().await;
    let locked = cluster.clone();
    blocking(move || locked.set("default_transaction_read_only", "on")).await;
    load.not_ready().await;
    load.trouble().await;
    blocking(move || cluster.set("default_transaction_read_only", "off")).await;
    load.ready().await;
    load.progress().await;
    let told = load.finish("read-only", &["UNAVAILABLE", "ABORTED"]).await;
    aftermath::check("read-only", &server, &told).await;
    server.stop().await;
}
