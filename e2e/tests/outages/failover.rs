//! The primary's machine is lost, and a synchronous standby takes over.

use pgcluster::Options;

use crate::{aftermath, blocking, cluster, load::Load, server_at};

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_takes_over() {
    let Some(primary) = cluster(Options::default()).await else { return };
    let original = primary.clone();
    let standby = blocking(move || original.synchronous_standby()).await;
    let server = server_at(&primary, |database| pgcluster::url_of_all(&[&primary, &standby], database.name())).await;
    let load = Load::start(&server);
    load.progress().await;
    let lost = primary.clone();
    blocking(move || lost.kill()).await;
    load.not_ready().await;
    load.trouble().await;
    let successor = standby.clone();
    blocking(move || successor.promote()).await;
    load.ready().await;
    load.progress().await;
    let told = load.finish("failover", &["UNAVAILABLE", "ABORTED"]).await;
    aftermath::check("failover", &server, &told).await;
    server.stop().await;
}
