//! What the manual says beyond the help, for the pages of `provost man` and for the reference.

use clap::Command;

use crate::exit::Exit;

/// A word and what it means.
pub(crate) type Entry = (String, String);

/// Variables that are no flags.
const VARIABLES: &[(&str, &str)] = &[
    ("PROVOST_TOKEN", "The API token to use instead of the one that `provost auth login` keeps."),
    ("XDG_CACHE_HOME", "Where tokens are kept, an absolute path; ~/.cache by default."),
    ("XDG_CONFIG_HOME", "Where contexts are kept, an absolute path; ~/.config by default."),
    ("SSL_CERT_FILE, SSL_CERT_DIR", "Certificates of the authorities to trust instead of the system's, for https servers."),
    ("CI", "When set, nothing is asked: missing arguments are errors, and deletions need -y."),
    ("NO_COLOR", "When set, no colours."),
    ("CLICOLOR_FORCE", "When set and not 0, colours even where no terminal is; NO_COLOR goes before it."),
    ("CLICOLOR", "When 0, no colours."),
    ("TERM", "When dumb, no colours, prompts or progress."),
];

/// The variables that the server alone reads.
const OF_THE_SERVER: &[(&str, &str)] =
    &[("PROVOST_LOG, RUST_LOG", "What the server logs, such as info,store=debug; the first one counts.")];

const FILES: &[(&str, &str)] = &[
    (
        "~/.cache/chainguard/AUDIENCE/oidc-token",
        "The API token of an audience, whose slashes are dashes; readable by its owner alone. Published clients keep theirs there too.",
    ),
    ("~/.config/provost/contexts.json", "The contexts, and which one is used; `provost context` writes it."),
];

const FILES_OF_THE_SERVER: &[(&str, &str)] =
    &[("./provost-data", "The server's data folder, unless --data names another. Nobody but the server's user may read it.")];

/// How things are named, printed and asked for: what all commands have in common.
pub(crate) const COMMON: &[(&str, &str)] = &[
    (
        "Names, paths and UIDs",
        "Organizations, folders, identities, roles and repos are named by their UID, their name, or their path: the names from \
         the organization down, or as many of the last ones as are needed, such as acme/team-a/ci or team-a/ci. A UID is taken \
         as it is; names are looked up among what you can see. A name that stands for several things is an error that lists \
         them, and one that nothing has is an error that names similar ones. A person is also found by an email address, among \
         those who hold a role that you can see.",
    ),
    (
        "Contexts",
        "A context is a server under a name of your own: its API, and if need be its token issuer, the audience of its tokens and the \
         organization that --parent means where a command needs one and none is named. One of them is used until another one is \
         chosen. --api and PROVOST_API go before it: then no context counts.",
    ),
    (
        "Trying again",
        "When a server is busy or away, or the connection to it breaks off, calls are made again for 10 seconds, or for as long as \
         --retry-for says; 0s makes each call once. Each write carries an idempotency key of its own, so that it is applied once \
         however often it is sent. A server that was never there is waited for only where --retry-for is given.",
    ),
    (
        "Rehearsals and versions",
        "With --dry-run the server checks a change and answers as if it were made, and keeps nothing. With --if-match a change is made \
         only if the thing still has the entity tag that `describe -o json` showed; otherwise the exit code is 6.",
    ),
    (
        "Questions",
        "On a terminal, a missing argument opens a choice among everything it can be, and deletions ask first. Nothing is \
         asked without a terminal on standard input and standard error, with --yes or --no-input, or where CI is set.",
    ),
    (
        "Formats",
        "table is for people; on a terminal it is fitted to the width by cutting texts, never UIDs. json is for programs: \
         lists are {\"items\": [...]}, and field names stay. id prints UIDs alone, one per line. csv, for lists, is RFC 4180 with \
         a first line of headings; a cell that a spreadsheet would take for a formula gets an apostrophe in front. tree, for \
         lists of what lies in folders, shows what lies below what. json, id and csv print each page as it arrives.",
    ),
];

/// What the exit codes mean.
pub(crate) fn exit_codes() -> Vec<Entry> {
    Exit::ALL.iter().map(|(exit, meaning)| (exit.code().to_string(), format!("{meaning}."))).collect()
}

/// The variables that `command` reads.
pub(crate) fn variables(command: &Command) -> Vec<Entry> {
    let flags = command.get_arguments().filter_map(|arg| {
        let (variable, flag) = (arg.get_env()?.to_str()?, arg.get_long()?);
        Some((variable.to_owned(), format!("The same as --{flag}.")))
    });
    let more = if serves(command) { OF_THE_SERVER } else { &[] };
    flags.chain(owned(VARIABLES)).chain(owned(more)).collect()
}

/// The files that `command` uses.
pub(crate) fn files(command: &Command) -> Vec<Entry> {
    owned(if serves(command) { FILES_OF_THE_SERVER } else { FILES }).collect()
}

/// Whether it works on a server's data folder.
fn serves(command: &Command) -> bool {
    command.get_arguments().any(|arg| arg.get_id() == "data")
}

fn owned(entries: &'static [(&str, &str)]) -> impl Iterator<Item = Entry> {
    entries.iter().map(|(word, meaning)| ((*word).to_owned(), (*meaning).to_owned()))
}
