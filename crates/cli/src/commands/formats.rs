//! Which command can print in which format.

use clap::{ArgMatches, error::ErrorKind, parser::ValueSource};

use super::Tree;
use crate::output::Format;

/// What every command can print.
const ONE: &[Format] = &[Format::Table, Format::Json, Format::Id];
/// What every list can print.
const LIST: &[Format] = &[Format::Table, Format::Wide, Format::Json, Format::Id, Format::Csv];
/// What the lists of things that lie in groups can print.
const IN_GROUPS: &[Format] = &[Format::Table, Format::Wide, Format::Json, Format::Id, Format::Csv, Format::Tree];

/// What a report can be: it is about no resource, or about more than one.
const REPORT: &[Format] = &[Format::Table, Format::Json];

/// The formats of the command at `path`, such as `["iam", "folders", "list"]`.
pub(crate) fn of(path: &[&str]) -> &'static [Format] {
    match path {
        [_, "organizations" | "folders" | "identities" | "role-bindings" | "repos", "list"] => IN_GROUPS,
        [_, _, "list"]
        | [_, _, _, "list"]
        | ["advisories" | "context", "list"]
        | ["config", "view" | "check"]
        | ["admin", "keys" | "rotate-keys"] => LIST,
        // A UID alone would throw away what is shown this once.
        ["bench"]
        | ["advisories", "import" | "export"]
        | ["auth", "exchange"]
        | ["auth", "pull-token", "create"]
        | ["iam", "invites", "create"]
        | [.., "scim", "token", "generate" | "regenerate"] => REPORT,
        _ => ONE,
    }
}

/// The format to use: the one that was asked for, if the command has it. The variable is a wish for all commands, so that
/// one without the format prints a table.
///
/// # Errors
/// When the flag asks for a format that the command does not have.
pub(crate) fn supported(asked: Format, matches: &ArgMatches, tree: Tree) -> Result<Format, clap::Error> {
    let (mut path, mut deepest) = (Vec::new(), matches);
    while let Some((name, deeper)) = deepest.subcommand() {
        path.push(name);
        deepest = deeper;
    }
    let formats = of(&path);
    if formats.contains(&asked) {
        return Ok(asked);
    }
    if deepest.value_source("output") != Some(ValueSource::CommandLine) {
        return Ok(Format::Table);
    }
    let names: Vec<_> = formats.iter().map(|format| format.name()).collect();
    let message = format!("`provost {}` cannot print {}, only {}", path.join(" "), asked.name(), names.join(", "));
    let mut tree = tree();
    tree.build();
    let command = path.iter().try_fold(&mut tree, |command, name| command.find_subcommand_mut(name));
    Err(command.map_or_else(
        || clap::Error::raw(ErrorKind::InvalidValue, &message),
        |command| command.error(ErrorKind::InvalidValue, &message),
    ))
}
