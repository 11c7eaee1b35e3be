//! Who starts servers for the measurements.

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::Arc,
};

use async_trait::async_trait;
use domain::{Clock, Ctx, Entropy, Timestamp, Uidp};
use store::{BoxFuture, Database, Store};
use sts::Exchange;

use crate::Result;

/// What the measurements need from the program that makes them.
#[async_trait]
pub trait Host: Send + Sync {
    /// Starts a server in dev mode in this process, on a loopback port of its own, with its data in `folder`,
    /// and what belongs into a database in `database`.
    ///
    /// # Errors
    /// Why it does not start.
    async fn start(&self, folder: &Path, database: &Database) -> Result<Server>;

    /// The program itself, which is started as a server of its own with `serve`.
    fn program(&self) -> &Path;

    /// A token of the owner of the organization that the server in dev mode at `url` begins with.
    ///
    /// # Errors
    /// Why there is none.
    async fn owner(&self, url: &str) -> Result<String>;

    /// Opens the store in `folder` alone, without a server.
    ///
    /// # Errors
    /// Why it cannot be opened.
    async fn open(&self, folder: &Path) -> Result<Store>;

    /// Starts a process that must not outlive this one, however that ends and from the first moment on.
    ///
    /// # Errors
    /// Why it does not start.
    fn spawn(&self, command: &mut Command) -> io::Result<Child>;

    /// Asks such a process to end.
    fn terminate(&self, process: u32);

    /// Such a process has ended and was waited for.
    fn ended(&self, process: u32);

    /// What time it is.
    fn now(&self) -> Timestamp;

    /// `done` of `total` steps are done; the next one is about `what`.
    fn progress(&self, done: usize, total: usize, what: &str);
}

/// A server in this process.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its data folder.
    pub folder: PathBuf,
    /// The URL under which clients reach it.
    pub base_url: String,
    /// The organization that it begins with.
    pub organization: Uidp,
    /// A token of that organization's owner.
    pub owner: String,
    /// A token of an operator.
    pub operator: String,
    /// What it stores.
    pub store: Store,
    /// An exchange made of the same parts as its own.
    pub exchange: Exchange,
    /// Its clock.
    pub clock: Arc<dyn Clock>,
    /// Its randomness.
    pub entropy: Arc<dyn Entropy>,
    /// Stops it.
    pub stop: BoxFuture<'static, ()>,
}

impl Server {
    /// The context of something that the server does by itself.
    pub(crate) fn ctx(&self, task: &'static str) -> Ctx {
        Ctx::system(task, self.clock.now(), Arc::clone(&self.entropy))
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}
