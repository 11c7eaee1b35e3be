//! A server in dev mode, from an empty folder.

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{PROVOST, Ran, Server, User, finish};

fn shell(user: &User, line: &str) -> Ran {
    let mut command = user.command("sh");
    command.arg("-c").arg(line);
    finish(command, "")
}

#[test]
fn the_printed_commands_work_in_order() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(&data.path().join("made/by/the/server"));
    // The commands name the server, so that they need nothing from the environment.
    let user = User::nowhere();
    let [login, list, create] = server.commands.as_slice() else { panic!("three commands: {:?}", server.commands) };
    let ran = shell(&user, login);
    assert_eq!(ran.code, 0, "{login}\n{}", ran.stderr);
    assert!(ran.stdout.contains(&server.identity), "{}", ran.stdout);
    let ran = shell(&user, &format!("{list} -o json"));
    assert_eq!(ran.code, 0, "{list}\n{}", ran.stderr);
    let organizations: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(organizations["items"][0]["id"], server.organization);
    assert_eq!(organizations["items"][0]["name"], "dev");
    let ran = shell(&user, &format!("{create} -o id"));
    assert_eq!(ran.code, 0, "{create}\n{}", ran.stderr);
    assert!(ran.stdout.starts_with(&format!("{}/", server.organization)), "{}", ran.stdout);
}

#[test]
fn the_next_start_finds_everything() {
    let data = TempDir::new().expect("a folder");
    let mut first = Server::start(data.path());
    let user = User::admin(&first);
    let folder = user.id(&["iam", "folders", "create", "kept", "--parent", "dev"]);
    first.signal("TERM");
    assert_eq!(first.wait(), Some(0));
    let second = Server::start_at(data.path(), first.listen());
    assert_eq!((&second.organization, &second.identity), (&first.organization, &first.identity));
    // The login of before still counts: the signing key and the identity are the same.
    assert_eq!(user.id(&["iam", "folders", "list"]), folder);
    assert_eq!(User::admin(&second).id(&["iam", "folders", "list"]), folder);
}

#[test]
fn another_port_means_another_user_who_owns_the_same_organization() {
    let data = TempDir::new().expect("a folder");
    let mut first = Server::start(data.path());
    first.signal("INT");
    assert_eq!(first.wait(), Some(0));
    let _taken = std::net::TcpListener::bind(first.listen()).expect("the port is free again");
    let second = Server::start(data.path());
    assert_ne!(second.url, first.url);
    assert_eq!(second.organization, first.organization);
    assert_ne!(second.identity, first.identity);
    User::admin(&second).id(&["iam", "folders", "create", "mine", "--parent", &second.organization]);
}

#[test]
fn id_tokens_carry_what_was_asked_for() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let user = User::of(&server);
    let token =
        user.done(&["dev", "id-token", "--subject", "repo:a/b", "--audience", "x", "--claim", "team=core", "--claim", "env=a=b"]);
    let payload = token.trim().split('.').nth(1).expect("a JWT");
    let claims = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, payload).expect("base64url");
    let claims: Value = serde_json::from_slice(&claims).expect("JSON");
    assert_eq!((&claims["sub"], &claims["team"], &claims["env"]), (&"repo:a/b".into(), &"core".into(), &"a=b".into()));
    assert_eq!(claims["iss"], format!("{}/dev/idp", server.url));
}

#[test]
fn the_folder_is_taken_by_one_server() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let ran = finish(Server::command(data.path(), "127.0.0.1:0"), "");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stderr.contains("error: ") && ran.stderr.contains("uses the data folder"), "{}", ran.stderr);
    assert_eq!(User::admin(&server).run(&["auth", "status"]).code, 0, "the first one goes on");
}

#[test]
fn json_logs_are_one_object_per_line() {
    let data = TempDir::new().expect("a folder");
    let user = User::nowhere();
    let mut command = user.command("sh");
    // The shell ends the server once it is ready; what it logged until then is looked at.
    command.arg("-c").arg(format!(
        "{PROVOST} serve --dev --log-format json --listen 127.0.0.1:0 --data {} >out & until grep -qs ready out; do sleep 0.1; done; kill -TERM $!; wait $!",
        data.path().display()
    ));
    let ran = finish(command, "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.lines().count() > 0);
    for line in ran.stderr.lines() {
        let event: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(event["level"].is_string() && event["timestamp"].is_string(), "{line}");
    }
}
