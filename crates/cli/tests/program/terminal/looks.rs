//! Colours and widths.

use regex::{Captures, Regex};
use tempfile::TempDir;

use super::Terminal;
use crate::support::{PROVOST, Ran, Server, Transcript, User, finish};

/// The sequence that begins every colour.
const ESCAPE: char = '\x1b';

#[test]
fn colours_are_for_terminals_that_want_them() {
    let user = User::nowhere();
    let failing = "provost auth token";
    for (line, variables, colours) in [
        (failing.to_owned(), vec![], true),
        (failing.to_owned(), vec![("NO_COLOR", "1")], false),
        (failing.to_owned(), vec![("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], false),
        (failing.to_owned(), vec![("CLICOLOR", "0")], false),
        (failing.to_owned(), vec![("TERM", "dumb")], false),
        (failing.to_owned(), vec![("PROVOST_COLOR", "never")], false),
        (format!("{failing} --color never"), vec![], false),
        (format!("{failing} --color=always"), vec![("NO_COLOR", "1")], true),
        ("provost --help".to_owned(), vec![], true),
        ("provost --color never --help".to_owned(), vec![], false),
        ("provost --help".to_owned(), vec![("NO_COLOR", "1")], false),
        ("provost no-such-command --color=never".to_owned(), vec![], false),
    ] {
        let (_, told) = Terminal::with(&user, 80, &line, &variables).ends();
        assert!(told.contains("error:") || told.contains("Usage:"), "{told}");
        assert_eq!(told.contains(ESCAPE), colours, "{line} {variables:?}: {told:?}");
    }
}

#[test]
fn pipes_get_colours_only_by_force() {
    let user = User::nowhere();
    for (variable, flag, colours) in [
        (None, "auto", false),
        (Some("CLICOLOR_FORCE"), "auto", true),
        (Some("CLICOLOR_FORCE"), "never", false),
        (Some("NO_COLOR"), "auto", false),
        (None, "always", true),
    ] {
        let mut command = user.command(PROVOST);
        command.args(["auth", "token", "--color", flag]).envs(variable.map(|name| (name, "1")));
        let ran = finish(&mut command, "");
        assert_eq!(ran.stderr.contains(ESCAPE), colours, "{variable:?} {flag}: {:?}", ran.stderr);
    }
    let ran = user.run(&["auth", "token", "--color", "pink"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}

#[test]
fn tables_fit_the_terminal_and_only_there() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let long = "a description that is much too long for any terminal, 日本語も含めて, and goes on and on and on";
    let team = user.id(&["iam", "folders", "create", "team-a", "--parent", "dev", "-d", long]);
    let list = "provost iam folders list --color never";
    for columns in [72, 80, 100, 200] {
        let (code, told) = Terminal::run(&user, columns, list).ends();
        assert_eq!(code, 0);
        let too_wide = told.lines().find(|line| console::measure_text_width(line) > usize::from(columns));
        assert_eq!(too_wide, None, "{columns}");
        assert_eq!(told.contains(long), columns == 200, "{told}");
        let uid: String = told.lines().skip(2).filter_map(|line| line.split(" | ").next()).map(str::trim).collect();
        assert_eq!(uid, team, "the UID is whole");
    }
    assert!(user.done(&["iam", "folders", "list"]).contains(long), "nothing is cut in a pipe");
}

/// Records what lines of shell print on a terminal that is `columns` wide, with every digit of a UID as an x: their parts count by
/// their length.
fn on_terminal(session: &mut Transcript, user: &User, columns: u16, lines: &[&str]) {
    let part = Regex::new(r"\d{4}-\S+Z|\b[0-9a-f]{4,}\b").expect("a pattern");
    let hidden = |part: &Captures<'_>| {
        let part = part.get(0).map_or("", |part| part.as_str());
        if part.ends_with('Z') { part.to_owned() } else { "x".repeat(part.len()) }
    };
    for line in lines {
        let (code, told) = Terminal::run(user, columns, line).ends();
        let told = part.replace_all(told.trim_start(), hidden);
        session.add(&format!("{line}   # {columns} columns"), &Ran { code, stdout: format!("{told}\n"), stderr: String::new() });
    }
}

#[test]
fn tables_and_trees_keep_their_uids() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let lists = ["provost iam folders list --color never", "provost iam folders list -o tree --color never"];
    on_terminal(&mut session, &user, 80, &lists);
    for format in ["table", "wide", "csv", "id", "tree"] {
        session.run(&user, &["iam", "folders", "list", "-o", format]);
    }
    let team = user.id(&["iam", "folders", "create", "team-a", "--parent", "dev"]);
    // The first folder of a new user fits the usual terminal.
    let (_, told) = Terminal::run(&user, 80, lists[0]).ends();
    assert!(told.contains(&format!("{team} | dev/team-a")), "{told}");
    on_terminal(&mut session, &user, 80, &lists[..1]);
    let inner = user.id(&["iam", "folders", "create", "a-folder-with-quite-a-long-name", "--parent", "dev/team-a", "-d", "Deep"]);
    user.id(&["iam", "folders", "create", "team", "--parent", "dev"]);
    for columns in [40, 80, 200] {
        let (_, told) = Terminal::run(&user, columns, lists[1]).ends();
        assert!(told.lines().any(|line| line.ends_with(&inner)), "{columns}: {told}");
        on_terminal(&mut session, &user, columns, &lists);
    }
    on_terminal(&mut session, &user, 60, &["provost iam folders list -o wide --color never"]);
    session.run(&user, &["iam", "folders", "list", "-o", "wide"]);
    session.run(&user, &["iam", "folders", "list", "--order-by", "path:desc", "--limit", "2"]);
    session.run(&user, &["iam", "folders", "list", "--order-by", "name", "--limit", "1", "-o", "csv"]);
    session.check("terminal_tables_and_trees_keep_their_uids");
}
