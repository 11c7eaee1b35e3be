//! What other programs call the verbs of this one.

use clap::{
    Command,
    error::{ContextKind, ContextValue, ErrorKind},
};

/// Words that are no verbs here, and the verb that is meant.
const MEANT: &[(&[&str], &str)] = &[
    (&["get", "show", "view", "info", "inspect"], "describe"),
    (&["add", "new", "make"], "create"),
    (&["edit", "set", "modify", "rename", "patch"], "update"),
    (&["remove", "del", "destroy"], "delete"),
];

/// Adds to an error about an unknown command which one is meant, where the command it was looked for in has that.
pub(crate) fn suggest(mut error: clap::Error, within: &Command) -> clap::Error {
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && let Some((_, meant)) = MEANT.iter().find(|(words, _)| words.contains(&word.as_str()))
        && within.find_subcommand(meant).is_some()
    {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![(*meant).to_owned()]));
    }
    error
}
