//! The commands. Each file is named like the command that it holds.

use clap::Subcommand;
use tokio::runtime::Builder;

use crate::{exit::Failure, global::Global, interrupt};

mod admin;
mod advisories;
mod auth;
mod bench;
mod completions;
mod config;
mod context;
mod contract;
mod dev;
mod events;
pub(crate) mod examples;
pub(crate) mod formats;
mod iam;
mod images;
mod man;
mod serve;
pub(crate) mod synonyms;
mod version;
pub(crate) mod writes;

pub(crate) use admin::duration;

/// Makes the whole command tree, for commands that describe it.
pub(crate) type Tree = fn() -> clap::Command;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server
    Serve(serve::Serve),
    /// Log in and out, and see who you are
    #[command(subcommand)]
    Auth(auth::Auth),
    /// The servers that you use, by names of your own
    #[command(subcommand, visible_alias = "contexts")]
    Context(context::Context),
    /// Organizations, folders, identities, identity providers, roles and role bindings
    #[command(subcommand)]
    Iam(iam::Iam),
    /// Image repositories
    #[command(subcommand, visible_alias = "image")]
    Images(images::Images),
    /// Advisories: what you say about vulnerabilities in what you ship
    #[command(subcommand, visible_alias = "advisory")]
    Advisories(advisories::Advisories),
    /// Event subscriptions
    #[command(subcommand)]
    Events(events::Events),
    /// Act as the operator of a server on this machine
    #[command(subcommand)]
    Admin(admin::Admin),
    /// Show, check and generate the server's configuration
    #[command(subcommand)]
    Config(config::Config),
    /// Tools for a server in dev mode
    #[command(subcommand)]
    Dev(dev::Dev),
    /// Benchmark this machine against a minimal baseline
    Bench(bench::Bench),
    /// Machine-readable description of the API
    #[command(subcommand)]
    Contract(contract::Contract),
    /// Print a shell completion script
    Completions(completions::Completions),
    /// Print a manual page, or write all of them to a folder
    Man(man::Man),
    /// Print the version
    Version,
}

impl Command {
    /// Whether it is for users of some server, and so heeds contexts.
    pub(crate) fn is_of_a_client(&self) -> bool {
        matches!(self, Self::Auth(_) | Self::Iam(_) | Self::Images(_) | Self::Events(_) | Self::Advisories(_) | Self::Dev(_))
    }
}

/// Does what a command line says. `tree` makes the whole command tree.
pub(crate) fn execute(global: &Global, command: Command, tree: Tree) -> Result<(), Failure> {
    // The server ends in its own time; everything else at once.
    if !matches!(command, Command::Serve(_)) {
        interrupt::watch()?;
    }
    let mut builder = match command {
        Command::Serve(_) | Command::Bench(_) => Builder::new_multi_thread(),
        _ => Builder::new_current_thread(),
    };
    builder.enable_all().build()?.block_on(async {
        match command {
            Command::Serve(serve) => Box::pin(serve.run()).await,
            Command::Auth(auth) => auth.run(global).await,
            Command::Context(context) => context.run(global),
            Command::Iam(iam) => iam.run(global).await,
            Command::Images(images) => images.run(global).await,
            Command::Advisories(advisories) => advisories.run(global).await,
            Command::Events(events) => events.run(global).await,
            Command::Admin(admin) => admin.run(global).await,
            Command::Config(config) => config.run(global).await,
            Command::Dev(dev) => dev.run(global).await,
            Command::Bench(bench) => Box::pin(bench.run(global)).await,
            Command::Contract(contract) => contract.run(),
            Command::Completions(completions) => completions.run(tree),
            Command::Man(man) => man.run(tree),
            Command::Version => version::run(global),
        }
    })
}

/// Reads `name=value`.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("must be written as name=value".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_split_at_the_first_equals_sign() {
        assert_eq!(pair("a=b=c"), Ok(("a".into(), "b=c".into())));
        assert_eq!(pair("a="), Ok(("a".into(), String::new())));
        assert!(pair("a").is_err() && pair("=b").is_err());
    }
}
