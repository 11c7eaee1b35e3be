//! What other programs call the commands of this one, and where commands are that somebody looks for elsewhere.

use clap::{
    Command,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::config::server::nearest;

/// Words that are no verbs here, and the verb that is meant.
const MEANT: &[(&[&str], &str)] = &[
    (&["get", "show", "view", "info", "inspect"], "describe"),
    (&["add", "new", "make"], "create"),
    (&["edit", "set", "modify", "rename", "patch"], "update"),
    (&["remove", "del", "destroy"], "delete"),
];

/// Words that are no commands here, and the command that is meant.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (&["whoami", "who", "me"], "auth status"),
    (&["signin", "sign-in", "logon"], "auth login"),
    (&["signout", "sign-out", "logoff"], "auth logout"),
    (&["groups", "group"], "iam folders"),
    (&["bindings"], "iam role-bindings"),
    (&["server", "start", "run"], "serve"),
];

/// Adds to an error about an unknown command which one is meant: another verb of the command that it was looked for in, else one of
/// that name elsewhere in the whole tree, `root`.
pub(crate) fn suggest(mut error: clap::Error, root: &Command, within: &Command) -> clap::Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand).cloned() else { return error };
    let similar_here = error.get(ContextKind::SuggestedSubcommand).is_some();
    let verb = meant(MEANT, &word).filter(|verb| within.find_subcommand(verb).is_some());
    let suggested = match verb {
        Some(verb) => vec![verb.to_owned()],
        None => elsewhere(root, &word, similar_here),
    };
    if !suggested.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(suggested));
    }
    error
}

fn meant(words: &[(&[&str], &'static str)], word: &str) -> Option<&'static str> {
    words.iter().find(|(words, _)| words.contains(&word)).map(|(_, meant)| *meant)
}

/// The commands that `word` is the name of, those nearest to the root; else, unless there are similar names where it was looked for, of a
/// name that is similar to it.
fn elsewhere(root: &Command, word: &str, similar_here: bool) -> Vec<String> {
    let full = |path: &str| format!("{} {path}", root.get_name());
    if let Some(path) = meant(ELSEWHERE, word) {
        return vec![full(path)];
    }
    let mut all = Vec::new();
    collect(root, &[], &mut all);
    let named = |wanted: &str| {
        let paths: Vec<_> = all.iter().filter(|(name, _)| name == wanted).map(|(_, path)| path).collect();
        let depth = paths.iter().map(|path| path.len()).min();
        let nearest: Vec<_> =
            paths.into_iter().filter(|path| Some(path.len()) == depth).map(|path| full(&path.join(" "))).collect();
        // A verb of many nouns is none of them.
        if all.iter().filter(|(name, _)| name == wanted).count() > 4 { Vec::new() } else { nearest }
    };
    let same = named(word);
    if !same.is_empty() || similar_here {
        return same;
    }
    nearest(word, all.iter().map(|(name, _)| name.as_str())).map(named).unwrap_or_default()
}

/// Every name of every command below `at`, with the path of the command.
fn collect(at: &Command, path: &[&str], all: &mut Vec<(String, Vec<String>)>) {
    for sub in at.get_subcommands() {
        let path = [path, &[sub.get_name()]].concat();
        let owned: Vec<_> = path.iter().map(|&name| name.to_owned()).collect();
        all.extend(sub.get_name_and_visible_aliases().into_iter().map(|name| (name.to_owned(), owned.clone())));
        collect(sub, &path, all);
    }
}

#[cfg(test)]
mod tests {
    use crate::line;

    use super::*;

    #[test]
    fn commands_are_found_wherever_they_are() {
        let root = line::command();
        let found = |word| elsewhere(&root, word, false);
        assert_eq!(found("login"), ["provost auth login"]);
        assert_eq!(found("lgoin"), ["provost auth login"]);
        assert_eq!(found("whoami"), ["provost auth status"]);
        assert_eq!(found("folder"), ["provost iam folders"]);
        assert_eq!(found("token"), ["provost auth token", "provost admin token"]);
        assert_eq!((found("list"), found("frobnicate")), (vec![], vec![]));
    }

    #[test]
    fn what_is_said_of_other_words_is_there() {
        let root = line::command();
        for (_, path) in ELSEWHERE {
            let found = path.split(' ').try_fold(&root, |at, name| at.find_subcommand(name));
            assert!(found.is_some(), "{path}");
        }
    }
}
