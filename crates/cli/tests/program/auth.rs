//! Logging in and out.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use tempfile::TempDir;

use crate::support::{Server, Transcript, User};

#[test]
fn login_token_status_logout() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::of(&server);
    let ran = user.login(&server, "admin", Some(&server.identity));
    session.add("log in as the owner", &ran);

    let cached = user.home.path().join(format!(".cache/chainguard/http:--{}/oidc-token", server.listen()));
    let token = std::fs::read_to_string(&cached).expect("cached");
    assert_eq!(std::fs::metadata(&cached).expect("cached").permissions().mode() & 0o777, 0o600);
    assert_eq!(user.done(&["auth", "token"]), format!("{token}\n"));

    let status = user.json(&["auth", "status"]);
    assert_eq!(status["identity"], server.identity);
    assert_eq!(status["issuer"], server.url);
    assert_eq!(status["audience"], json!([server.url]));
    assert_eq!(status["capabilities"][0]["group"]["id"], server.organization);
    assert_eq!(status["capabilities"][0]["role"]["name"], "owner");
    session.run(&user, &["auth", "status"]);
    assert_eq!(user.id(&["auth", "status"]), server.identity);

    session.run(&user, &["auth", "logout"]);
    assert!(!cached.exists());
    assert_eq!(user.run(&["auth", "token"]).code, 3);
    session.check("auth_login_token_status_logout");
}

#[test]
fn identity_tokens_come_from_files_pipes_and_arguments() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::of(&server);
    let token = user.done(&["dev", "id-token", "--subject", "admin"]);
    std::fs::write(user.home.path().join("token"), &token).expect("written");
    let login = ["auth", "login", "--identity", &server.identity, "-o", "id", "--identity-token"];
    for ran in [
        user.run(&[&login[..], &["token"]].concat()),
        user.piped(&[&login[..], &["-"]].concat(), &token),
        user.run(&[&login[..], &[token.trim()]].concat()),
    ] {
        assert_eq!((ran.code, ran.stdout.trim()), (0, server.identity.as_str()), "{}", ran.stderr);
    }
}

#[test]
fn users_need_not_name_themselves() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::of(&server);
    let ran = user.login(&server, "admin", None);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(user.id(&["auth", "status"]), server.identity);
}

#[test]
fn users_stay_logged_in_and_workloads_do_not() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::of(&server);
    assert_eq!(user.login(&server, "admin", None).code, 0);
    let folder = user.home.path().join(format!(".cache/chainguard/http:--{}", server.listen()));
    let (access, refresh) = (folder.join("oidc-token"), folder.join("refresh-token"));
    let read = |path: &std::path::Path| std::fs::read_to_string(path).expect("cached");
    assert_eq!(std::fs::metadata(&refresh).expect("cached").permissions().mode() & 0o777, 0o600);
    let (first, second) = (read(&access), read(&refresh));
    assert_eq!(user.done(&["auth", "token"]), format!("{first}\n"), "it lasts");
    // As it will be in an hour.
    std::fs::write(&access, "e30.eyJzdWIiOiJzIiwiZXhwIjoxfQ.AA").expect("written");
    let renewed = user.done(&["auth", "token"]);
    assert!(renewed.trim() != first && renewed.trim() == read(&access) && read(&refresh) != second, "both are new");
    assert_eq!(user.id(&["auth", "status"]), server.identity);
    std::fs::remove_file(&access).expect("removed");
    assert_eq!(user.id(&["auth", "status"]), server.identity, "the session is enough");

    std::fs::write(&access, "e30.eyJzdWIiOiJzIiwiZXhwIjoxfQ.AA").expect("written");
    std::fs::write(&refresh, "nonsense").expect("written");
    let ran = user.run(&["auth", "token"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("expired at 1970-01-01"), "{}", ran.stderr);
    assert!(!refresh.exists(), "what will never work is not kept");

    assert_eq!(user.login(&server, "admin", None).code, 0);
    assert!(refresh.exists());
    assert_eq!(user.login(&server, "admin", Some(&server.identity)).code, 0);
    assert!(!refresh.exists(), "the session was another login's");
    assert_eq!(user.login(&server, "admin", None).code, 0);
    user.done(&["auth", "logout"]);
    assert!(!refresh.exists() && !access.exists());
}

#[test]
fn refused_logins_say_why() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::of(&server);
    session.add("log in as the owner with somebody's token", &user.login(&server, "somebody", Some(&server.identity)));
    session.add("log in as somebody", &user.login(&server, "somebody", None));
    session.run(&user, &["auth", "login", "--identity", &server.identity, "--identity-token", "a.b.c"]);
    session.run(&user, &["auth", "login", "--identity", "nobody", "--identity-token", "a.b.c"]);
    assert!(!user.home.path().join(".cache").exists(), "nothing was cached");
    session.check("auth_refused_logins_say_why");
}

#[test]
fn a_workload_narrows_itself() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let admin = User::admin(&server);
    let issuer = format!("{}/dev/idp", server.url);
    let team = admin.id(&["iam", "folders", "create", "team", "--parent", "dev"]);
    let ci = admin.id(&[
        "iam",
        "identities",
        "create",
        "ci",
        "--parent",
        "team",
        "--identity-issuer",
        &issuer,
        "--subject",
        "repo:a/b",
        "--role",
        "viewer",
    ]);
    let workload = User::of(&server);
    assert_eq!(workload.login(&server, "repo:a/b", Some(&ci)).code, 0);
    assert_eq!(workload.id(&["iam", "folders", "list"]), team);
    let ran = workload.run(&["iam", "folders", "create", "x", "--parent", &team]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);

    let token = workload.done(&["dev", "id-token", "--subject", "repo:a/b"]);
    let narrow = ["auth", "login", "--identity", &ci, "--identity-token", token.trim(), "--capabilities", "repo.list"];
    workload.done(&narrow);
    assert_eq!(workload.run(&["images", "repos", "list"]).code, 0);
    assert_eq!(workload.done(&["iam", "folders", "list", "-o", "id"]), "");
}

#[test]
fn an_exchange_keeps_nothing() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let owner = User::admin(&server);
    let team = owner.id(&["iam", "folders", "create", "team", "--parent", "dev"]);
    owner.id(&["iam", "folders", "create", "inner", "--parent", "dev/team"]);
    owner.id(&["iam", "folders", "create", "outside", "--parent", "dev"]);
    let user = User::of(&server);
    let id_token = user.done(&["dev", "id-token", "--subject", "admin"]);
    let exchange = ["auth", "exchange", "--identity-token", id_token.trim()];
    let token = user.done(&exchange);
    assert_eq!(token.trim().split('.').count(), 3, "{token}");
    assert_eq!(User::with_token(&server, &token).id(&["auth", "status"]), server.identity);
    assert!(!user.home.path().join(".cache").exists(), "nothing is kept");
    let told = user.json(&exchange);
    assert_eq!((&told["identity"], &told["audience"]), (&json!(server.identity), &json!(server.url)));
    assert!(told["token"].is_string() && told["expiry"].is_string(), "{told}");

    // Names, paths and UIDs mean the same.
    for scope in ["team", "dev/team", team.as_str()] {
        let token = user.done(&[&exchange[..], &["--scope", scope]].concat());
        let listed = User::with_token(&server, &token).done(&["iam", "folders", "list", "-o", "id"]);
        assert_eq!(listed.lines().count(), 2, "{scope}: {listed}");
    }
    let ran = user.run(&[&exchange[..], &["--scope", "tema"]].concat());
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean \"team\""), "{}", ran.stderr);
    let login = ["auth", "login", "--identity-token", id_token.trim(), "--scope", "dev/team"];
    user.done(&login);
    assert_eq!(user.done(&["iam", "folders", "list", "-o", "id"]).lines().count(), 2);
    assert_eq!(user.run(&[&exchange[..], &["-o", "id"]].concat()).code, 2, "a UID alone would throw the token away");
}

#[test]
fn pull_tokens_pull_until_they_end() {
    let mut session = Transcript::default();
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let (owner, robot) = (User::admin(&server), User::of(&server));
    let of = |line: &[&'static str]| [&["auth", "pull-token"], line].concat();
    let made = owner.json(&of(&["create", "--parent", "dev", "--name", "laptop", "--ttl", "1h"]));
    let text = |field: &str| made[field].as_str().expect(field).to_owned();
    let (identity, token) = (text("identity"), text("token"));
    assert_eq!(robot.run(&["auth", "login", "--identity", &identity, "--identity-token", &token]).code, 0);
    let status = robot.json(&["auth", "status"]);
    assert_eq!(status["capabilities"][0]["role"]["name"], "registry.pull", "{status:#}");
    assert_eq!(robot.run(&["iam", "folders", "create", "team", "--parent", "dev"]).code, 4);
    session.run(&owner, &of(&["list", "--parent", "dev"]));
    session.run(&owner, &of(&["list", "--expired", "-o", "json"]));
    session.run(&owner, &of(&["create", "--parent", "dev", "--ttl", "9000h"]));
    session.run(&owner, &of(&["create", "--parent", "nowhere"]));
    session.run(&robot, &of(&["create", "--parent", "dev"]));
    session.run(&owner, &of(&["create", "--parent", "dev", "-o", "id"]));
    let packages = owner.json(&of(&["create", "--parent", "dev", "--repository", "apk", "--name", "packages"]));
    let bindings = owner.json(&["iam", "role-bindings", "list", "--parent", "dev"]);
    let roles = bindings["items"].as_array().expect("items").iter();
    let roles: Vec<_> = roles.filter(|one| one["identity"] == packages["identity"]).map(|one| &one["role"]["name"]).collect();
    assert_eq!(roles, ["apk.pull"]);
    owner.id(&["iam", "identities", "delete", &identity, "-y"]);
    session.run(&robot, &["auth", "status"]);
    session.check("auth_pull_tokens_pull_until_they_end");
}
