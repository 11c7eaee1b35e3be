//! What is not done by mistake.

use tempfile::TempDir;

use crate::support::{PROVOST, Ran, Server, Transcript, User, finish};

fn with(user: &User, variable: (&str, &str), line: &[&str]) -> Ran {
    let mut command = user.command(PROVOST);
    finish(command.env(variable.0, variable.1).args(line), "")
}

#[test]
fn an_organization_keeps_an_owner() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let bindings = ["iam", "role-bindings"];
    let of = |rest: &[&'static str]| [&bindings[..], rest].concat();
    let last = user.id(&of(&["list", "--role", "owner"]));
    session.run(&user, &[&of(&["delete"])[..], &[&last, "-y"]].concat());
    session.run(&user, &[&of(&["update"])[..], &[&last, "--role", "viewer"]].concat());
    session.run(&user, &["iam", "identities", "delete", &server.identity, "-y"]);
    session.run(&user, &["auth", "delete-account", "-y"]);
    let proof = ["--identity-issuer", "https://issuer.example", "--subject", "s", "--parent", "dev"];
    let ci = user.id(&[&["iam", "identities", "create", "ci"], &proof[..]].concat());
    let second = user.id(&[&of(&["create", "--role", "owner", "--parent", "dev", "--identity"])[..], &[&ci]].concat());
    session.run(&user, &[&of(&["update"])[..], &[&last, "--role", "viewer", "-o", "id"]].concat());
    assert_eq!(user.id(&of(&["list", "--role", "owner"])), second);
    session.run(&user, &[&of(&["delete"])[..], &[&second, "-y"]].concat());
    session.check("safety_an_organization_keeps_an_owner");
}

#[test]
fn an_organization_loses_its_last_owner_by_force_alone() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let last = user.id(&["iam", "role-bindings", "list", "--role", "owner"]);
    let ran = user.run(&["iam", "users", "remove", &server.identity, "--parent", "dev", "-y"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("takes the last owner from the organization dev"), "{}", ran.stderr);
    assert_eq!(user.id(&["iam", "role-bindings", "delete", &last, "-y", "--force"]), last);
    assert_eq!(user.run(&["iam", "folders", "create", "x", "--parent", &server.organization]).code, 4);
}

#[test]
fn the_same_role_twice_is_told() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let proof = ["--identity-issuer", "https://issuer.example", "--subject", "s", "--parent", "dev", "--role", "viewer"];
    user.id(&[&["iam", "identities", "create", "ci"], &proof[..]].concat());
    let bind = ["iam", "role-bindings", "create", "--identity", "ci", "--parent", "dev", "--role"];
    session.run(&user, &[&bind[..], &["viewer", "-o", "id"]].concat());
    session.run(&user, &[&bind[..], &["editor", "-o", "id"]].concat());
    session.check("safety_the_same_role_twice");
}

#[test]
fn variables_mean_what_they_say() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::admin(&server);
    let folder = user.id(&["iam", "folders", "create", "team", "--parent", "dev"]);
    let delete = ["iam", "folders", "delete", "team"];
    for variable in [
        ("PROVOST_YES", "maybe"),
        ("PROVOST_YES", ""),
        ("PROVOST_YES", "no"),
        ("PROVOST_NO_INPUT", "perhaps"),
        ("PROVOST_YESS", "1"),
        ("PROVOST_APII", "http://elsewhere.example"),
        ("XDG_CACHE_HOME", "cache"),
        ("PROVOST_RETRY_FOR", "10"),
    ] {
        session.add(&format!("{}={} provost iam folders delete team", variable.0, variable.1), &with(&user, variable, &delete));
    }
    assert_eq!(user.id(&["iam", "folders", "list"]), folder);
    let ran = with(&user, ("PROVOST_YES", "on"), &delete);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // Those of others are theirs.
    let ran = with(&user, ("PROVOST_SERVICE_HOST", "10.0.0.1"), &["iam", "folders", "list", "-o", "id"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    session.check("safety_variables");
}

#[test]
fn filters_of_the_log_are_no_slips() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let user = User::nowhere();
    for filter in ["info,stroe=debug", "inof", "gatway::observe=off"] {
        session
            .add(&format!("serve --log-filter {filter}"), &user.run_on(data.path(), &["serve", "--dev", "--log-filter", filter]));
    }
    session.add("admin log-level stroe=debug", &user.run_on(data.path(), &["admin", "log-level", "stroe=debug"]));
    session.check("safety_filters_of_the_log");
}
