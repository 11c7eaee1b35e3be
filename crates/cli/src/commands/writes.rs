//! The flags of commands that change something: `--dry-run`, and where a version can be meant `--if-match`.

use clap::{Arg, ArgAction, ArgMatches, Command};

const DRY_RUN: &str = "dry_run";
const IF_MATCH: &str = "if_match";

/// What a command does to what the server keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Nothing, or what cannot be rehearsed.
    None,
    /// It makes something new, or changes several things.
    Writes,
    /// It changes one thing, of which a version can be meant.
    Changes,
}

/// What the command at `path` does, such as `["iam", "folders", "list"]`.
fn of(path: &[&str]) -> Effect {
    match path {
        ["iam", "account-associations", "set", _]
        | ["iam" | "images" | "events" | "advisories", .., "update" | "delete" | "set" | "unset" | "readme"] => Effect::Changes,
        ["auth", "delete-account"]
        | ["iam" | "images" | "events" | "advisories", .., "create" | "remove" | "accept" | "grant" | "refuse" | "replay"]
        | ["iam", .., "enable" | "disable" | "generate" | "regenerate" | "revoke"] => Effect::Writes,
        // `auth pull-token` and `advisories import` as well: what they make first, the rest needs to be there.
        _ => Effect::None,
    }
}

/// Adds the flags to every command of `tree` that has a use for them.
pub(crate) fn add(tree: Command) -> Command {
    at(tree, &[])
}

fn at(command: Command, path: &[&str]) -> Command {
    let is_leaf = command.get_subcommands().next().is_none();
    let command = match of(path) {
        Effect::Writes if is_leaf => command.arg(dry_run()),
        Effect::Changes if is_leaf => command.args([dry_run(), if_match_arg()]),
        _ => command,
    };
    // Every one is touched, because those that are move to the end.
    let names: Vec<_> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    names.iter().fold(command, |command, name| command.mut_subcommand(name, |sub| at(sub, &[path, &[name]].concat())))
}

fn dry_run() -> Arg {
    let help = "Have the server check everything and change nothing";
    Arg::new(DRY_RUN).long("dry-run").action(ArgAction::SetTrue).help(help).display_order(90)
}

fn if_match_arg() -> Arg {
    let help = "Only if it still has this entity tag, which `describe -o json` shows";
    Arg::new(IF_MATCH).long("if-match").value_name("ETAG").value_parser(etag).help(help).display_order(91)
}

/// Whether these matches of a command ask for a rehearsal.
pub(crate) fn is_dry_run(matches: &ArgMatches) -> bool {
    matches.try_get_one::<bool>(DRY_RUN).ok().flatten().copied().unwrap_or_default()
}

/// The entity tag that these matches of a command name.
pub(crate) fn if_match(matches: &ArgMatches) -> Option<String> {
    matches.try_get_one::<String>(IF_MATCH).ok().flatten().cloned()
}

/// An entity tag as headers have it (RFC 9110 section 8.8.3). Shells take quotes away, so they may be missing.
fn etag(text: &str) -> Result<String, String> {
    let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    match bare {
        "*" => Ok(bare.to_owned()),
        bare if !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"') => Ok(format!("\"{bare}\"")),
        _ => Err("must be an entity tag, as `describe -o json` shows it".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use crate::line;

    use super::*;

    #[test]
    fn every_command_that_changes_what_servers_keep_has_the_flags() {
        const NEITHER: &[&str] = &["list", "describe", "check", "status", "export", "import"];
        fn check(command: &Command, path: &[&str]) {
            for sub in command.get_subcommands() {
                let path = [path, &[sub.get_name()]].concat();
                check(sub, &path);
                let is_leaf = sub.get_subcommands().next().is_none();
                if is_leaf && matches!(path.first(), Some(&"iam" | &"images" | &"events" | &"advisories")) {
                    assert_ne!(of(&path) == Effect::None, !NEITHER.contains(&sub.get_name()), "{path:?}");
                }
            }
        }
        check(&line::command(), &[]);
    }

    #[test]
    fn tags_need_no_quotes() {
        assert_eq!(etag("2a").as_deref(), Ok("\"2a\""));
        assert_eq!((etag("\"2a\"").as_deref(), etag("*").as_deref()), (Ok("\"2a\""), Ok("*")));
        for bad in ["", "\"", "a\"b", "a b", "é"] {
            assert!(etag(bad).is_err(), "{bad}");
        }
    }
}
