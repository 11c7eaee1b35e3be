//! Running the program and servers of it.

use std::{
    fs::File,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::engine;

/// The program under test.
pub(crate) const PROVOST: &str = env!("CARGO_BIN_EXE_provost");

/// A user: a home folder of their own, and the server they talk to.
pub(crate) struct User {
    pub(crate) home: TempDir,
    api: Option<String>,
    token: Option<String>,
}

/// What a run of the program left behind.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl User {
    pub(crate) fn nowhere() -> Self {
        Self { home: TempDir::new().expect("a home"), api: None, token: None }
    }

    pub(crate) fn of(server: &Server) -> Self {
        Self { api: Some(server.url.clone()), ..Self::nowhere() }
    }

    /// The same user's view with this token in `PROVOST_TOKEN`.
    pub(crate) fn with_token(server: &Server, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..Self::of(server) }
    }

    /// The owner of the server's organization, logged in.
    pub(crate) fn admin(server: &Server) -> Self {
        let user = Self::of(server);
        user.login(server, "admin", Some(&server.identity));
        user
    }

    pub(crate) fn login(&self, server: &Server, subject: &str, identity: Option<&str>) -> Ran {
        let id_token = self.done(&["dev", "id-token", "--server", &server.url, "--subject", subject, "--audience", &server.url]);
        let mut line = vec!["auth", "login", "--identity-token", id_token.trim()];
        line.extend(identity.iter().flat_map(|uid| ["--identity", uid]));
        self.run(&line)
    }

    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.home.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("NO_PROXY", "*").current_dir(self.home.path());
        command.envs(self.api.iter().map(|api| ("PROVOST_API", api)));
        command.envs(self.token.iter().map(|token| ("PROVOST_TOKEN", token)));
        command
    }

    /// Runs the program with nothing on its standard input.
    pub(crate) fn run(&self, line: &[&str]) -> Ran {
        self.piped(line, "")
    }

    /// Runs the program on a data folder, with nothing on its standard input.
    pub(crate) fn run_on(&self, data: &Path, line: &[&str]) -> Ran {
        let mut command = self.command(PROVOST);
        finish(engine::on_data(command.args(line), data), "")
    }

    pub(crate) fn piped(&self, line: &[&str], stdin: &str) -> Ran {
        let mut command = self.command(PROVOST);
        command.args(line);
        finish(&mut command, stdin)
    }

    /// Runs the program, which must succeed, and answers its standard output.
    pub(crate) fn done(&self, line: &[&str]) -> String {
        let ran = self.run(line);
        assert_eq!(ran.code, 0, "{line:?}\n{}{}", ran.stdout, ran.stderr);
        ran.stdout
    }

    /// The one UID that the command prints with `-o id`.
    pub(crate) fn id(&self, line: &[&str]) -> String {
        self.done(&[line, &["-o", "id"]].concat()).trim().to_owned()
    }

    /// What the command prints with `-o json`.
    pub(crate) fn json(&self, line: &[&str]) -> Value {
        serde_json::from_str(&self.done(&[line, &["-o", "json"]].concat())).expect("JSON")
    }
}

/// Says that a test was not run because `program` is missing; where every test must run, that is a failure.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(crate) fn skipped(program: &str) {
    assert!(std::env::var_os("PROVOST_TEST_REQUIRE").is_none(), "this needs {program}");
    eprintln!("SKIPPED: {program} is missing");
}

/// Runs `command` to its end.
pub(crate) fn finish(command: &mut Command, stdin: &str) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // A program that reads nothing may be gone by now.
    let _ = child.stdin.take().expect("its input").write_all(stdin.as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Ran { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A server in dev mode.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    pub(crate) organization: String,
    pub(crate) identity: String,
    /// The commands that it proposes.
    pub(crate) commands: Vec<String>,
}

impl Server {
    /// Starts on a port that the system chooses.
    pub(crate) fn start(data: &Path) -> Self {
        Self::start_at(data, "127.0.0.1:0")
    }

    pub(crate) fn start_at(data: &Path, listen: &str) -> Self {
        Self::start_with(data, listen, &[])
    }

    pub(crate) fn start_with(data: &Path, listen: &str, further: &[&str]) -> Self {
        let mut command = Self::command(data, listen);
        command.args(further).stderr(Stdio::null());
        Self::of(command)
    }

    /// Starts what [`Server::command`] made.
    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut next = || lines.next().expect("the server says more").expect("text");
        let url = next().strip_prefix("ready on ").expect("ready on URL").to_owned();
        let mut word = |name: &str| next().strip_prefix(name).expect(name).trim().to_owned();
        let (organization, identity) = (word("organization"), word("identity"));
        assert_eq!(word("provider"), format!("{url}/dev/idp"));
        assert_eq!(next(), "");
        next();
        let commands = (0..3).map(|_| next().trim().to_owned()).collect();
        Self { child, url, organization, identity, commands }
    }

    /// Starts what [`Server::command`] made with its log as JSON in the file `log`. That tells when it is ready, and nothing is
    /// printed.
    pub(crate) fn logging(mut command: Command, log: &Path) -> Self {
        command.args(["--log-format", "json"]).stderr(File::create(log).expect("a log")).stdout(Stdio::null());
        let child = command.spawn().expect("the server starts");
        let mut server =
            Self { child, url: String::new(), organization: String::new(), identity: String::new(), commands: vec![] };
        let begin = Instant::now();
        let ready = loop {
            let text = std::fs::read_to_string(log).expect("the log");
            let mut events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            if let Some(ready) = events.find(|event| event["message"] == "ready") {
                break ready;
            }
            assert!(begin.elapsed() < Duration::from_secs(40), "the server is not ready:\n{text}");
            std::thread::sleep(Duration::from_millis(10));
        };
        let text = |name: &str| ready.get(name).and_then(Value::as_str).expect(name).to_owned();
        (server.url, server.organization, server.identity) = (text("base_url"), text("organization"), text("identity"));
        assert_eq!((text("address").as_str(), text("provider")), (server.listen(), format!("{}/dev/idp", server.url)));
        server
    }

    /// Starts outside dev mode, on a port that was free a moment ago.
    pub(crate) fn plain(data: &Path) -> Self {
        Self::outside_dev_mode(data, "http", &[])
    }

    /// The same with the certificate `cert.pem` and the key `key.pem` of a folder.
    pub(crate) fn tls(data: &Path, folder: &Path) -> Self {
        Self::outside_dev_mode(data, "https", &Self::pair_in(folder).each_ref().map(String::as_str))
    }

    /// The same with an identity provider on this machine, whose certificate is in the file `trusted`.
    pub(crate) fn believing(data: &Path, issuer: &str, trusted: &Path) -> Self {
        let flags = ["--identity-provider", issuer, "--allow-private-addresses"];
        Self::with_environment(data, "http", &flags, &[("SSL_CERT_FILE", &trusted.display().to_string())])
    }

    /// The same, logging into the file `log`.
    pub(crate) fn tls_logging(data: &Path, folder: &Path, log: &Path) -> Self {
        let (mut command, url) = Self::plain_command(data, "https", &Self::pair_in(folder).each_ref().map(String::as_str), &[]);
        command.stderr(File::create(log).expect("a log"));
        Self::of_plain(command, url)
    }

    /// The flags for the certificate `cert.pem` and the key `key.pem` of a folder.
    pub(crate) fn pair_in(folder: &Path) -> [String; 4] {
        let at = |name: &str| folder.join(name).display().to_string();
        ["--tls-certificate-file".to_owned(), at("cert.pem"), "--tls-key-file".to_owned(), at("key.pem")]
    }

    fn outside_dev_mode(data: &Path, scheme: &str, further: &[&str]) -> Self {
        Self::with_environment(data, scheme, further, &[])
    }

    /// The same on the PostgreSQL database at `url` with the key file `key`; as a further node of `first` if there is one.
    pub(crate) fn on_postgres(data: &Path, url: &str, key: &Path, first: Option<&Self>) -> Self {
        let flags = ["--key-file", &key.display().to_string()];
        let mut environment = vec![("PROVOST_DATABASE", url)];
        environment.extend(first.map(|first| ("PROVOST_BASE_URL", first.url.as_str())));
        Self::with_environment(data, "http", &flags, &environment)
    }

    /// The same with these flags and variables.
    pub(crate) fn with_environment(data: &Path, scheme: &str, further: &[&str], environment: &[(&str, &str)]) -> Self {
        let (command, url) = Self::plain_command(data, scheme, further, environment);
        Self::of_plain(command, url)
    }

    fn plain_command(data: &Path, scheme: &str, further: &[&str], environment: &[(&str, &str)]) -> (Command, String) {
        let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port");
        let mut command = Command::new(PROVOST);
        command.args(["serve", "--listen", &free.to_string()]).args(further);
        let url = format!("{scheme}://{free}");
        command.env_clear().env("PROVOST_METRICS_LISTEN", "off").env("PROVOST_BASE_URL", &url);
        command.env("PROVOST_LIMITS_READY_DRAIN", "0s");
        engine::on_data(&mut command, data).envs(environment.iter().copied()).stderr(Stdio::null());
        (command, url)
    }

    fn of_plain(mut command: Command, url: String) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        assert!(line.starts_with("ready on "), "{line}");
        Self { child, url, organization: String::new(), identity: String::new(), commands: Vec::new() }
    }

    pub(crate) fn command(data: &Path, listen: &str) -> Command {
        let mut command = Command::new(PROVOST);
        engine::on_data(command.env_clear().args(["serve", "--dev", "--listen", listen]), data);
        command
    }

    pub(crate) fn listen(&self) -> &str {
        self.url.strip_prefix("http://").expect("an http URL")
    }

    /// Sends a signal by name, such as `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("sh").arg("-c").arg(format!("kill -{name} {}", self.child.id())).status().expect("kill");
        assert!(status.success());
    }

    /// Waits for the end and answers the exit code; `None` after a signal that was not handled.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                return status.code();
            }
            assert!(begin.elapsed() < Duration::from_secs(40), "the server does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills it as a power cut would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A record of runs, compared as a whole with a committed one.
#[derive(Default)]
pub(crate) struct Transcript(String);

impl Transcript {
    /// Runs the program and records the command line, the exit code and all output.
    pub(crate) fn run(&mut self, user: &User, line: &[&str]) {
        self.add(&format!("provost {}", line.join(" ")), &user.run(line));
    }

    /// Records a run.
    pub(crate) fn add(&mut self, line: &str, ran: &Ran) {
        self.0.extend(["$ ", line, "\n", &ran.stdout]);
        self.0.extend(ran.stderr.lines().flat_map(|line| ["! ", line, "\n"]));
        self.0.extend(["-> ", &ran.code.to_string(), "\n\n"]);
    }

    /// Compares with the committed record. UIDs, times, ports and tokens count by their kind alone.
    pub(crate) fn check(self, name: &str) {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        for (pattern, kind) in [
            (r"[0-9a-f]{40}(/[0-9a-f]{16})*", "[uid]"),
            (r"CGA(-[0-9a-z]{4}){3}", "CGA-[id]"),
            (r#"entity tag is "[0-9a-f]{16}""#, r#"entity tag is "[tag]""#),
            (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "[time]"),
            (r"127\.0\.0\.1:\d+", "127.0.0.1:[port]"),
            (r#""etag": "\\"[0-9a-f]+\\"""#, r#""etag": "[etag]""#),
            (r"eyJ[\w-]+\.[\w-]+\.[\w-]+", "[token]"),
            (r"/tmp/\.tmp\w+", "[tmp]"),
            (r"-{20,}", "[line]"),
            (r"/\S+/provost ", "provost "),
        ] {
            settings.add_filter(pattern, kind);
        }
        settings.bind(|| insta::assert_snapshot!(name, self.0));
    }
}
