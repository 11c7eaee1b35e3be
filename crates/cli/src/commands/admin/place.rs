//! Whom `provost admin` talks to: the server that runs on a data folder, or the folder itself.

use std::{os::unix::fs::MetadataExt, pin::pin, sync::Arc};

use clap::Args;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use server::{
    Core, Record, Settings, SystemClock, SystemEntropy,
    admin::{
        self, Admin,
        check::{self, Checked},
        protocol::{Request, Update},
        socket,
    },
    settings::Urls,
    sts_settings,
};
use store::{
    Database,
    check::{Look, Means},
};
use sts::RootKey;
use tokio::sync::mpsc;

use crate::{
    config::{self, server::DataFlags},
    env,
    exit::{Exit, Failure},
};

/// Where the server keeps its data.
#[derive(Clone, Debug, Args)]
pub(crate) struct Place {
    #[command(flatten)]
    flags: DataFlags,
}

/// What a command may find when no server is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    /// The data of a server that has run.
    Data,
    /// Anything: what is missing is made.
    Anything,
}

impl Place {
    /// The server's settings.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub(crate) fn settings(&self) -> Result<Settings, Failure> {
        Ok(config::server::load(&self.flags.0)?.settings)
    }

    /// Has `request` done, by the running server or here, and hands `watch` what is told meanwhile.
    ///
    /// # Errors
    /// What was told as the reason, what `watch` fails with, or that the answer is not the one of this version.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        request: Request,
        mut watch: impl FnMut(Update) -> Result<(), Failure>,
    ) -> Result<T, Failure> {
        let settings = self.settings()?;
        let (updates, mut told) = mpsc::channel(4);
        let mut outcome = pin!(outcome(&settings, request, updates, Expect::Data));
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
        read(value)
    }

    /// Has `request`, which makes no sense without a server, done by the running one.
    ///
    /// # Errors
    /// As [`Place::ask`], and that no server runs.
    pub(crate) async fn ask_server<T: DeserializeOwned>(&self, request: Request) -> Result<T, Failure> {
        let settings = self.settings()?;
        let (updates, _unheard) = mpsc::channel(1);
        let Some(outcome) = ask_socket(&settings, &request, &updates).await? else {
            let message = format!("no server runs on {}", settings.data.display());
            return Err(Failure::new(Exit::Unreachable, message).hint("name its data folder with --data"));
        };
        read(outcome?)
    }

    /// Has `request` done, here also where no server has run yet.
    ///
    /// # Errors
    /// As [`Place::ask`].
    pub(crate) async fn begin<T: DeserializeOwned>(&self, request: Request) -> Result<T, Failure> {
        let (updates, _unheard) = mpsc::channel(1);
        read(outcome(&self.settings()?, request, updates, Expect::Anything).await?)
    }
}

/// Refuses to touch what belongs to another user: what is made there, the server could not read.
///
/// # Errors
/// When the data folder is another user's.
pub(crate) fn check_owner(settings: &Settings) -> Result<(), Failure> {
    let Ok(folder) = std::fs::metadata(&settings.data) else { return Ok(()) };
    let (owner, me) = (folder.uid().to_string(), env::system_user());
    if owner == me {
        return Ok(());
    }
    let message = format!("{} belongs to user {owner}, and you are user {me}", settings.data.display());
    Err(Failure::new(Exit::Denied, message).hint(format!("run the command as that user: sudo -u '#{owner}' provost admin …")))
}

/// Refuses to go on while a server runs on the data folder.
///
/// # Errors
/// When one does.
pub(crate) async fn refuse_running(settings: &Settings) -> Result<(), Failure> {
    if !socket::is_answered(&settings.data).await {
        return Ok(());
    }
    let message = format!("a server is running on {}", settings.data.display());
    Err(Failure::new(Exit::Conflict, message).hint("stop it first, and every other server of the same database"))
}

async fn outcome(settings: &Settings, request: Request, updates: mpsc::Sender<Update>, expect: Expect) -> Result<Value, Failure> {
    match ask_socket(settings, &request, &updates).await? {
        Some(outcome) => Ok(outcome?),
        None => alone(settings, request, updates, expect).await,
    }
}

async fn ask_socket(
    settings: &Settings,
    request: &Request,
    updates: &mpsc::Sender<Update>,
) -> Result<Option<Result<Value, admin::Failure>>, Failure> {
    let path = socket::path_in(&settings.data);
    let asked = socket::ask(&settings.data, request, updates).await;
    asked.map_err(|error| Failure::failed(format!("cannot talk to the server through {}: {error}", path.display())))
}

/// Without a server: holds the data for as long as it takes.
async fn alone(settings: &Settings, request: Request, updates: mpsc::Sender<Update>, expect: Expect) -> Result<Value, Failure> {
    check_owner(settings)?;
    if let Request::Check { kept_head } = request {
        return Ok(json!(check_alone(settings, kept_head, &updates).await?));
    }
    let (last, key) = (Record::read(&settings.data)?, settings.key_path());
    if expect == Expect::Data {
        if last.is_none() && matches!(settings.database, Database::Sqlite) {
            let message = format!("no server has ever run on {}", settings.data.display());
            return Err(Failure::new(Exit::NotFound, message).hint("name its data folder with --data"));
        }
        if !key.exists() {
            let message = format!("there is no key file {}", key.display());
            return Err(Failure::new(Exit::NotFound, message).hint("name it with --key-file, as for the server"));
        }
        // A server on PostgreSQL leaves its key there too: an empty database made beside it would take that key for its own.
        look(settings).await?;
    }
    let urls = urls(settings, last);
    if urls.base.is_empty() && matches!(request, Request::Token { .. }) {
        return Err(Failure::usage("--base-url is missing: no server has run on this data folder"));
    }
    let (clock, entropy) = (Arc::new(SystemClock), Arc::new(SystemEntropy::default()));
    let sts = sts_settings(settings, urls);
    let core = Core::open(&settings.data, &settings.database, &key, sts, clock, entropy).await?;
    let outcome = Admin::new(core.clone()).perform(request, &env::system_user(), updates).await;
    core.store.close().await;
    Ok(outcome?)
}

/// Checks the database where no server runs on the data folder. Without a key it compares no codes. It makes, migrates and writes nothing.
async fn check_alone(settings: &Settings, kept_head: Option<String>, updates: &mpsc::Sender<Update>) -> Result<Checked, Failure> {
    let look = look(settings).await?;
    if look.schema().check()? {
        let failure = Failure::new(Exit::Due, "the database needs a migration, which a check does not make");
        return Err(failure.hint("back it up, then run `provost admin migrate`"));
    }
    let key = settings.key_path();
    let keys = if key.exists() { Some(RootKey::open(&key)?.keys()?) } else { None };
    Ok(check::alone(look, &Means::new(keys, kept_head)?, updates).await?)
}

/// The database as it is there; none is made.
async fn look(settings: &Settings) -> Result<Look, Failure> {
    let missing = || {
        let failure = Failure::new(Exit::NotFound, "there is no database yet");
        failure.hint("name the data folder with --data, or the database with --database, as for the server")
    };
    Look::at(&settings.store_config()).await?.ok_or_else(missing)
}

/// Under which names the server is known; they are empty when nobody has said so yet.
fn urls(settings: &Settings, last: Option<Record>) -> Urls {
    last.unwrap_or_else(|| Record::of(settings, settings.base_url.as_deref().unwrap_or_default())).urls(settings)
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| Failure::failed(format!("the answer cannot be read: {error}")))
}
