//! Servers that cannot be reached, and what the user is told to check.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::support::{PROVOST, Ran, User, finish, skipped};

/// Something that speaks TLS, with a certificate for `localhost` that it made itself.
struct Tls {
    child: Child,
    port: String,
}

impl Tls {
    /// `None`, loudly, where OpenSSL is missing.
    fn start(folder: &Path) -> Option<Self> {
        let script = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2 \
                    -subj /CN=made-for-this-test -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE";
        let made = Command::new("sh").args(["-c", script]).current_dir(folder).output().expect("sh");
        if !made.status.success() {
            skipped("openssl");
            return None;
        }
        let mut serve = Command::new("openssl");
        serve.args(["s_server", "-accept", "127.0.0.1:0", "-key", "key.pem", "-cert", "cert.pem", "-www"]);
        serve.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = serve.spawn().expect("openssl starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines().map(|line| line.expect("text"));
        let accept = lines.find(|line| line.starts_with("ACCEPT ")).expect("an address");
        // It goes on printing, so somebody has to read.
        std::thread::spawn(move || lines.count());
        Some(Self { child, port: accept.rsplit(':').next().expect("a port").trim().to_owned() })
    }
}

impl Drop for Tls {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn status(user: &User, api: &str, variables: &[(&str, &Path)]) -> Ran {
    let mut command = user.command(PROVOST);
    command.args(["auth", "status", "--api", api]).env("PROVOST_TOKEN", "a.b.c").envs(variables.iter().copied());
    finish(&mut command, "")
}

#[test]
fn certificates_that_nobody_vouches_for() {
    let user = User::nowhere();
    let Some(tls) = Tls::start(user.home.path()) else { return };
    let (right, wrong) = (format!("https://localhost:{}", tls.port), format!("https://127.0.0.1:{}", tls.port));
    let ran = status(&user, &right, &[]);
    assert_eq!(ran.code, 7, "{}", ran.stderr);
    assert!(ran.stderr.contains("UnknownIssuer"), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("SSL_CERT_FILE").count(), 1, "{}", ran.stderr);
    let trusted = user.home.path().join("cert.pem");
    let ran = status(&user, &wrong, &[("SSL_CERT_FILE", &trusted)]);
    assert_eq!(ran.code, 7, "{}", ran.stderr);
    assert!(ran.stderr.contains("is for another name"), "{}", ran.stderr);
    // Trusted, but no server of ours.
    let ran = status(&user, &right, &[("SSL_CERT_FILE", &trusted)]);
    assert_eq!(ran.code, 7, "{}", ran.stderr);
    assert!(ran.stderr.contains("is not Provost: it says 200 OK (text/html)"), "{}", ran.stderr);
}

#[test]
fn no_tls_where_it_should_be() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let api = format!("https://{}", listener.local_addr().expect("an address"));
    let answering = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().expect("a connection");
        connection.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").expect("an answer");
        connection
    });
    let ran = status(&User::nowhere(), &api, &[]);
    assert_eq!(ran.code, 7, "{}", ran.stderr);
    assert!(ran.stderr.contains("does not speak TLS"), "{}", ran.stderr);
    drop(answering.join());
}

#[test]
fn hosts_that_are_not_known() {
    let ran = status(&User::nowhere(), "http://no-such-host.invalid", &[]);
    assert_eq!(ran.code, 7, "{}", ran.stderr);
    assert!(ran.stderr.contains("check its spelling"), "{}", ran.stderr);
}
