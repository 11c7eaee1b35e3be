//! The reference of the command line, as committed under `docs`.

use std::fmt::Write as _;

use clap::{Arg, Command};

use crate::{
    commands::{examples, formats},
    line, manual,
};

/// The reference: every command with its arguments, formats and examples, and what all of them have in common. Markdown.
#[must_use]
pub fn command_reference() -> String {
    let mut tree = line::command().disable_help_subcommand(true);
    tree.build();
    let mut text = String::from(
        "# Command line\n\nWritten by `cargo xtask gen` from the program's own command tree; do not edit. `provost COMMAND --help` \
         and `provost man COMMAND` say the same.\n\n",
    );
    for (title, paragraph) in manual::COMMON {
        paragraph_under(&mut text, title, paragraph);
    }
    let globals: Vec<_> = tree.get_arguments().filter(|arg| is_common(arg)).cloned().collect();
    text.push_str("## Options of every command\n\n");
    arguments(&mut text, globals.iter());
    text.push_str("## Exit codes\n\n");
    table(&mut text, ["code", "meaning"], manual::exit_codes());
    text.push_str("## Environment\n\n");
    table(&mut text, ["variable", "meaning"], manual::variables(&tree));
    text.push_str("## Files\n\n");
    table(&mut text, ["file", "meaning"], manual::files(&tree));
    text.push_str("## Commands\n\n");
    command(&mut text, &tree, &[]);
    format!("{}\n", text.trim_end())
}

fn paragraph_under(text: &mut String, title: &str, paragraph: &str) {
    // Writing to a String cannot fail.
    let _ = write!(text, "## {title}\n\n{paragraph}\n\n");
}

fn command(text: &mut String, at: &Command, path: &[&str]) {
    if !path.is_empty() && at.get_subcommands().next().is_none() {
        let line = path.join(" ");
        let about = at.get_about().map(ToString::to_string).unwrap_or_default();
        let usage = at.clone().render_usage().to_string();
        let _ = write!(text, "### provost {line}\n\n{about}.\n\n```text\n{}\n```\n\n", usage.trim());
        arguments(text, at.get_arguments().filter(|arg| !is_common(arg)));
        let names: Vec<_> = formats::of(path).iter().map(|format| format.name()).collect();
        let aliases: Vec<_> = at.get_visible_aliases().map(|alias| format!("`{alias}`")).collect();
        if !aliases.is_empty() {
            let _ = write!(text, "Also called {}.\n\n", aliases.join(", "));
        }
        if names.len() > 3 {
            let _ = write!(text, "Formats: {}.\n\n", names.join(", "));
        }
        let examples = examples::of(&line);
        if !examples.is_empty() {
            let lines: Vec<_> = examples.iter().map(|(what, line)| format!("# {what}\n{line}")).collect();
            let _ = write!(text, "```sh\n{}\n```\n\n", lines.join("\n"));
        }
    }
    for sub in at.get_subcommands() {
        command(text, sub, &[path, &[sub.get_name()]].concat());
    }
}

/// Whether it is an option of every command.
fn is_common(arg: &Arg) -> bool {
    arg.get_help_heading() == Some("Global options") || matches!(arg.get_id().as_str(), "help" | "version")
}

fn arguments<'a>(text: &mut String, args: impl Iterator<Item = &'a Arg>) {
    let rows: Vec<_> = args.filter(|arg| !arg.is_hide_set()).map(|arg| (spelled(arg), meaning(arg))).collect();
    if !rows.is_empty() {
        table(text, ["argument", "meaning"], rows);
    }
}

fn spelled(arg: &Arg) -> String {
    let value = arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let takes_value = arg.get_action().takes_values();
    match (arg.get_short(), arg.get_long()) {
        (_, None) => value,
        (short, Some(long)) => {
            let short = short.map(|short| format!("-{short}, ")).unwrap_or_default();
            let value = if takes_value && !value.is_empty() { format!(" {value}") } else { String::new() };
            format!("{short}--{long}{value}")
        }
    }
}

fn meaning(arg: &Arg) -> String {
    let mut meaning = arg.get_help().map(ToString::to_string).unwrap_or_default();
    if let Some(variable) = arg.get_env().and_then(|name| name.to_str()) {
        let _ = write!(meaning, "; `{variable}`");
    }
    let default = arg.get_default_values().iter().filter_map(|value| value.to_str()).find(|value| !value.is_empty());
    if let Some(default) = default.filter(|_| arg.get_action().takes_values()) {
        let _ = write!(meaning, "; default `{default}`");
    }
    meaning
}

fn table(text: &mut String, headings: [&str; 2], rows: Vec<(String, String)>) {
    let [word, meaning] = headings;
    let _ = write!(text, "| {word} | {meaning} |\n|---|---|\n");
    for (word, meaning) in rows {
        let _ = writeln!(text, "| `{}` | {} |", word.replace('|', "\\|"), meaning.replace('|', "\\|"));
    }
    text.push('\n');
}
