//! `provost serve`

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use clap::{Args, builder::FalseyValueParser};
use store::{Database, Postgres};

use crate::{
    clock::SystemClock,
    config::{env, program},
    entropy::SystemEntropy,
    exit::{Exit, Failure},
    output,
    serve::{
        DevAccount, Running, Settings, StartError, assemble,
        logging::{self, LogFormat},
        signals,
    },
};

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Development mode: this machine only, with an identity provider and a first organization of its own
    #[arg(long, env = "PROVOST_DEV", value_parser = FalseyValueParser::new())]
    dev: bool,
    /// Where to listen; port 0 lets the system choose
    #[arg(long, env = "PROVOST_LISTEN", value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The folder for everything that must survive
    #[arg(long, env = "PROVOST_DATA", value_name = "FOLDER", default_value = "./provost-data")]
    data: PathBuf,
    /// PostgreSQL instead of SQLite: `postgres://user:password@host/database`; it needs --key-file
    #[arg(long, env = "PROVOST_DATABASE", value_name = "URL", hide_env_values = true)]
    database: Option<String>,
    /// The file with the key-encryption key; made on first use; `key` in the data folder by default
    #[arg(long, env = "PROVOST_KEY_FILE", value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// The https URL under which clients reach the server; required without --dev
    #[arg(long, env = "PROVOST_BASE_URL", value_name = "URL")]
    base_url: Option<String>,
    /// Issuer of an identity provider whose users may log in without naming an identity; may be repeated
    #[arg(long = "identity-provider", env = "PROVOST_IDENTITY_PROVIDERS", value_name = "URL", value_delimiter = ',')]
    identity_providers: Vec<String>,
    /// Let every authenticated caller create organizations; otherwise operators do
    #[arg(long, env = "PROVOST_SELF_SERVICE_ORGANIZATIONS", value_parser = FalseyValueParser::new())]
    self_service_organizations: bool,
    /// Let identity providers have private addresses
    #[arg(long, env = "PROVOST_ALLOW_PRIVATE_ADDRESSES", value_parser = FalseyValueParser::new())]
    allow_private_addresses: bool,
    /// How the log on standard error looks, text or json; `PROVOST_LOG` or `RUST_LOG` say what is logged
    #[arg(long, env = "PROVOST_LOG_FORMAT", value_enum, value_name = "FORMAT", default_value = "text")]
    #[arg(hide_possible_values = true)]
    log_format: LogFormat,
}

impl Serve {
    /// Serves until SIGTERM or SIGINT.
    pub(super) async fn run(self) -> Result<(), Failure> {
        logging::start(self.log_format, env::log_filter().as_deref())?;
        let running = assemble(self.settings()?, Arc::new(SystemClock), Arc::new(SystemEntropy::default())).await?;
        tracing::info!(address = %running.addr, base_url = running.base_url, "ready");
        output::text(&banner(&running))?;
        let signal = signals::termination().await?;
        tracing::info!(signal, "stopping");
        tokio::select! {
            () = running.stop() => tracing::info!("stopped"),
            again = signals::termination() => {
                return Err(Failure::failed(format!("stopped at once by {}: requests under way were cut off", again?)));
            }
        }
        Ok(())
    }

    fn settings(self) -> Result<Settings, Failure> {
        Ok(Settings {
            listen: self.listen,
            data: self.data,
            database: database(self.database.as_deref())?,
            key_file: self.key_file,
            base_url: self.base_url,
            dev: self.dev,
            self_service_organizations: self.self_service_organizations,
            providers: self.identity_providers,
            allow_private_addresses: self.allow_private_addresses,
            limits: gateway::Limits::default(),
        })
    }
}

/// Reads `--database`.
pub(super) fn database(url: Option<&str>) -> Result<Database, Failure> {
    url.map_or(Ok(Database::Sqlite), |url| Postgres::parse(url).map(Database::Postgres))
        .map_err(|error| Failure::new(Exit::Usage, format!("--database: {error}")))
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        Self::new(if error.is_setting() { Exit::Usage } else { Exit::Failed }, error.to_string())
    }
}

/// What a started server tells on standard output.
fn banner(running: &Running) -> String {
    let ready = format!("ready on {}", running.base_url);
    running
        .dev
        .as_ref()
        .map_or(ready.clone(), |dev| format!("{ready}\n{}", introduction(&program::name(), &running.base_url, dev)))
}

/// The first steps in dev mode, to be pasted as they are.
fn introduction(provost: &str, url: &str, dev: &DevAccount) -> String {
    let DevAccount { organization, identity, issuer } = dev;
    let api = if url == "http://127.0.0.1:8080" { String::new() } else { format!(" --api {url}") };
    format!(
        "organization {organization}\n\
         identity     {identity}\n\
         provider     {issuer}\n\
         \n\
         First steps, as the owner of the organization:\n  \
           {provost} dev id-token --subject admin{api} | \
           {provost} auth login{api} --identity {identity} --identity-token -\n  \
           {provost} iam organizations list{api}\n  \
           {provost} iam folders create team-a --parent {organization}{api}"
    )
}
