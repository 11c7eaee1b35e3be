//! A server as a process of its own, seen from outside: what it answers, and what the kernel tells of its memory.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// How long a server may take to start, on a machine that builds as well.
const PATIENCE: Duration = Duration::from_mins(1);

/// Where clouds are.
const CLOUDS: [&str; 4] = [
    "PROVOST_OUTBOUND_AWS_STS_URL",
    "PROVOST_OUTBOUND_GOOGLE_STS_URL",
    "PROVOST_OUTBOUND_GOOGLE_IAM_CREDENTIALS_URL",
    "PROVOST_OUTBOUND_AZURE_LOGIN_URL",
];

/// The program under test: the one that was built with this test, or another, to compare with.
fn program() -> String {
    std::env::var("PROVOST").unwrap_or_else(|_| env!("CARGO_BIN_EXE_provost").to_owned())
}

/// A server. Dropping it ends it at once.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    /// Where it answers.
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts one with its data in `folder` and these flags, and waits until it is ready. Its log goes to `log` in that folder.
    pub(crate) fn start(folder: &Path, listen: &str, flags: &[String]) -> Self {
        let log = fs::File::create(folder.join("log")).expect("a log");
        let mut command = Command::new(program());
        command
            .env_clear()
            .env("PROVOST_METRICS_LISTEN", "off")
            // Attackers may check accounts: no cloud is asked.
            .envs(CLOUDS.map(|variable| (variable, "https://127.0.0.1:1")))
            .args(["serve", "--listen", listen, "--log-filter", "warn", "--data"])
            .arg(folder)
            .args(flags);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|why| panic!("{command:?}: {why}"));
        let output = child.stdout.take().expect("its output");
        let mut first = String::new();
        let begin = Instant::now();
        BufReader::new(output).read_line(&mut first).expect("text");
        let told = || fs::read_to_string(folder.join("log")).unwrap_or_default();
        assert!(first.starts_with("ready on ") && begin.elapsed() < PATIENCE, "{command:?}: {first}{}", told());
        let address = listen.parse().expect("an address with a port");
        Self { child, address }
    }

    /// Its resident memory, in bytes.
    pub(crate) fn resident(&self) -> u64 {
        self.status("VmRSS")
    }

    /// The most that it has had since [`Server::forget_peak`].
    pub(crate) fn peak(&self) -> u64 {
        self.status("VmHWM")
    }

    /// Begins a new peak, where the kernel allows it.
    pub(crate) fn forget_peak(&self) {
        let _ = fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5");
    }

    fn status(&self, line: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let value = status.lines().filter_map(|line| line.split_once(':')).find(|(name, _)| *name == line);
        let kib: u64 = value.and_then(|(_, value)| value.split_whitespace().next()?.parse().ok()).unwrap_or(0);
        kib * 1024
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Sends a signal by name, such as `STOP`.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("sh").arg("-c").arg(format!("kill -{name} {}", self.child.id())).status();
        assert!(status.expect("the shell starts").success(), "no signal {name}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended needs neither.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A loopback address that was free a moment ago.
pub(crate) fn free_address() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port")
}
