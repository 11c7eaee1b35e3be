//! A server in dev mode, from an empty folder.

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    engine,
    support::{PROVOST, Ran, Server, User, finish},
};

fn shell(user: &User, line: &str) -> Ran {
    let mut command = user.command("sh");
    command.arg("-c").arg(line);
    finish(&mut command, "")
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
    let ran = finish(&mut Server::command(data.path(), "127.0.0.1:0"), "");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let why = if engine::is_postgres() { "a server is running on" } else { "uses the data folder" };
    assert!(ran.stderr.contains("error: ") && ran.stderr.contains(why), "{}", ran.stderr);
    assert_eq!(User::admin(&server).run(&["auth", "status"]).code, 0, "the first one goes on");
}

#[test]
fn json_logs_have_one_event_per_request_and_no_token() {
    let data = TempDir::new().expect("a folder");
    let user = User::nowhere();
    // The shell ends the server when its client has done its work; at this level everything is logged that ever is.
    let script = format!(
        "PROVOST_LOG=trace {PROVOST} serve --dev --log-format json --listen 127.0.0.1:0 --data {} >out 2>log & server=$!
         until grep -qs '\"message\":\"ready\"' log; do sleep 0.1; done
         export PROVOST_API=$(sed -n '/\"message\":\"ready\"/s/.*\"base_url\":\"\\([^\"]*\\)\".*/\\1/p' log)
         {PROVOST} dev id-token --server $PROVOST_API --subject admin --audience $PROVOST_API >id-token
         {PROVOST} auth login --identity-token id-token >login && {PROVOST} auth token >token && {PROVOST} iam folders list >list
         kill -TERM $server; wait $server; code=$?; cat log >&2; cat out; exit $code",
        data.path().display()
    );
    let ran = shell(&user, &script);
    assert_eq!((ran.code, &*ran.stdout), (0, ""), "{}", ran.stderr);
    let events = ran.stderr.lines().map(|line| {
        let event: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(event["level"].is_string() && event["timestamp"].is_string(), "{line}");
        event
    });
    let requests: Vec<_> = events.filter(|event| event["target"] == "access").collect();
    let of = |path: &str| {
        requests.iter().filter(|event| event["path"].as_str().is_some_and(|p| p.ends_with(path))).collect::<Vec<_>>()
    };
    for (path, code) in [("/dev/idp/mint", &Value::Null), ("/Exchange", &"OK".into()), ("/ListGroups", &"OK".into())] {
        let [event] = of(path)[..] else { panic!("one event for one request to {path}: {requests:#?}") };
        assert_eq!((&event["status"], &event["code"]), (&200.into(), code), "{event}");
        let id = &event["request_id"];
        assert_eq!(requests.iter().filter(|event| event["request_id"] == *id).count(), 1, "{event}");
    }
    for file in ["id-token", "token"] {
        let token = std::fs::read_to_string(user.home.path().join(file)).expect("the client wrote it");
        let signature = token.trim().rsplit('.').next().expect("a JWT");
        assert!(signature.len() > 40 && !ran.stderr.contains(signature), "the log holds the {file}");
    }
}
