//! Databases for what is not written in Rust: for every line of its input it prints the URL of a new one. The cluster goes
//! when the input ends. With the argument `durable` it waits for the disk, as in production.

use std::io;

use pgcluster::{Cluster, Options};

fn main() {
    let durable = std::env::args().any(|argument| argument == "durable");
    let own = durable.then(|| Cluster::start(&Options::default().durable().set("shared_buffers", "128MB")));
    let Some(cluster) = own.unwrap_or_else(|| pgcluster::shared().cloned()) else { return };
    let mut databases = Vec::new();
    for _ in io::stdin().lines().map_while(Result::ok) {
        let database = cluster.database();
        println!("{}", database.url());
        databases.push(database);
    }
}
