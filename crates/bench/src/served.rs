//! Servers in this process.

use std::{
    fs::File,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use client::{
    Client, Token,
    http::{Http, Request},
};
use contract::chainguard::platform::oidc::{ExchangeRequest, rpc::Exchange as ExchangeCall};
use domain::{Clock, Ctx, Entropy, Timestamp, Uidp};
use serde_json::json;
use server::{Settings, SystemClock, SystemEntropy, assemble, logging};
use store::{BoxFuture, Database, Store, StoreConfig};
use sts::{Exchange, jws::TokenAlgorithm};

use crate::{Error, Result};

/// A server in this process.
pub(crate) struct Server {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// Its data folder.
    pub(crate) folder: PathBuf,
    /// The URL under which clients reach it.
    pub(crate) base_url: String,
    /// The organization that it begins with.
    pub(crate) organization: Uidp,
    /// A token of that organization's owner.
    pub(crate) owner: String,
    /// A token of an operator.
    pub(crate) operator: String,
    /// What it stores.
    pub(crate) store: Store,
    /// An exchange made of the same parts as its own.
    pub(crate) exchange: Exchange,
    /// Its clock.
    pub(crate) clock: Arc<dyn Clock>,
    /// Its randomness.
    pub(crate) entropy: Arc<dyn Entropy>,
    /// Stops it.
    pub(crate) stop: BoxFuture<'static, ()>,
}

impl Server {
    /// Starts one in dev mode, on a loopback port of its own, with its data in `folder`, and what belongs into a database in
    /// `database`, whose tokens are signed with `algorithm`.
    pub(crate) async fn start(folder: &Path, database: &Database, algorithm: TokenAlgorithm) -> Result<Self> {
        let (clock, entropy) = machine();
        let mut settings = Settings::dev(([127, 0, 0, 1], 0).into(), folder);
        settings.database = database.clone();
        settings.key_file = Some(settings.key_path());
        settings.token_algorithm = Some(algorithm);
        let running = assemble(settings, Arc::clone(&clock), Arc::clone(&entropy)).await.map_err(told)?;
        let dev = running.dev.as_ref().ok_or_else(|| Error::new("a server in dev mode knows nobody"))?;
        let operator = running.operators.token(Duration::from_hours(1), "bench").await?;
        Ok(Self {
            address: running.addr,
            folder: folder.to_owned(),
            base_url: running.base_url.clone(),
            organization: dev.organization.clone(),
            owner: owner(&running.base_url).await?,
            operator: operator.expose().clone(),
            store: running.store().clone(),
            exchange: running.exchange(),
            clock,
            entropy,
            stop: Box::pin(running.stop()),
        })
    }

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

/// Lets servers log what they always log, to nobody: what a line costs belongs to what a request costs. Once in a process.
pub(crate) fn log_to_nobody() -> Result<()> {
    let nobody = File::options().write(true).open("/dev/null")?;
    logging::start_on(&Settings::default().log, logging::Lines::to(nobody)?, false).map_err(told)
}

/// A token of the owner of the organization that the server in dev mode at `url` begins with.
pub(crate) async fn owner(url: &str) -> Result<String> {
    let wish = json!({"sub": "admin", "aud": url});
    let minted = Http::new(url, None).map_err(told)?.send(Request::post("/dev/idp/mint", &wish)).await.map_err(told)?;
    let token = minted.json().get("token").and_then(|token| token.as_str().map(Token::new));
    let client = Client::connect(url, token).await.map_err(told)?;
    Ok(client.call::<ExchangeCall>(ExchangeRequest::default()).await.map_err(told)?.token)
}

/// Opens the store in `folder` alone, without a server.
pub(crate) async fn store(folder: &Path) -> Result<Store> {
    let (clock, entropy) = machine();
    Ok(Store::open(&StoreConfig::sqlite(folder), clock, entropy).await?)
}

/// What time it is.
pub(crate) fn now() -> Timestamp {
    SystemClock.now()
}

/// The clock and the random generator of this machine.
fn machine() -> (Arc<dyn Clock>, Arc<dyn Entropy>) {
    (Arc::new(SystemClock), Arc::new(SystemEntropy::default()))
}

fn told(error: impl std::fmt::Display) -> Error {
    Error::new(error.to_string())
}
