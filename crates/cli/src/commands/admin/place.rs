//! Whom `provost admin` talks to: the server that runs on a data folder, or the folder itself.

use std::{pin::pin, sync::Arc};

use clap::Args;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::{
    clock::SystemClock,
    config::{
        env,
        server::{self, DataFlags},
    },
    entropy::SystemEntropy,
    exit::{Exit, Failure},
    serve::{
        Core, Settings,
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
    #[command(flatten)]
    flags: DataFlags,
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
        let settings = server::load(&self.flags.0)?.settings;
        let (updates, mut told) = mpsc::channel(4);
        let mut outcome = pin!(outcome(&settings, request, updates));
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
}

async fn outcome(settings: &Settings, request: Request, updates: mpsc::Sender<Update>) -> Result<Value, Failure> {
    let path = socket::path_in(&settings.data);
    let asked = socket::ask(&settings.data, &request, &updates).await;
    match asked.map_err(|error| Failure::failed(format!("cannot talk to the server through {}: {error}", path.display())))? {
        Some(outcome) => outcome,
        None => alone(settings, request, updates).await,
    }
}

/// Without a server: takes the folder's lock for as long as it takes.
async fn alone(settings: &Settings, request: Request, updates: mpsc::Sender<Update>) -> Result<Value, Failure> {
    let Some(last) = Record::read(&settings.data)? else {
        let message = format!("no server has ever run on {}", settings.data.display());
        return Err(Failure::new(Exit::NotFound, message).hint("name its data folder with --data"));
    };
    let (sts, key) = (sts::Settings::from(last.urls(settings)), settings.key_path());
    if !key.exists() {
        let message = format!("there is no key file {}", key.display());
        return Err(Failure::new(Exit::NotFound, message).hint("name it with --key-file, as for the server"));
    }
    let (clock, entropy) = (Arc::new(SystemClock), Arc::new(SystemEntropy::default()));
    let core = Core::open(&settings.data, &settings.database, &key, sts, clock, entropy).await?;
    let outcome = Admin::new(core.clone()).perform(request, &env::system_user(), updates).await;
    core.store.close().await;
    outcome
}
