//! This program as the host of its own measurements.

use std::{
    env,
    fs::File,
    io,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use bench::{Error, Host, Server};
use client::{
    Client, Token,
    http::{Http, Request},
};
use contract::chainguard::platform::oidc::{ExchangeRequest, rpc::Exchange};
use domain::{Clock, Entropy, Timestamp};
use serde_json::json;
use server::{Settings, assemble, logging};
use store::{Database, Store, StoreConfig};

use crate::{clock::SystemClock, entropy::SystemEntropy, exit::Failure, interrupt, progress::Progress};

/// The running program.
pub(super) struct Program {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    progress: Progress,
}

impl Program {
    /// Gets ready to start servers, in this process and as others.
    ///
    /// # Errors
    /// When the program cannot find itself.
    pub(super) fn new() -> Result<Self, Failure> {
        // Servers log what they always log, to nobody: what a line costs belongs to what a request costs.
        let nobody = File::options().write(true).open("/dev/null")?;
        logging::start_on(&Settings::default().log, logging::Lines::to(nobody)?, false)?;
        Ok(Self {
            path: env::current_exe()?,
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy::default()),
            progress: Progress::of("getting ready"),
        })
    }

    /// Its randomness.
    pub(super) fn entropy(&self) -> &Arc<dyn Entropy> {
        &self.entropy
    }
}

#[async_trait]
impl Host for Program {
    async fn start(&self, folder: &Path, database: &Database) -> bench::Result<Server> {
        let mut settings = Settings::dev(([127, 0, 0, 1], 0).into(), folder);
        settings.database = database.clone();
        settings.key_file = Some(settings.key_path());
        let running = assemble(settings, Arc::clone(&self.clock), Arc::clone(&self.entropy)).await.map_err(told)?;
        let dev = running.dev.as_ref().ok_or_else(|| Error::new("a server in dev mode knows nobody"))?;
        let operator = running.operators.token(Duration::from_hours(1), "bench").await?;
        Ok(Server {
            address: running.addr,
            folder: folder.to_owned(),
            base_url: running.base_url.clone(),
            organization: dev.organization.clone(),
            owner: self.owner(&running.base_url).await?,
            operator: operator.expose().clone(),
            store: running.store().clone(),
            exchange: running.exchange(),
            clock: Arc::clone(&self.clock),
            entropy: Arc::clone(&self.entropy),
            stop: Box::pin(running.stop()),
        })
    }

    fn program(&self) -> &Path {
        &self.path
    }

    async fn owner(&self, url: &str) -> bench::Result<String> {
        let wish = json!({"sub": "admin", "aud": url});
        let minted = Http::new(url, None).map_err(told)?.send(Request::post("/dev/idp/mint", &wish)).await.map_err(told)?;
        let token = minted.json().get("token").and_then(|token| token.as_str().map(Token::new));
        let client = Client::connect(url, token).await.map_err(told)?;
        Ok(client.call::<Exchange>(ExchangeRequest::default()).await.map_err(told)?.token)
    }

    async fn open(&self, folder: &Path) -> bench::Result<Store> {
        Ok(Store::open(&StoreConfig::sqlite(folder), Arc::clone(&self.clock), Arc::clone(&self.entropy)).await?)
    }

    fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let _none_left_behind = interrupt::whole();
        let child = command.spawn()?;
        interrupt::take_along(child.id());
        Ok(child)
    }

    fn terminate(&self, process: u32) {
        interrupt::terminate(process);
    }

    fn ended(&self, process: u32) {
        interrupt::forget(process);
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn progress(&self, done: usize, total: usize, what: &str) {
        self.progress.say(what);
        self.progress.set(done as u64, total as u64);
    }
}

fn told(error: impl std::fmt::Display) -> Error {
    Error::new(error.to_string())
}
