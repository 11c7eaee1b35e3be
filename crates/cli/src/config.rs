//! Flags and environment variables. Nothing outside this module and those below it looks at either.

use clap::{Arg, ArgMatches, Args, Command as ClapCommand, CommandFactory, FromArgMatches, Parser, builder::FalseyValueParser};

use crate::{commands::Command, exit::Exit, output::Format};

pub(crate) mod env;
pub(crate) mod program;

/// Identity and access, registry metadata, advisories and events in one server.
#[derive(Debug, Parser)]
#[command(name = "provost", version, about, after_help = Exit::HELP, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    global: GlobalFlags,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
struct GlobalFlags {
    /// The server's API
    #[arg(long, global = true, env = "PROVOST_API", value_name = "URL", default_value = "http://127.0.0.1:8080")]
    api: String,
    /// The server's token issuer; the API's URL by default
    #[arg(long, global = true, env = "PROVOST_ISSUER", value_name = "URL")]
    issuer: Option<String>,
    /// How to print
    #[arg(short, long, global = true, env = "PROVOST_OUTPUT", value_enum, default_value = "table")]
    output: Format,
    /// Ask nothing
    #[arg(short, long, global = true, env = "PROVOST_YES", value_parser = FalseyValueParser::new())]
    yes: bool,
}

/// The global flags with their defaults applied.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) api: String,
    pub(crate) issuer: String,
    pub(crate) audience: String,
    pub(crate) output: Format,
    pub(crate) yes: bool,
}

/// The name of the argument behind `--audience`.
const AUDIENCE: &str = "token_audience";

/// Reads the command line.
///
/// # Errors
/// What clap prints: help, the version, or what is wrong.
pub(crate) fn parse() -> Result<(Global, Command), clap::Error> {
    let matches = command().try_get_matches()?;
    let cli = Cli::from_arg_matches(&matches)?;
    let api = cli.global.api.trim_end_matches('/').to_owned();
    let global = Global {
        issuer: cli.global.issuer.map_or_else(|| api.clone(), |issuer| issuer.trim_end_matches('/').to_owned()),
        audience: audience(&matches).unwrap_or_else(|| api.clone()),
        api,
        output: cli.global.output,
        yes: cli.global.yes,
    };
    Ok((global, cli.command))
}

/// The whole command tree.
pub(crate) fn command() -> ClapCommand {
    let arg = audience_arg().env("PROVOST_AUDIENCE");
    let mut command = Cli::command().arg(arg);
    let names: Vec<_> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, with_audience);
    }
    command
}

fn audience_arg() -> Arg {
    Arg::new(AUDIENCE)
        .long("audience")
        .value_name("AUDIENCE")
        .help("The audience of the API token; the API's URL by default")
        .help_heading("Global options")
}

/// Adds `--audience` to `command` and everything below. clap's own global arguments cannot do that: the commands that
/// describe someone else's token have an `--audience` of their own, which must not be taken for this one.
fn with_audience(command: ClapCommand) -> ClapCommand {
    let taken = command.get_arguments().any(|arg| arg.get_long() == Some("audience"));
    let mut command = if taken { command } else { command.arg(audience_arg()) };
    let names: Vec<_> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, with_audience);
    }
    command
}

/// The value of `--audience` that was given closest to the end of the command line.
fn audience(matches: &ArgMatches) -> Option<String> {
    let deeper = matches.subcommand().and_then(|(_, matches)| audience(matches));
    deeper.or_else(|| matches.try_get_one::<String>(AUDIENCE).ok().flatten().cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_tree_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn the_deepest_audience_wins_and_a_claim_is_not_one() {
        let found = |line: &[&str]| {
            let matches = command().try_get_matches_from(line).unwrap_or_else(|error| panic!("{error}"));
            audience(&matches)
        };
        assert_eq!(found(&["provost", "--audience", "a", "auth", "token", "--audience", "b"]).as_deref(), Some("b"));
        assert_eq!(found(&["provost", "--audience", "a", "auth", "token"]).as_deref(), Some("a"));
        let create = ["provost", "iam", "identities", "create", "ci", "--parent", "p", "--identity-issuer", "i"];
        assert_eq!(found(&[&create[..], &["--audience", "claim"]].concat()), None);
    }
}
