//! Whom `provost admin` talks to: the server that runs on a data folder, or the folder itself.

use std::{path::PathBuf, pin::pin, sync::Arc};

use clap::Args;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::{
    clock::SystemClock,
    commands::serve::database,
    config::env,
    entropy::SystemEntropy,
    exit::{Exit, Failure},
    serve::{
        Core,
        admin::{
            Admin,
            protocol::{Request, Update},
            socket,
        },
        record::Record,
    },
};

/// Where the server keeps its data.
#[derive(Clone, Debug, Args)]
pub(crate) struct Place {
    /// The server's data folder; a server may be running on it
    #[arg(long, env = "PROVOST_DATA", value_name = "FOLDER", default_value = "./provost-data")]
    pub(crate) data: PathBuf,
    /// PostgreSQL instead of SQLite, when no server is running: `postgres://user:password@host/database`
    #[arg(long, env = "PROVOST_DATABASE", value_name = "URL", hide_env_values = true)]
    pub(crate) database: Option<String>,
    /// The file with the key-encryption key, when no server is running; `key` in the data folder by default
    #[arg(long, env = "PROVOST_KEY_FILE", value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// The server's URL, when no server is running; what the last server had by default
    #[arg(long, env = "PROVOST_BASE_URL", value_name = "URL")]
    pub(crate) base_url: Option<String>,
}

impl Place {
    /// Has `request` done, by the running server or here, and hands `watch` what is told meanwhile.
    ///
    /// # Errors
    /// What was told as the reason, what `watch` fails with, or that the answer is not the one of this version.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        request: Request,
        mut watch: impl FnMut(Update) -> Result<(), Failure>,
    ) -> Result<T, Failure> {
        let (updates, mut told) = mpsc::channel(4);
        let mut outcome = pin!(self.outcome(request, updates));
        let value = loop {
            tokio::select! {
                biased;
                Some(update) = told.recv() => watch(update)?,
                outcome = &mut outcome => break outcome?,
            }
        };
        while let Ok(update) = told.try_recv() {
            watch(update)?;
        }
        serde_json::from_value(value).map_err(|error| Failure::failed(format!("the answer cannot be read: {error}")))
    }

    async fn outcome(&self, request: Request, updates: mpsc::Sender<Update>) -> Result<Value, Failure> {
        let path = socket::path_in(&self.data);
        let asked = socket::ask(&self.data, &request, &updates).await;
        match asked.map_err(|error| Failure::failed(format!("cannot talk to the server through {}: {error}", path.display())))? {
            Some(outcome) => outcome,
            None => self.alone(request, updates).await,
        }
    }

    /// Without a server: takes the folder's lock for as long as it takes.
    async fn alone(&self, request: Request, updates: mpsc::Sender<Update>) -> Result<Value, Failure> {
        let Some(last) = Record::read(&self.data)? else {
            let message = format!("no server has ever run on {}", self.data.display());
            return Err(Failure::new(Exit::NotFound, message).hint("name its data folder with --data"));
        };
        let sts = sts::Settings::new(self.base_url.clone().unwrap_or(last.base_url));
        let key = self.key_file.clone().unwrap_or_else(|| self.data.join("key"));
        if !key.exists() {
            let message = format!("there is no key file {}", key.display());
            return Err(Failure::new(Exit::NotFound, message).hint("name it with --key-file, as for the server"));
        }
        let database = database(self.database.as_deref())?;
        let core =
            Core::open(&self.data, &database, &key, sts, Arc::new(SystemClock), Arc::new(SystemEntropy::default())).await?;
        let outcome = Admin::new(core.clone()).perform(request, &env::system_user(), updates).await;
        core.store.close().await;
        outcome
    }
}
