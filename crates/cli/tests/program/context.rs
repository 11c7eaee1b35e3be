//! `provost context`, and which server is meant.

use tempfile::TempDir;

use crate::support::{PROVOST, Ran, Server, Transcript, User, finish};

fn with(user: &User, variables: &[(&str, &str)], line: &[&str]) -> Ran {
    let mut command = user.command(PROVOST);
    finish(command.envs(variables.iter().copied()).args(line), "")
}

#[test]
fn every_verb() {
    let mut session = Transcript::default();
    let user = User::nowhere();
    session.run(&user, &["context", "list"]);
    session.run(&user, &["context", "add", "prod"]);
    session.run(&user, &["context", "add", "prod", "--api", "provost.example"]);
    session.run(&user, &["context", "add", "a b", "--api", "https://provost.example"]);
    session.run(&user, &["context", "add", "prod", "--api", "https://provost.example/", "--organization", "acme"]);
    session.run(
        &user,
        &["context", "add", "test", "--api", "https://test.example", "--issuer", "https://i.example", "--audience", "x"],
    );
    session.run(&user, &["context", "add", "test", "--api", "https://other.example"]);
    session.run(&user, &["context", "list"]);
    session.run(&user, &["context", "use", "test", "-o", "json"]);
    session.run(&user, &["context", "use", "tset"]);
    session.run(&user, &["context", "list", "-o", "json"]);
    session.run(&user, &["auth", "token"]);
    session.run(&user, &["auth", "token", "--context", "prod"]);
    session.run(&user, &["context", "remove", "test"]);
    session.run(&user, &["context", "remove", "test"]);
    session.run(&user, &["context", "list", "-o", "csv"]);
    session.run(&user, &["auth", "token"]);
    session.run(&user, &["auth", "token", "--context", "test"]);
    session.run(&user, &["context", "use"]);
    let file = user.home.path().join(".config/provost/contexts.json");
    std::fs::write(&file, "{\"contexts\": []}").expect("written");
    session.run(&user, &["auth", "token"]);
    session.run(&user, &["version", "-o", "id"]);
    session.check("context_every_verb");
}

#[test]
fn flags_then_variables_then_the_context() {
    let user = User::nowhere();
    for (name, api) in [("one", "http://one.example"), ("two", "http://two.example")] {
        user.done(&["context", "add", name, "--api", api]);
    }
    let meant = |variables: &[(&str, &str)], line: &[&str]| {
        let ran = with(&user, variables, &[&["auth", "token"], line].concat());
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        ran.stderr.lines().next().expect("an error").rsplit(' ').next().expect("a URL").to_owned()
    };
    let api = ("PROVOST_API", "http://three.example");
    assert_eq!(meant(&[], &[]), "http://one.example");
    assert_eq!(meant(&[], &["--context", "two"]), "http://two.example");
    assert_eq!(meant(&[("PROVOST_CONTEXT", "two")], &[]), "http://two.example");
    assert_eq!(meant(&[api], &[]), "http://three.example");
    assert_eq!(meant(&[api, ("PROVOST_CONTEXT", "two")], &[]), "http://three.example");
    assert_eq!(meant(&[api], &["--context", "two"]), "http://two.example");
    assert_eq!(meant(&[api], &["--api", "http://four.example", "--context", "two"]), "http://four.example");
    assert_eq!(meant(&[("PROVOST_AUDIENCE", "x")], &[]), "x");
}

#[test]
fn a_context_is_enough_to_work() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::nowhere();
    user.done(&["context", "add", "here", "--api", &server.url, "--organization", "dev"]);
    assert_eq!(user.login(&server, "admin", None).code, 0);
    // The organization is the parent of what needs one, and only of that.
    let team = user.id(&["iam", "folders", "create", "team"]);
    assert!(team.starts_with(&server.organization), "{team}");
    session.run(&user, &["iam", "folders", "create"]);
    let code = user.json(&["iam", "invites", "create", "--role", "viewer"])["code"].clone();
    assert!(code.is_string(), "{code}");
    session.run(&user, &["iam", "folders", "delete"]);
    user.id(&["iam", "organizations", "create", "other"]);
    assert_eq!(user.done(&["iam", "organizations", "list", "-o", "id"]).lines().count(), 2);
    let elsewhere = user.id(&["iam", "folders", "create", "team", "--parent", "other"]);
    assert!(!elsewhere.starts_with(&server.organization), "{elsewhere}");
    session.run(&user, &["iam", "folders", "create", "x", "--api", &server.url]);
    session.check("context_a_context_is_enough");
}
