//! Choices for what is missing, and questions before a deletion.

use tempfile::TempDir;

use super::Terminal;
use crate::support::{Server, User};

#[test]
fn a_missing_argument_is_chosen_by_typing_a_part_of_it() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    user.id(&["iam", "folders", "create", "team-a", "--parent", "dev"]);
    let inner = user.id(&["iam", "folders", "create", "inner", "--parent", "dev/team-a"]);
    let mut terminal = Terminal::run(&user, 120, "provost iam folders describe -o id");
    terminal.sees("Which folder?");
    terminal.sees("dev/team-a/inner");
    terminal.types("inn");
    terminal.sees("dev/team-a/");
    terminal.types("\r");
    terminal.sees(&inner);
    assert_eq!(terminal.ends().0, 0);

    let bot =
        ["iam", "identities", "create", "bot", "--parent", "dev", "--identity-issuer", "https://i.example", "--subject", "s"];
    user.id(&bot);
    let line = "provost iam role-bindings create -o id";
    let mut terminal = Terminal::run(&user, 120, line);
    terminal.sees("Which identity?");
    terminal.types("\r");
    terminal.sees("Which role?");
    terminal.types("registry.pus");
    terminal.sees("registry.pus");
    terminal.types("\r");
    terminal.sees("Which group?");
    terminal.types("team-a\r");
    terminal.sees(&server.organization);
    assert_eq!(terminal.ends().0, 0);
    assert_eq!(user.done(&["iam", "role-bindings", "list", "--role", "registry.push", "-o", "id"]).lines().count(), 1);
}

#[test]
fn names_are_found_before_uids() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let first = user.id(&["iam", "folders", "create", "web", "--parent", "dev"]);
    // Two digits of the one folder's UID are the name of the other.
    let name = first.rsplit('/').next().and_then(|end| end.get(3..5)).expect("hex digits");
    let second = user.id(&["iam", "folders", "create", name, "--parent", "dev"]);
    for (typed, found) in [(name, &second), (first.rsplit('/').next().expect("an end"), &first)] {
        let mut terminal = Terminal::run(&user, 120, "provost iam folders describe -o id");
        terminal.sees("Which folder?");
        terminal.types(&format!("{typed}\r"));
        terminal.sees(found);
        assert_eq!(terminal.ends().0, 0);
    }
}

#[test]
fn an_ambiguous_name_is_a_choice() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    for parent in ["team-a", "team-b"] {
        user.id(&["iam", "folders", "create", parent, "--parent", "dev"]);
        user.id(&["iam", "folders", "create", "ci", "--parent", &format!("dev/{parent}")]);
    }
    let second = user.id(&["iam", "folders", "describe", "team-b/ci"]);
    let mut terminal = Terminal::run(&user, 120, "provost iam folders describe ci -o id");
    terminal.sees("Which folder ci?");
    terminal.sees("dev/team-b/ci");
    terminal.types("\x1b[B\r");
    terminal.sees(&second);
    assert_eq!(terminal.ends().0, 0);
}

#[test]
fn leaving_a_choice_does_nothing() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let mut terminal = Terminal::run(&user, 80, "provost iam organizations delete");
    terminal.sees("Which organization?");
    terminal.types("\x1b");
    let (code, told) = terminal.ends();
    assert_eq!(code, 1);
    assert!(told.contains("nothing was chosen"), "{told}");
}

#[test]
fn deletions_say_by_name_what_goes() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let folder = user.id(&["iam", "folders", "create", "team-a", "--parent", "dev"]);
    let question = format!("Really delete the folder dev/team-a ({folder})?");
    for named in ["team-a", folder.as_str()] {
        let mut terminal = Terminal::run(&user, 200, &format!("provost iam folders delete {named}"));
        terminal.sees(&question);
        terminal.types("n");
        let (code, told) = terminal.ends();
        assert_eq!(code, 1);
        assert!(told.contains("not confirmed"), "{told}");
    }
    let mut terminal = Terminal::run(&user, 200, "provost iam folders delete team-a");
    terminal.sees(&question);
    terminal.types("y");
    terminal.sees("deleted ");
    assert_eq!(terminal.ends().0, 0);
    assert_eq!(user.run(&["iam", "folders", "describe", "team-a"]).code, 5);
}

#[test]
fn a_login_offers_a_context() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::nowhere();
    let line = format!(
        "provost dev id-token --subject admin --api {0} > token; provost auth login --identity-token token --api {0}",
        server.url
    );
    let name = server.listen().replace(':', "-");
    let question = format!("Use {} from now on, as the context {name}?", server.url);
    for (answer, left) in [("n", 0), ("y", 1)] {
        let mut terminal = Terminal::run(&user, 200, &line);
        terminal.sees(&question);
        terminal.types(answer);
        assert_eq!(terminal.ends().0, 0);
        assert_eq!(user.done(&["context", "list", "-o", "id"]).lines().count(), left);
    }
    assert_eq!(user.id(&["auth", "status"]), server.identity, "it is used");
    // It is known now, and nobody is asked without a terminal.
    let (code, told) = Terminal::run(&user, 200, &line).ends();
    assert!(code == 0 && !told.contains("from now on"), "{told}");
    let other = User::nowhere();
    let (code, _) = Terminal::run(&other, 200, &format!("{line} -y")).ends();
    assert_eq!((code, other.done(&["context", "list", "-o", "id"]).as_str()), (0, ""));
    let mut terminal = Terminal::run(&user, 200, "provost context use -o id");
    terminal.sees("Which context?");
    terminal.types("\r");
    terminal.sees(&name);
    assert_eq!(terminal.ends().0, 0);
}

#[test]
fn nobody_is_asked_where_nobody_answers() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let asked = "provost iam folders describe";
    for (line, variables) in [
        (format!("{asked} -y"), vec![]),
        (format!("{asked} --no-input"), vec![]),
        (asked.to_owned(), vec![("PROVOST_NO_INPUT", "1")]),
        (asked.to_owned(), vec![("CI", "true")]),
        (asked.to_owned(), vec![("TERM", "dumb")]),
        (format!("{asked} </dev/null"), vec![]),
        (format!("{asked} 2>&1 | cat; (exit ${{PIPESTATUS[0]}})"), vec![]),
    ] {
        let (code, told) = Terminal::with(&user, 120, &line, &variables).ends();
        assert_eq!(code, 2, "{line} {variables:?}: {told}");
        assert!(told.contains("the following required arguments were not provided"), "{line} {variables:?}: {told}");
    }
    let (code, told) = Terminal::with(&user, 120, "provost iam organizations delete dev", &[("CI", "1")]).ends();
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("add -y to confirm"), "{told}");
}
