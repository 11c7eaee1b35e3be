//! `-o`, `--limit` and `--order-by`

use tempfile::TempDir;

use crate::support::{PROVOST, Server, Transcript, User, finish};

#[test]
fn lists_are_tables_csv_and_trees() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    user.id(&["iam", "organizations", "create", "acme", "-d", "=HYPERLINK(\"https://evil.example\",\"a, b\")"]);
    user.id(&["iam", "folders", "create", "team-a", "--parent", "acme", "-d", "Says \"hello\""]);
    user.id(&["iam", "folders", "create", "b", "--parent", "acme/team-a"]);
    user.id(&[
        "iam",
        "roles",
        "create",
        "looker",
        "--parent",
        "acme",
        "--capabilities",
        "groups.list,repo.list,tag.list,roles.list",
    ]);
    user.id(&["images", "repos", "create", "api", "--parent", "acme/team-a", "--bundles", "base,byol"]);
    user.id(&[
        "iam",
        "identities",
        "create",
        "ci",
        "--parent",
        "acme/team-a",
        "--identity-issuer",
        "https://i.example",
        "--subject",
        "s",
        "--role",
        "viewer,looker",
    ]);
    for list in [&["iam", "organizations"][..], &["iam", "folders"], &["images", "repos"]] {
        for format in ["csv", "tree"] {
            session.run(&user, &[list, &["list", "--order-by", "name", "-o", format]].concat());
        }
    }
    session.run(&user, &["iam", "roles", "list", "--parent", "acme", "-o", "csv"]);
    session.run(&user, &["iam", "identities", "list", "--parent", "acme", "-o", "csv"]);
    session.run(&user, &["iam", "identities", "list", "--parent", "acme", "-o", "tree"]);
    session.run(&user, &["iam", "role-bindings", "list", "--parent", "acme", "-o", "tree"]);
    session.run(&user, &["iam", "role-bindings", "list", "--identity", "ci", "--role", "viewer", "-o", "csv"]);
    session.run(&user, &["iam", "organizations", "list", "--name", "acme", "-o", "tree"]);
    session.run(&user, &["iam", "folders", "list", "acme/team-a", "-o", "tree"]);
    session.run(&user, &["iam", "folders", "list", "--name", "nothing", "-o", "json"]);
    session.run(&user, &["iam", "folders", "list", "--name", "nothing", "-o", "csv"]);
    session.run(&user, &["iam", "folders", "list", "--name", "nothing", "-o", "tree"]);
    let crlf = user.done(&["iam", "folders", "list", "-o", "csv"]);
    assert!(crlf.split_inclusive("\r\n").count() == 3 && crlf.ends_with("\r\n"), "{crlf:?}");
    session.check("formats_lists");
}

#[test]
fn a_format_that_a_command_does_not_have_is_refused_before_anything_happens() {
    let mut session = Transcript::default();
    let user = User::nowhere();
    session.run(&user, &["iam", "organizations", "create", "acme", "-o", "csv"]);
    session.run(&user, &["iam", "roles", "list", "-o", "tree"]);
    session.run(&user, &["-o", "tree", "version"]);
    session.run(&user, &["version", "-o", "xml"]);
    session.check("formats_refused");
    // The variable is a wish for all commands.
    let mut command = user.command(PROVOST);
    command.env("PROVOST_OUTPUT", "csv").arg("version");
    assert!(finish(&mut command, "").stdout.starts_with("version: "));
}

#[test]
fn limits_and_orders() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let created = ["b", "c", "a"].map(|name| user.id(&["iam", "folders", "create", name, "--parent", "dev"]));
    let [b, c, a] = created.each_ref().map(String::as_str);
    let listed = |line: &[&str]| -> Vec<String> {
        let told = user.done(&[&["iam", "folders", "list", "-o", "id"], line].concat());
        told.lines().map(str::to_owned).collect()
    };
    assert_eq!(listed(&["--order-by", "created_at"]), [b, c, a]);
    assert_eq!(listed(&["--order-by", "name:desc"]), [c, b, a]);
    assert_eq!(listed(&["--order-by", "name desc", "--limit", "2"]), [c, b]);
    assert_eq!(listed(&["dev", "--order-by", "name", "--limit", "3"]), [a, b, c]);
    session.run(&user, &["iam", "folders", "list", "--order-by", "name", "--limit", "1"]);
    session.run(&user, &["iam", "folders", "list", "--order-by", "name", "--limit", "1", "-o", "json"]);
    session.run(&user, &["iam", "folders", "list", "--order-by", "name", "--limit", "1", "-o", "csv"]);
    session.run(&user, &["iam", "folders", "list", "--limit", "0"]);
    session.run(&user, &["iam", "folders", "list", "--order-by", "colour"]);
    session.run(&user, &["iam", "folders", "list", "--order-by", "name:down"]);
    let all = user.run(&["iam", "folders", "list", "--limit", "3"]);
    assert_eq!(all.stderr, "", "there are no more");
    session.check("formats_limits_and_orders");
}

#[test]
fn a_reader_that_has_enough_ends_the_list() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    for format in ["table", "json", "id", "csv", "tree"] {
        let mut shell = user.command("bash");
        shell.args(["-c", &format!("{PROVOST} iam organizations list -o {format} | true; echo ${{PIPESTATUS[0]}}")]);
        let ran = finish(&mut shell, "");
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("0\n", ""), "{format}");
    }
}
