//! Servers that do not start, and those outside dev mode.

use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::support::{PROVOST, Server, Transcript, User, finish};

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
