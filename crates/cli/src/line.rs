//! The command line: its flags, and what is done with it.

use std::{
    ffi::OsString,
    io::{IsTerminal, stderr, stdin},
    process::ExitCode,
};

use clap::{
    Arg, ArgMatches, Args, Command as ClapCommand, CommandFactory, FromArgMatches, Parser, ValueEnum, builder::FalseyValueParser,
    error::ErrorKind, parser::ValueSource,
};

use server::logging;

use crate::{
    color::Color,
    commands::{Command, examples, execute, formats, synonyms},
    env,
    exit::Exit,
    global::Global,
    output::{self, Format},
};

/// Identity and access, registry metadata, advisories and events in one server.
#[derive(Debug, Parser)]
#[command(name = "provost", version, about, arg_required_else_help = true)]
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
    #[arg(
        long,
        global = true,
        env = "PROVOST_API",
        value_name = "URL",
        default_value = "http://127.0.0.1:8080",
        display_order = 101
    )]
    api: String,
    /// The server's token issuer; the API's URL by default
    #[arg(long, global = true, env = "PROVOST_ISSUER", value_name = "URL", display_order = 102)]
    issuer: Option<String>,
    /// How to print: table, json, id (the UIDs alone); lists also csv, and some a tree
    #[arg(short, long, global = true, env = "PROVOST_OUTPUT", value_enum, value_name = "FORMAT", default_value = "table")]
    #[arg(hide_possible_values = true, display_order = 104)]
    output: Format,
    /// Ask nothing: deletions need no confirmation
    #[arg(short, long, global = true, env = "PROVOST_YES", value_parser = FalseyValueParser::new(), display_order = 105)]
    yes: bool,
    /// Ask for nothing that is missing; so it is without a terminal, with -y, and where CI is set
    #[arg(long, global = true, env = "PROVOST_NO_INPUT", value_parser = FalseyValueParser::new(), display_order = 106)]
    no_input: bool,
    /// When to use colours: auto, always or never
    #[arg(long, global = true, env = "PROVOST_COLOR", value_enum, value_name = "WHEN", default_value = "auto")]
    #[arg(hide_possible_values = true, display_order = 107)]
    color: Color,
}

/// The name of the argument behind `--audience`.
const AUDIENCE: &str = "token_audience";

/// Runs the program: reads the command line, does what it says, and answers the exit code.
#[must_use]
pub fn run() -> ExitCode {
    let (global, line) = match parse() {
        Ok(parsed) => parsed,
        Err(error) => {
            // Nobody is left to tell when the terminal is gone.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { ExitCode::SUCCESS };
        }
    };
    let outcome = execute(&global, line, command);
    logging::flush();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(told) = failure.told() {
                output::remark(&told);
            }
            failure.exit.into()
        }
    }
}

/// Reads the command line.
///
/// # Errors
/// What clap prints: help, the version, or what is wrong.
fn parse() -> Result<(Global, Command), clap::Error> {
    let line: Vec<_> = std::env::args_os().collect();
    let early = color_in(&line).unwrap_or_default();
    early.choose();
    let strict = command().color(early.into());
    let (matches, cli) = match read(strict.clone(), &line) {
        // On a terminal, the commands ask for what is missing.
        Err(error) if error.kind() == ErrorKind::MissingRequiredArgument && attended() => match read(asking(strict), &line) {
            Ok((matches, cli)) if !cli.global.yes && !cli.global.no_input => (matches, cli),
            _ => return Err(error),
        },
        read => read?,
    };
    cli.global.color.choose();
    let api = cli.global.api.trim_end_matches('/').to_owned();
    let global = Global {
        issuer: cli.global.issuer.map_or_else(|| api.clone(), |issuer| issuer.trim_end_matches('/').to_owned()),
        audience: audience(&matches).unwrap_or_else(|| api.clone()),
        api,
        output: formats::supported(cli.global.output, &matches, command)?,
        ask: !cli.global.yes && !cli.global.no_input && attended(),
        yes: cli.global.yes,
    };
    Ok((global, cli.command))
}

fn read(mut command: ClapCommand, line: &[OsString]) -> Result<(ArgMatches, Cli), clap::Error> {
    let read = command.try_get_matches_from_mut(line);
    let matches = read.map_err(|error| synonyms::suggest(error, deepest(&command, line)))?;
    let cli = Cli::from_arg_matches(&matches)?;
    Ok((matches, cli))
}

/// The command that `line` gets to before it goes wrong, if it does.
fn deepest<'a>(command: &'a ClapCommand, line: &[OsString]) -> &'a ClapCommand {
    line.iter().skip(1).fold(command, |at, word| at.find_subcommand(word).unwrap_or(at))
}

/// Whether there is a terminal with somebody at it.
fn attended() -> bool {
    stdin().is_terminal() && stderr().is_terminal() && !env::dumb_terminal() && !env::unattended()
}

/// What `--color` says, before the command line as a whole is understood: errors and help have colours too.
fn color_in(line: &[OsString]) -> Option<Color> {
    let words: Vec<_> = line.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--").collect();
    let after = |pair: &[&str]| match pair {
        ["--color", when] => Some((*when).to_owned()),
        [word, ..] => word.strip_prefix("--color=").map(str::to_owned),
        [] => None,
    };
    let flag = words.iter().enumerate().rev().find_map(|(at, _)| after(words.get(at..)?.get(..2).or(words.get(at..))?));
    Color::from_str(&flag.or_else(env::color)?, true).ok()
}

/// The whole command tree.
pub(crate) fn command() -> ClapCommand {
    let tree = examples::add(quiet_about_values(with_audience(Cli::command())));
    tree.after_help(Exit::help())
}

/// The tree with every argument optional that the commands find by name and can ask for.
fn asking(command: ClapCommand) -> ClapCommand {
    const FOUND_BY_NAME: &[&str] = &["organization", "folder", "identity", "role", "repo", "binding", "parent"];
    let optional = |arg: Arg| if FOUND_BY_NAME.contains(&arg.get_id().as_str()) { arg.required(false) } else { arg };
    below(command.mut_args(optional), asking)
}

/// Lets the help name the variables without their values: it is read, and pasted, by people.
fn quiet_about_values(command: ClapCommand) -> ClapCommand {
    below(command.mut_args(|arg| arg.hide_env_values(true)), quiet_about_values)
}

fn below(command: ClapCommand, change: fn(ClapCommand) -> ClapCommand) -> ClapCommand {
    let names: Vec<_> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, change))
}

fn audience_arg() -> Arg {
    Arg::new(AUDIENCE)
        .long("audience")
        .env("PROVOST_AUDIENCE")
        .value_name("AUDIENCE")
        .help("The audience of the API token; the API's URL by default")
        .help_heading("Global options")
        .display_order(103)
}

/// Adds `--audience` to `command` and everything below. clap's own global arguments cannot do that: the commands that
/// describe someone else's token have an `--audience` of their own, which must not be taken for this one.
fn with_audience(command: ClapCommand) -> ClapCommand {
    let taken = command.get_arguments().any(|arg| arg.get_long() == Some("audience"));
    below(if taken { command } else { command.arg(audience_arg()) }, with_audience)
}

/// The value of `--audience` that was given closest to the end of the command line, else the variable's.
fn audience(matches: &ArgMatches) -> Option<String> {
    [ValueSource::CommandLine, ValueSource::EnvVariable].into_iter().find_map(|source| audience_from(matches, source))
}

fn audience_from(matches: &ArgMatches, source: ValueSource) -> Option<String> {
    let deeper = matches.subcommand().and_then(|(_, matches)| audience_from(matches, source));
    deeper.or_else(|| {
        let value = matches.try_get_one::<String>(AUDIENCE).ok().flatten()?;
        (matches.value_source(AUDIENCE) == Some(source)).then(|| value.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_tree_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn the_variables_of_flags_are_known() {
        fn check(command: &ClapCommand) {
            for variable in command.get_arguments().filter_map(|arg| arg.get_env()?.to_str()) {
                assert!(env::VARIABLES.contains(&variable), "{variable}");
            }
            command.get_subcommands().for_each(check);
        }
        check(&command());
    }

    /// One line or two per option: nothing in the tree has a longer text, which would spread every option of its help.
    #[test]
    fn every_help_is_compact() {
        fn check(at: &ClapCommand, path: &[&str]) {
            let help = |flag| {
                command().try_get_matches_from([path, &[flag]].concat()).map_or_else(|help| help.to_string(), |_| String::new())
            };
            assert!(help("--help").contains("Usage: provost"), "{path:?}");
            assert_eq!(help("--help"), help("-h"), "{path:?}");
            at.get_subcommands().for_each(|sub| check(sub, &[path, &[sub.get_name()]].concat()));
        }
        check(&command(), &["provost"]);
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
