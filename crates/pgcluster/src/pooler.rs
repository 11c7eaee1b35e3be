//! pgbouncer in front of a cluster.

use std::{
    env, fs,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    Cluster,
    cluster::{ROLE, TAKEN, skip},
    random,
};

/// How long it may take to start.
const PATIENCE: Duration = Duration::from_secs(30);
/// What it says when it listens.
const UP: &str = "process up";

/// A pgbouncer of the tests' own, which ends when this is dropped.
#[derive(Debug)]
pub struct Pooler {
    cluster: Cluster,
    port: u16,
    process: Child,
}

impl Pooler {
    /// Starts one for every database of the cluster, with this `pool_mode`: `session`, `transaction` or `statement`. `None` where
    /// there is no pgbouncer, after saying so on standard error.
    ///
    /// Panics when there is none although `PROVOST_TEST_REQUIRE` is set, or when it does not start.
    #[must_use]
    pub fn start(cluster: &Cluster, mode: &str) -> Option<Self> {
        let Some(program) = program() else {
            skip("pgbouncer is neither in PATH nor in /usr/sbin");
            return None;
        };
        loop {
            match Self::try_start(cluster, &program, mode) {
                Ok(pooler) => return Some(pooler),
                // Somebody else has taken the port since it was chosen.
                Err(why) => assert!(why.contains(TAKEN), "pgbouncer does not start:\n{why}"),
            }
        }
    }

    /// Starts one at a port of its own; otherwise what it has logged.
    fn try_start(cluster: &Cluster, program: &Path, mode: &str) -> Result<Self, String> {
        let port = random::port();
        write(cluster, &file(cluster, port, "ini"), &settings(cluster, port, mode));
        write(cluster, &file(cluster, port, "users"), &format!("\"{ROLE}\" \"{}\"\n", cluster.password()));
        let mut command = cluster.programs().command_at(program, cluster.place());
        command.arg("--quiet").arg(file(cluster, port, "ini")).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().expect("pgbouncer starts");
        let mut pooler = Self { cluster: cluster.clone(), port, process };
        let begin = Instant::now();
        while !pooler.told().contains(UP) {
            if pooler.process.try_wait().expect("a child").is_some() {
                return Err(pooler.told());
            }
            assert!(begin.elapsed() < PATIENCE, "pgbouncer does not start:\n{}", pooler.told());
            thread::sleep(Duration::from_millis(5));
        }
        Ok(pooler)
    }

    /// Changes `pool_mode` while clients are connected.
    pub fn set_mode(&self, mode: &str) {
        write(&self.cluster, &file(&self.cluster, self.port, "ini"), &settings(&self.cluster, self.port, mode));
        let reloaded = Command::new("kill").args(["-s", "HUP", &self.process.id().to_string()]).status().expect("kill starts");
        assert!(reloaded.success(), "pgbouncer reads its settings again");
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// What it has logged.
    #[must_use]
    pub fn told(&self) -> String {
        fs::read_to_string(file(&self.cluster, self.port, "log")).unwrap_or_default()
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn settings(cluster: &Cluster, port: u16, mode: &str) -> String {
    let of = |kind| file(cluster, port, kind).display().to_string();
    let (server, log, users) = (cluster.address(), of("log"), of("users"));
    format!(
        "[databases]\n* = host={} port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
         auth_type = md5\nauth_file = {users}\nlogfile = {log}\npool_mode = {mode}\ndefault_pool_size = 40\nmax_client_conn = 200\n",
        server.ip(),
        server.port()
    )
}

fn file(cluster: &Cluster, port: u16, kind: &str) -> PathBuf {
    cluster.place().join(format!("pgbouncer-{port}.{kind}"))
}

fn write(cluster: &Cluster, path: &Path, text: &str) {
    fs::write(path, text).expect("writes into the folder");
    cluster.programs().give(path);
}

fn program() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "PATH comes from the environment")]
    let path = env::var_os("PATH").unwrap_or_default();
    let places = env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    places.map(|folder| folder.join("pgbouncer")).find(|program| program.is_file())
}
