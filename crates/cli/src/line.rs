//! The command line: its flags, and what is done with it.

use std::{
    ffi::OsString,
    io::{IsTerminal, stderr, stdin},
    process::ExitCode,
    time::Duration,
};

use clap::{
    Arg, ArgMatches, Args, Command as ClapCommand, CommandFactory, FromArgMatches, Parser, ValueEnum, error::ErrorKind,
    parser::ValueSource,
};

use server::logging;

use crate::{
    color::Color,
    commands::{Command, duration, examples, execute, formats, synonyms, writes},
    config::server::{misspelt, switch},
    contexts::{self, Contexts},
    env,
    exit::{Exit, Failure},
    global::Global,
    output::{self, Format},
    plain::plain,
    target::{Rank, Ranked, Target, Wishes},
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
    #[arg(long, global = true, env = "PROVOST_API", value_name = "URL", default_value = HERE, display_order = 101)]
    api: String,
    /// The server's token issuer; the API's URL by default
    #[arg(long, global = true, env = "PROVOST_ISSUER", value_name = "URL", display_order = 102)]
    issuer: Option<String>,
    /// How to print: table, json, id (the UIDs alone); lists also wide (every column), csv, and some a tree
    #[arg(short, long, global = true, env = "PROVOST_OUTPUT", value_enum, value_name = "FORMAT", default_value = "table")]
    #[arg(hide_possible_values = true, display_order = 104)]
    output: Format,
    /// Answer yes to every confirmation, and never prompt
    #[arg(short, long, global = true, env = "PROVOST_YES", value_parser = |text: &str| flag("PROVOST_YES", text), display_order = 105)]
    yes: bool,
    /// Never prompt; the default without a terminal, with -y, and where CI is set
    #[arg(long, global = true, env = "PROVOST_NO_INPUT", value_parser = |text: &str| flag("PROVOST_NO_INPUT", text))]
    #[arg(display_order = 106)]
    no_input: bool,
    /// When to use colours: auto, always or never
    #[arg(long, global = true, env = "PROVOST_COLOR", value_enum, value_name = "WHEN", default_value = "auto")]
    #[arg(hide_possible_values = true, display_order = 107)]
    color: Color,
    /// The context to use instead of the current one (`provost context list`); --api goes before it
    #[arg(long, global = true, env = "PROVOST_CONTEXT", value_name = "NAME", value_parser = contexts::name, display_order = 108)]
    context: Option<String>,
    /// How long to try again when a server is busy or away; where this is said, one that is not there yet is waited for too
    #[arg(long, global = true, env = "PROVOST_RETRY_FOR", value_name = "TIME", default_value = "10s", value_parser = duration)]
    #[arg(display_order = 109)]
    retry_for: Duration,
}

/// The API where nobody says anything.
const HERE: &str = "http://127.0.0.1:8080";

/// The name of the argument behind `--audience`.
const AUDIENCE: &str = "token_audience";

/// Why a command line is not carried out.
enum Refusal {
    /// What clap prints: help, the version, or what is wrong.
    Line(clap::Error),
    /// What is wrong beside it.
    Failure(Failure),
}

/// Runs the program: reads the command line, does what it says, and answers the exit code.
#[must_use]
pub fn run() -> ExitCode {
    let outcome = match parse() {
        Ok((global, line)) => execute(&global, line, command).inspect(|()| global.finish()),
        Err(Refusal::Line(error)) => {
            // Nobody is left to tell when the terminal is gone.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { ExitCode::SUCCESS };
        }
        Err(Refusal::Failure(failure)) => Err(failure),
    };
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
fn parse() -> Result<(Global, Command), Refusal> {
    let line: Vec<_> = std::env::args_os().collect();
    let early = color_in(&line).unwrap_or_default();
    early.choose();
    let strict = command().color(early.into());
    let (matches, cli) = match read(strict.clone(), &line) {
        Err(error) if error.kind() == ErrorKind::MissingRequiredArgument => read_incomplete(strict, &line, error)?,
        read => read?,
    };
    cli.global.color.choose();
    if cli.command.is_of_a_client() {
        warn_of_folders();
    }
    let target = target(&matches, &cli)?;
    let deepest = deepest(&matches);
    let global = Global {
        said: wishes(&matches, &cli.global).said(),
        api: target.api,
        issuer: target.issuer,
        audience: target.audience,
        output: formats::supported(cli.global.output, &matches, command)?,
        ask: is_asking(&cli),
        yes: cli.global.yes,
        retry_for: cli.global.retry_for,
        wait_for_server: rank(deepest, "retry_for").is_some(),
        dry_run: writes::is_dry_run(deepest),
        if_match: writes::if_match(deepest),
    };
    Ok((global, cli.command))
}

/// Reads a command line that lacks something: the context may say it, or somebody at the terminal. `error` says what is missing.
fn read_incomplete(strict: ClapCommand, line: &[OsString], error: clap::Error) -> Result<(ArgMatches, Cli), Refusal> {
    let Ok((matches, cli)) = read(asking(strict.clone()), line) else { return Err(error.into()) };
    let command = match target(&matches, &cli)?.organization {
        Some(organization) => in_organization(strict, &organization),
        None => strict,
    };
    match read(command.clone(), line) {
        Err(_) if is_asking(&cli) => Ok(read(asking(command), line).map_err(|_| error)?),
        // What is still missing is told as if there were no contexts.
        read => Ok(read.map_err(|_| error)?),
    }
}

/// The server that the command line means. Commands that talk to none read no contexts.
fn target(matches: &ArgMatches, cli: &Cli) -> Result<Target, Failure> {
    let wishes = wishes(matches, &cli.global);
    let is_of_a_client = cli.command.is_of_a_client();
    // The server's commands find them with its settings.
    let slips = if is_of_a_client || matches!(cli.command, Command::Context(_)) { misspelt() } else { Vec::new() };
    if !slips.is_empty() {
        return Err(Failure::usage(slips.join("\nerror: ")));
    }
    if is_of_a_client {
        wishes.target(&Contexts::load()?, HERE)
    } else {
        Wishes { context: None, ..wishes }.target(&Contexts::default(), HERE)
    }
}

/// Tells which variables of folders do nothing.
fn warn_of_folders() {
    for (name, path) in env::ignored_folders() {
        output::remark(&plain(&format!("warning: {name} is ignored: {} is no absolute path", path.display())));
    }
}

fn wishes(matches: &ArgMatches, flags: &GlobalFlags) -> Wishes {
    let deepest = deepest(matches);
    let said = |id, text: Option<&String>| Some((rank(deepest, id)?, text?.clone()));
    Wishes {
        api: said("api", Some(&flags.api)),
        issuer: said("issuer", flags.issuer.as_ref()),
        audience: audience(matches),
        context: said("context", flags.context.as_ref()),
    }
}

/// Who says something for the argument `id`; nobody where it has its default.
fn rank(matches: &ArgMatches, id: &str) -> Option<Rank> {
    match matches.value_source(id)? {
        ValueSource::CommandLine => Some(Rank::Flag),
        ValueSource::EnvVariable => Some(Rank::Variable),
        _ => None,
    }
}

/// Whether somebody is there who may be asked.
fn is_asking(cli: &Cli) -> bool {
    !cli.global.yes && !cli.global.no_input && attended()
}

/// The matches of the command that is called.
fn deepest(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand().map_or(matches, |(_, deeper)| deepest(deeper))
}

/// Reads a variable that stands for a flag. An empty one counts as none.
fn flag(variable: &str, text: &str) -> Result<bool, String> {
    if text.is_empty() { Ok(false) } else { switch(text).map_err(|why| format!("the variable {variable}: {why}")) }
}

impl From<clap::Error> for Refusal {
    fn from(error: clap::Error) -> Self {
        Self::Line(error)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

fn read(mut command: ClapCommand, line: &[OsString]) -> Result<(ArgMatches, Cli), clap::Error> {
    let read = command.try_get_matches_from_mut(line);
    let matches = read.map_err(|error| synonyms::suggest(error, &command, reached(&command, line)))?;
    let cli = Cli::from_arg_matches(&matches)?;
    Ok((matches, cli))
}

/// The command that `line` gets to before it goes wrong, if it does.
fn reached<'a>(command: &'a ClapCommand, line: &[OsString]) -> &'a ClapCommand {
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
    let tree = examples::add(quiet_about_values(writes::add(with_audience(Cli::command()))));
    tree.after_help(Exit::help())
}

/// The tree with every argument optional that the commands find by name and can ask for.
fn asking(command: ClapCommand) -> ClapCommand {
    const FOUND_BY_NAME: &[&str] = &["organization", "folder", "identity", "role", "repo", "binding", "parent", "context_name"];
    let optional = |arg: Arg| if FOUND_BY_NAME.contains(&arg.get_id().as_str()) { arg.required(false) } else { arg };
    below(command.mut_args(optional), asking)
}

/// The tree where `organization` is the `--parent` of commands that need one.
fn in_organization(command: ClapCommand, organization: &str) -> ClapCommand {
    let given = |arg: Arg| {
        let is_meant = arg.get_id() == "parent" && arg.is_required_set();
        if is_meant { arg.required(false).default_value(organization.to_owned()) } else { arg }
    };
    let names: Vec<_> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let below = |command: ClapCommand, name| command.mut_subcommand(name, |sub| in_organization(sub, organization));
    names.into_iter().fold(command.mut_args(given), below)
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
fn audience(matches: &ArgMatches) -> Ranked {
    [Rank::Flag, Rank::Variable].into_iter().find_map(|rank| Some((rank, audience_from(matches, rank)?)))
}

fn audience_from(matches: &ArgMatches, from: Rank) -> Option<String> {
    let deeper = matches.subcommand().and_then(|(_, matches)| audience_from(matches, from));
    deeper.or_else(|| {
        let value = matches.try_get_one::<String>(AUDIENCE).ok().flatten()?;
        (rank(matches, AUDIENCE) == Some(from)).then(|| value.clone())
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
            audience(&matches).map(|(_, audience)| audience)
        };
        assert_eq!(found(&["provost", "--audience", "a", "auth", "token", "--audience", "b"]).as_deref(), Some("b"));
        assert_eq!(found(&["provost", "--audience", "a", "auth", "token"]).as_deref(), Some("a"));
        let create = ["provost", "iam", "identities", "create", "ci", "--parent", "p", "--identity-issuer", "i"];
        assert_eq!(found(&[&create[..], &["--audience", "claim"]].concat()), None);
    }
}
