//! Calls that are made again, rehearsals, and changes of one version alone.

use tempfile::TempDir;

use crate::{
    strangers::cutting_proxy,
    support::{PROVOST, Server, Transcript, User, finish},
};

#[test]
fn a_change_whose_answer_was_lost_is_made_once() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let token = user.done(&["auth", "token"]);
    let proxied = cutting_proxy(server.listen().to_owned());
    let mut command = user.command(PROVOST);
    command.env("PROVOST_TOKEN", token.trim()).args(["--api", &proxied, "iam", "folders", "create", "once", "-o", "id"]);
    let ran = finish(command.args(["--parent", &server.organization]), "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    // Names of folders need not be unique, so a second one would show.
    assert_eq!(user.done(&["iam", "folders", "list", "--name", "once", "-o", "id"]), ran.stdout);
}

#[test]
fn a_server_is_waited_for_where_that_is_wanted() {
    let data = TempDir::new().expect("a folder");
    let mut server = Server::start(data.path());
    let user = User::admin(&server);
    let (listen, organization) = (server.listen().to_owned(), server.organization.clone());
    server.kill();
    assert_eq!(user.run(&["iam", "organizations", "list"]).code, 7, "otherwise it is told at once that nobody is there");
    let mut command = user.command(PROVOST);
    command.args(["iam", "organizations", "list", "-o", "id"]).env("PROVOST_RETRY_FOR", "1m");
    let waiting = std::thread::spawn(move || finish(&mut command, ""));
    std::thread::sleep(std::time::Duration::from_millis(500));
    let _server = Server::start_at(data.path(), &listen);
    let ran = waiting.join().expect("it ran");
    assert_eq!((ran.code, ran.stdout.trim(), ran.stderr.as_str()), (0, organization.as_str(), ""));
}

#[test]
fn rehearsals_change_nothing() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let folder = user.id(&["iam", "folders", "create", "team", "--parent", "dev"]);
    session.run(&user, &["iam", "folders", "create", "other", "--parent", "dev", "--dry-run"]);
    session.run(&user, &["iam", "folders", "create", "NO", "--parent", "dev", "--dry-run"]);
    session.run(&user, &["iam", "folders", "update", "team", "-d", "Anvils", "--dry-run", "-o", "json"]);
    session.run(&user, &["iam", "folders", "delete", "team", "--dry-run"]);
    session.run(&user, &["iam", "organizations", "delete", "dev", "--dry-run"]);
    let proof = ["--identity-issuer", "https://issuer.example", "--subject", "s", "--role", "viewer", "--dry-run"];
    session.run(&user, &[&["iam", "identities", "create", "ci", "--parent", "dev"], &proof[..]].concat());
    session.run(&user, &["auth", "delete-account", "--dry-run", "--force"]);
    session.run(&user, &["iam", "folders", "list", "--dry-run"]);
    assert_eq!(user.id(&["iam", "folders", "list"]), folder);
    assert_eq!(user.json(&["iam", "folders", "describe", "team"])["description"], "");
    assert_eq!(user.done(&["iam", "identities", "list", "--name", "ci", "-o", "id"]), "");
    assert_eq!(user.id(&["auth", "status"]), server.identity, "the login stays as well");
    session.check("retries_rehearsals_change_nothing");
}

#[test]
fn a_version_that_has_passed_is_not_changed() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let folder = user.id(&["iam", "folders", "create", "team", "--parent", "dev"]);
    let shown = user.json(&["iam", "folders", "describe", "team"]);
    let tag = shown["etag"].as_str().expect("an entity tag");
    let bare = tag.trim_matches('"');
    assert!(tag.starts_with('"') && !bare.is_empty(), "{shown:#}");
    session.run(&user, &["iam", "folders", "update", "team", "-d", "One", "--if-match", "0", "-o", "id"]);
    user.done(&["iam", "folders", "update", "team", "-d", "One", "--if-match", bare]);
    session.run(&user, &["iam", "folders", "update", "team", "-d", "Two", "--if-match", "x y"]);
    let (stale, new) = (tag, user.json(&["iam", "folders", "describe", "team"])["etag"].as_str().expect("one").to_owned());
    for line in [&["iam", "folders", "update", "team", "-d", "Two"][..], &["iam", "folders", "delete", "team", "-y"]] {
        let ran = user.run(&[line, &["--if-match", stale]].concat());
        assert_eq!(ran.code, 6, "{}", ran.stderr);
    }
    assert_eq!(user.id(&["iam", "folders", "delete", "team", "-y", "--if-match", &new]), folder);
    let proof = ["--identity-issuer", "https://issuer.example", "--subject", "s", "--parent", "dev"];
    user.id(&[&["iam", "identities", "create", "ci"], &proof[..]].concat());
    user.id(&["images", "repos", "create", "api", "--parent", "dev"]);
    for (of, what) in [("iam", "identities"), ("iam", "role-bindings"), ("images", "repos")] {
        let uid = user.done(&[of, what, "list", "-o", "id"]).lines().next().expect("one").to_owned();
        let shown = user.json(&[of, what, "describe", &uid]);
        assert!(shown["etag"].is_string(), "{shown:#}");
    }
    session.check("retries_a_version_that_has_passed");
}
