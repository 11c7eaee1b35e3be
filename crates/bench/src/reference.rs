//! What ours is measured against: the least that the same work can cost when nobody asks for anything more.

pub(crate) mod commit;
pub(crate) mod crypto;
pub(crate) mod grpc;
pub(crate) mod http;
pub(crate) mod pgbench;
pub(crate) mod provider;
pub(crate) mod rows;
pub(crate) mod statements;

use std::net::SocketAddr;

use tokio::task::JoinHandle;

/// A server on a loopback port. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.task.abort();
    }
}
