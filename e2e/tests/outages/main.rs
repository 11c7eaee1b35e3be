//! What clients see while PostgreSQL fails, in every way that can be arranged, and what is there afterwards.
//!
//! In each story 32 clients write without a pause. Errors may be UNAVAILABLE or ABORTED, and say so within the time limit of
//! a request; `/readyz` tells the truth and `/livez` stays well; every acknowledged write is there afterwards, once, and
//! nothing is there by half. The server itself is never restarted.

mod aftermath;
mod crowded;
mod cut_off;
mod disk;
mod failover;
mod line;
mod load;
mod read_only;
mod stopped;

use pgcluster::{Cluster, Options};
use testkit::{Setup, TestServer};

/// A server on a database of this cluster, reached by this URL.
pub(crate) async fn server_at(cluster: &Cluster, url: impl FnOnce(&pgcluster::Database) -> String) -> TestServer {
    let database = cluster.database();
    let url = url(&database);
    TestServer::start_with(Setup { database: Some(database), url: Some(url), ..Setup::default() }).await
}

/// A cluster for one test. `None` where there is no PostgreSQL, after saying so.
pub(crate) async fn cluster(options: Options) -> Option<Cluster> {
    blocking(move || Cluster::start(&options)).await
}

/// Does what takes long without holding up the clients.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("it succeeds")
}
