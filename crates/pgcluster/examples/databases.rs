//! Databases for tests that are not written in Rust: for every line of its input it prints the URL of a new one. The cluster
//! goes when the input ends.

use std::io;

fn main() {
    let Some(cluster) = pgcluster::shared() else { return };
    let mut databases = Vec::new();
    for _ in io::stdin().lines().map_while(Result::ok) {
        let database = cluster.database();
        println!("{}", database.url());
        databases.push(database);
    }
}
