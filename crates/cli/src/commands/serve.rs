//! `provost serve`

use std::{pin::pin, sync::Arc};

use clap::Args;
use server::{
    DevAccount, Running, Settings, StartError, SystemClock, SystemEntropy, assemble, logging,
    settings::{Log, LogFormat},
};
use tokio::signal::unix::Signal;

use crate::{
    config::{self, program, server::ServeFlags},
    exit::{Exit, Failure},
    output,
};

mod signals;
mod supervisor;

#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    flags: ServeFlags,
}

impl Serve {
    /// Serves until SIGTERM or SIGINT, which is how a service ends: a stop in order is success.
    ///
    /// # Errors
    /// Why the server did not start, or that a second signal cut its stop short.
    pub(super) async fn run(self) -> Result<(), Failure> {
        let settings = match config::server::load(&self.flags.0) {
            Ok(loaded) => loaded.settings,
            Err(failure) => return Err(in_the_log(config::server::log_format(&self.flags.0), failure)),
        };
        let options = self.flags.0.find_data_again();
        logging::start(&settings.log)?;
        match settings.log.format {
            LogFormat::Text => serve(settings, |running| output::announce(&banner(running, &options))).await,
            // Whoever collects such a log reads nothing else: it has all that is said.
            LogFormat::Json => serve(settings, |_| Ok(())).await.map_err(|failure| logged(&failure)),
        }
    }
}

/// Serves under these settings, and has it announced once the server answers.
async fn serve(settings: Settings, announce: impl FnOnce(&Running) -> Result<(), Failure>) -> Result<(), Failure> {
    let running = assemble(settings, Arc::new(SystemClock), Arc::new(SystemEntropy::default())).await?;
    // Whoever reads that the server is ready may end it at once.
    let (signal, hangups) = (signals::termination()?, signals::hangups()?);
    log_ready(&running);
    announce(&running)?;
    supervisor::ready(&running.base_url);
    let signal = until_told(signal, hangups, &running).await;
    let again = signals::termination()?;
    tracing::info!(signal, "stopping");
    supervisor::stopping();
    tokio::select! {
        () = running.stop() => tracing::info!("stopped"),
        again = again => {
            return Err(Failure::failed(format!("stopped at once by {again}: requests under way were cut off")));
        }
    }
    logging::stop().await;
    Ok(())
}

/// The event that says where the server answers, and in dev mode whom it knows.
fn log_ready(running: &Running) {
    let Running { base_url, metrics_addr, dev, is_empty, .. } = running;
    let (address, metrics) = (addresses(running), metrics_addr.map(|address| address.to_string()));
    let known = |of: fn(&DevAccount) -> String| dev.as_ref().map(of);
    let (organization, identity) = (known(|dev| dev.organization.to_string()), known(|dev| dev.identity.to_string()));
    let provider = known(|dev| dev.issuer.clone());
    tracing::info!(address, base_url, metrics, empty = is_empty, organization, identity, provider, "ready");
}

/// What is wrong with the settings, told as the log of this format tells it.
fn in_the_log(format: LogFormat, failure: Failure) -> Failure {
    let log = Log { format, ..Settings::default().log };
    match format {
        LogFormat::Json if logging::start(&log).is_ok() => {
            logged(&Failure { message: failure.message.replace("\nerror: ", "; "), ..failure })
        }
        _ => failure,
    }
}

/// The failure as an event of the log, of which only the exit code is left to tell.
fn logged(failure: &Failure) -> Failure {
    tracing::error!(hint = failure.hint, "{}", failure.message);
    Failure::new(failure.exit, "")
}

/// Where the server listens, with commas between.
fn addresses(running: &Running) -> String {
    running.addrs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Waits for the signal that ends the server and names it. A SIGHUP meanwhile makes the server look at its files.
async fn until_told(end: impl Future<Output = &'static str>, mut hangups: Signal, running: &Running) -> &'static str {
    let mut end = pin!(end);
    loop {
        tokio::select! {
            signal = end.as_mut() => return signal,
            _ = hangups.recv() => running.reload(),
        }
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        Self::new(if error.is_setting() { Exit::Usage } else { Exit::Failed }, error.to_string())
    }
}

/// What a started server tells on standard output; `options` are those that the next command needs to find the same data.
fn banner(running: &Running, options: &str) -> String {
    let (mut ready, provost) = (format!("ready on {}", running.base_url), program::name());
    let addresses = addresses(running);
    if !running.base_url.ends_with(&format!("//{addresses}")) {
        ready = format!("{ready}\nlistening on {addresses}");
    }
    match &running.dev {
        Some(dev) => format!("{ready}\n{}", introduction(&provost, &running.base_url, dev)),
        None if running.is_empty => format!(
            "{ready}\n\n\
             First step, for an organization and its owner, who logs in with a token of this issuer and subject:\n  \
             {provost} admin bootstrap --organization NAME --issuer URL --subject SUBJECT{options}"
        ),
        None => ready,
    }
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
