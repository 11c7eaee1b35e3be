//! Throw-away PostgreSQL servers for tests.
//!
//! A [`Cluster`] is a data folder of its own, made by `initdb` below the folder for temporary files, and the server that
//! serves it on a loopback port. [`shared()`] gives the one that all tests of a process use; a test that stops or overloads
//! its server starts one with [`Cluster::start`].
//!
//! Nothing is left behind, however the test process ends, `kill -9` included: a small program of its own, the keeper,
//! waits for the end of a pipe that the test process holds, ends every process that works in the folder, and removes it.
//!
//! Where there is no PostgreSQL of at least version 15, nothing starts and standard error says so. With
//! `PROVOST_TEST_REQUIRE` in the environment that is a panic instead.
//!
//! ```no_run
//! let Some(cluster) = pgcluster::shared() else { return };
//! let database = cluster.database();
//! println!("{}", database.url());
//! ```

mod cluster;
mod crowd;
mod database;
mod disk;
mod folder;
mod options;
mod pooler;
mod programs;
mod random;
mod standby;

use std::sync::OnceLock;

pub use cluster::{Cluster, Shutdown};
pub use crowd::Crowd;
pub use database::Database;
pub use disk::FailingDisk;
pub use options::Options;
pub use pooler::Pooler;
pub use standby::url_of_all;

/// The server that all tests of this process share. `None` where there is no PostgreSQL.
///
/// Panics when there is none although `PROVOST_TEST_REQUIRE` is set, or when it does not start.
pub fn shared() -> Option<&'static Cluster> {
    static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
    SHARED.get_or_init(|| Cluster::start(&Options::default().set("max_connections", 400))).as_ref()
}
