//! Servers that do not start, and those outside dev mode.

use std::{
    fs::{self, File},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    engine,
    support::{PROVOST, Server, Transcript, User, finish},
};

fn refused(session: &mut Transcript, line: &[&str]) {
    let data = TempDir::new().expect("a folder");
    let user = User::nowhere();
    let mut command = user.command(PROVOST);
    command.arg("serve").args(line).arg("--data").arg(data.path());
    let ran = finish(&mut command, "");
    assert_eq!(std::fs::read_dir(data.path()).expect("a folder").count(), 0, "nothing was touched");
    session.add(&format!("provost serve {}", line.join(" ")), &ran);
}

#[test]
fn settings_that_must_not_be() {
    let mut session = Transcript::default();
    refused(&mut session, &["--dev", "--listen", "0.0.0.0:8080"]);
    refused(&mut session, &["--listen", "127.0.0.1:0"]);
    refused(&mut session, &["--listen", "127.0.0.1:0", "--base-url", "http://provost.example"]);
    refused(&mut session, &["--dev", "--listen", "everywhere"]);
    session.check("serve_settings_that_must_not_be");
}

#[test]
fn the_port_is_taken() {
    let mut session = Transcript::default();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let listen = taken.local_addr().expect("an address").to_string();
    refused(&mut session, &["--dev", "--listen", &listen]);
    session.check("serve_the_port_is_taken");
}

#[test]
fn a_key_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().expect("a folder");
    let key = folder.path().join("shared-key");
    std::fs::write(&key, "ab".repeat(32)).expect("written");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).expect("shared");
    let user = User::nowhere();
    let mut command = user.command(PROVOST);
    command.args(["serve", "--dev", "--listen", "127.0.0.1:0", "--data"]).arg(folder.path().join("data"));
    let ran = finish(command.arg("--key-file").arg(&key), "");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("can be read by others; run `chmod 600"), "{}", ran.stderr);
}

#[test]
fn outside_dev_mode_operators_begin() {
    let data = TempDir::new().expect("a folder");
    let server = Server::plain(data.path());
    let user = User::of(&server);
    let ran = user.run(&["dev", "id-token", "--subject", "s"]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(ran.stderr.contains("start it in dev mode"), "{}", ran.stderr);

    let token = user.run_on(data.path(), &["admin", "token"]).stdout;
    let operator = User::with_token(&server, token.trim());
    assert_eq!(operator.done(&["iam", "organizations", "list", "-o", "id"]), "", "nothing is there yet");
    operator.id(&["iam", "organizations", "create", "acme"]);
    operator.id(&["iam", "folders", "create", "team", "--parent", "acme"]);
}

#[tokio::test]
async fn readiness_names_what_it_asked() {
    let data = TempDir::new().expect("a folder");
    let server = Server::start(data.path());
    let http = client::http::Http::new(&server.url, None).expect("a client");
    let ready = http.send(client::http::Request::get("/readyz")).await.expect("an answer");
    assert_eq!(ready.status, 200);
    let told = ready.text();
    assert!(told.contains("store") && told.contains("signing_key"), "{told}");
    let issuer = http.send(client::http::Request::get("/.well-known/openid-configuration")).await.expect("an answer");
    assert_eq!(issuer.json()["issuer"], server.url);
}

/// Asks on a connection of its own; `None` when that is refused.
async fn asked(server: &Server, path: &str) -> Option<u16> {
    let http = client::http::Http::new(&server.url, None).expect("a client");
    let answer = http.send(client::http::Request::get(path)).await;
    answer.ok().map(|answer| answer.status.as_u16())
}

#[tokio::test]
async fn load_balancers_are_told_before_connections_are_refused() {
    let data = TempDir::new().expect("a folder");
    let mut server = Server::with_environment(data.path(), "http", &[], &[("PROVOST_LIMITS_READY_DRAIN", "3s")]);
    assert_eq!(asked(&server, "/readyz").await, Some(200));
    let begin = Instant::now();
    server.signal("TERM");
    while asked(&server, "/readyz").await == Some(200) {
        assert!(begin.elapsed() < Duration::from_secs(2), "it still says that it is ready");
    }
    assert_eq!((asked(&server, "/readyz").await, asked(&server, "/livez").await), (Some(503), Some(200)));
    while asked(&server, "/livez").await.is_some() {
        assert!(begin.elapsed() < Duration::from_secs(20), "it still takes connections");
    }
    assert!(begin.elapsed() >= Duration::from_secs(3), "{:?}", begin.elapsed());
    assert_eq!(server.wait(), Some(0));
}

/// What a server outside dev mode with these flags writes to standard output and to standard error until it is ended.
fn written(flags: &[&str]) -> (String, String) {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let mut command = Command::new(PROVOST);
    engine::on_data(command.env_clear().args(["serve", "--metrics-listen", "off"]).args(flags), &at("data"));
    command.stdout(File::create(at("out")).expect("a file")).stderr(File::create(at("log")).expect("a file"));
    let mut child = command.spawn().expect("it starts");
    let read = |name: &str| fs::read_to_string(at(name)).expect("text");
    let begin = Instant::now();
    while ![": ready ", "\"ready\""].into_iter().any(|ready| read("log").contains(ready)) {
        assert!(begin.elapsed() < Duration::from_secs(40), "{}", read("log"));
        std::thread::sleep(Duration::from_millis(10));
    }
    let ended = Command::new("sh").arg("-c").arg(format!("kill -TERM {0}; sleep 0.2; kill -TERM {0}", child.id())).status();
    assert!(ended.expect("kill").success());
    child.wait().expect("ended");
    (read("out"), read("log"))
}

#[test]
fn it_says_where_it_listens_and_warns_of_plain_http_for_others() {
    let base = ["--base-url", "https://provost.example", "--listen", "0.0.0.0:0"];
    let (out, log) = written(&base);
    assert!(out.starts_with("ready on https://provost.example\nlistening on 0.0.0.0:"), "{out}");
    assert!(log.contains("0.0.0.0:0 speaks plain HTTP to other machines"), "{log}");
    let (_, log) = written(&[&base[..], &["--trusted-proxies", "10.0.0.1"]].concat());
    assert!(!log.contains("plain HTTP"), "{log}");
}

#[test]
fn json_is_all_that_is_written() {
    let (out, log) = written(&["--base-url", "https://provost.example", "--listen", "127.0.0.1:0", "--log-format", "json"]);
    assert_eq!(out, "");
    let events: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"))).collect();
    let ready = events.iter().find(|event| event["message"] == "ready").expect("ready");
    assert_eq!((&ready["base_url"], &ready["empty"]), (&"https://provost.example".into(), &true.into()));
    assert!(ready["address"].as_str().is_some_and(|address| address.starts_with("127.0.0.1:")), "{ready}");

    // A start that fails, too.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let listen = taken.local_addr().expect("an address").to_string();
    let data = TempDir::new().expect("a folder");
    let user = User::nowhere();
    let mut command = user.command(PROVOST);
    command.args(["serve", "--dev", "--listen", &listen, "--log-format", "json", "--data"]).arg(data.path());
    let ran = finish(&mut command, "");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
    let event: Value = serde_json::from_str(&ran.stderr).expect("one event");
    assert_eq!(event["level"], "ERROR");
    assert!(event["message"].as_str().is_some_and(|told| told.starts_with(&format!("cannot listen on {listen}"))), "{event}");

    // And one whose settings are wrong.
    let mut command = user.command(PROVOST);
    command.args(["serve", "--dev", "--listen", "here", "--tls-certificate-file", ""]).env("PROVOST_LOG_FORMAT", "json");
    let ran = finish(&mut command, "");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    let event: Value = serde_json::from_str(&ran.stderr).expect("one event");
    let told = event["message"].as_str().expect("a message");
    assert!(told.starts_with("--listen: \"here\" is not an address") && told.contains("; --tls-certificate-file"), "{told}");
}

#[test]
fn a_service_manager_hears_when_it_answers_and_when_it_ends() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("notify");
    let socket = std::os::unix::net::UnixDatagram::bind(&path).expect("a socket");
    socket.set_read_timeout(Some(std::time::Duration::from_secs(20))).expect("a bounded wait");
    let heard = || {
        let mut buffer = [0; 512];
        let length = socket.recv(&mut buffer).expect("a message");
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    };

    let mut command = Server::command(&folder.path().join("data"), "127.0.0.1:0");
    let mut child = command.env("NOTIFY_SOCKET", &path).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
    let ready = heard();
    let url = ready.strip_prefix("READY=1\nSTATUS=serving ").expect("ready, and where").trim().to_owned();
    let address = url.strip_prefix("http://").expect("an http URL");
    std::net::TcpStream::connect(address).expect("it answers there");

    let killed = Command::new("sh").arg("-c").arg(format!("kill -TERM {}", child.id())).status().expect("kill");
    assert!(killed.success());
    assert_eq!(heard().trim(), "STOPPING=1");
    assert!(child.wait().expect("ended").success());
}

#[test]
fn a_stop_in_order_is_success() {
    for signal in ["TERM", "INT"] {
        let data = TempDir::new().expect("a folder");
        let mut server = Server::start(data.path());
        server.signal(signal);
        assert_eq!(server.wait(), Some(0), "{signal}");
    }
}

/// Whoever deletes the data folder of a running server, or puts another one in its place, takes nobody's writes away unnoticed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_data_folder_that_goes_away_is_noticed() {
    if engine::is_postgres() {
        return;
    }
    let above = TempDir::new().expect("a folder");
    let (data, aside) = (above.path().join("data"), above.path().join("aside"));
    let server = Server::start(&data);
    let owner = User::admin(&server);
    let http = client::http::Http::new(&server.url, None).expect("a client");
    // What is asked of the parts is remembered for a second.
    let until_ready_is = async |status: u16| {
        for _ in 0..100 {
            let answer = http.send(client::http::Request::get("/readyz")).await.expect("an answer");
            if answer.status == status {
                return answer.text();
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        panic!("it is never {status}");
    };
    let create = |name: &str| owner.run(&["iam", "folders", "create", name, "--parent", &server.organization]);
    let refused = async |why: &str| {
        let told = until_ready_is(503).await;
        assert!(told.contains("store"), "{told}");
        let ran = create("lost");
        assert!(ran.code == 7 && ran.stderr.contains(why), "{}: {}", ran.code, ran.stderr);
        assert_eq!(owner.run(&["iam", "folders", "list"]).code, 0, "what was there can be read");
    };
    assert_eq!(create("kept").code, 0);
    until_ready_is(200).await;
    std::fs::rename(&data, &aside).expect("moved");
    refused("has no provost.db any more").await;
    drop(Server::start(&data));
    refused("has another provost.db now").await;
    std::fs::remove_dir_all(&data).expect("removed");
    std::fs::rename(&aside, &data).expect("moved back");
    until_ready_is(200).await;
    assert_eq!(create("again").code, 0, "it is as it was");
    let listed = owner.done(&["iam", "folders", "list"]);
    assert!(listed.contains("kept") && listed.contains("again") && !listed.contains("lost"), "{listed}");
}

#[test]
fn a_data_folder_that_others_can_write_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().expect("a folder");
    let (above, log) = (folder.path().join("above"), folder.path().join("log"));
    let data = above.join("data");
    std::fs::create_dir_all(&data).expect("folders");
    for (mode, above_mode) in [(0o755, 0o755), (0o775, 0o755), (0o755, 0o777), (0o755, 0o1777)] {
        std::fs::set_permissions(&data, std::fs::Permissions::from_mode(mode)).expect("shared");
        std::fs::set_permissions(&above, std::fs::Permissions::from_mode(above_mode)).expect("shared");
        let mut command = Server::command(&data, "127.0.0.1:0");
        let mut server = Server::of({
            command.stderr(std::fs::File::create(&log).expect("a log"));
            command
        });
        server.signal("TERM");
        assert_eq!(server.wait(), Some(0));
        let told = std::fs::read_to_string(&log).expect("the log");
        assert_eq!(told.contains("others can write to the data folder"), mode == 0o775, "{mode:o}: {told}");
        let is_told = told.contains("others can write to a folder above the data folder");
        assert_eq!(is_told, above_mode == 0o777, "{above_mode:o}: {told}");
    }
}
