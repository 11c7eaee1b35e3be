//! Others hold every connection that PostgreSQL has.

use pgcluster::Options;

use crate::{aftermath, blocking, cluster, load::Load, server_at};

#[tokio::test(flavor = "multi_thread")]
async fn out_of_connections() {
    let Some(cluster) = cluster(Options::default().set("max_connections", 36).set("superuser_reserved_connections", 9)).await
    else {
        return;
    };
    let server = server_at(&cluster, pgcluster::Database::url).await;
    let load = Load::start(&server);
    load.progress().await;
    let full = cluster.clone();
    let crowd = blocking(move || {
        let crowd = full.crowd();
        // What the server holds is cut, and who comes first takes it: the crowd in the end.
        while full.disconnect_all() > 0 {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        crowd
    })
    .await;
    load.not_ready().await;
    load.trouble().await;
    blocking(move || drop(crowd)).await;
    load.ready().await;
    load.progress().await;
    let told = load.finish("out of connections", &["UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED"]).await;
    aftermath::check("out of connections", &server, &told).await;
    server.stop().await;
}
