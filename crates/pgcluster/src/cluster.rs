//! A data folder and the server that serves it.

use std::{
    fs::{self, File},
    io::Write,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU16, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{Crowd, Database, FailingDisk, Options, folder::Folder, programs::Programs, random};

/// How long a server may take to start or to stop.
const PATIENCE: Duration = Duration::from_mins(1);

/// A PostgreSQL server of the tests' own. Clones are the same server; the last one that goes ends it.
#[derive(Clone, Debug)]
pub struct Cluster {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    programs: Programs,
    /// Settled by the first start.
    port: AtomicU16,
    password: String,
    databases: AtomicU64,
    // Dropped before the server: its keeper ends the server if it still runs.
    folder: Folder,
    server: Mutex<Option<Server>>,
}

/// A server's process, which is waited for.
#[derive(Debug)]
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // Waiting fails only when somebody else has waited for it.
        let _ = self.0.wait();
    }
}

/// How a server stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// Connections are cut, everything is written.
    Fast,
    /// Everything stops at once; the next start recovers from the log, as after a crash.
    Immediate,
}

/// What a server says that finds its port taken.
pub(crate) const TAKEN: &str = "Address already in use";
/// What a server says to everybody who comes while all of its places are taken, those for superusers included.
const FULL: &str = "sorry, too many clients already";

/// The role of those who use databases: it owns them, and is no superuser.
pub(crate) const ROLE: &str = "provost";
/// The name under which a crowd is connected.
pub(crate) const CROWD: &str = "crowd";

/// Kills a server and its children. It is stopped first, so that it starts no more of them and looks after none; the memory that they
/// share keeps the next server from starting until the last of them has ended, or is a zombie.
const KILL: &str = r#"
    kill -s STOP $2
    others=$(cat /proc/$2/task/$2/children)
    kill -s "$1" $2 $others
    for other in $others; do
        while grep -qs '^State:[[:space:]]*[^XZ]' /proc/$other/status; do sleep 0.01; done
    done
"#;

impl Cluster {
    /// Makes a cluster and starts it. `None` where there is no PostgreSQL, after saying so on standard error.
    ///
    /// Panics when there is none although `PROVOST_TEST_REQUIRE` is set, or when it does not start.
    #[must_use]
    pub fn start(options: &Options) -> Option<Self> {
        let programs = match Programs::find() {
            Ok(programs) => programs,
            Err(reason) => {
                skip(&reason);
                return None;
            }
        };
        let cluster = Self::new(programs, random::word());
        cluster.initialize(options);
        cluster.start_first();
        let role = format!("CREATE ROLE {ROLE} LOGIN PASSWORD '{}'", cluster.password());
        cluster.sql("postgres", &role);
        Some(cluster)
    }

    /// A cluster without data.
    pub(crate) fn new(programs: Programs, password: String) -> Self {
        let folder = Folder::make();
        programs.give(folder.path());
        let server = Mutex::new(None);
        let (port, databases) = (AtomicU16::new(random::port()), AtomicU64::new(1));
        let inner = Inner { programs, port, password, databases, folder, server };
        Self { inner: Arc::new(inner) }
    }

    fn initialize(&self, options: &Options) {
        let secret = self.place().join("password");
        fs::write(&secret, self.password()).expect("writes into the folder");
        self.programs().give(&secret);
        // The order of texts is one that no query of ours may rely on: those that sort say how.
        let line = ["--username=postgres", "--auth=md5", "--no-sync", "--encoding=UTF8", "--locale=C"];
        let order = ["--locale-provider=icu", "--icu-locale=en-US"];
        let mut initdb = self.program("initdb");
        initdb.args(line).args(order).arg("--pgdata").arg(self.data()).arg("--pwfile").arg(&secret);
        done(&mut initdb);
        fs::write(self.data().join("postgresql.conf"), options.text()).expect("writes into the folder");
        let who = "host all all 127.0.0.1/32 md5\nhost replication all 127.0.0.1/32 md5\n";
        fs::write(self.data().join("pg_hba.conf"), who).expect("writes into the folder");
    }

    /// Starts the server for the first time. Somebody else may have taken its port since that was chosen: then at another one.
    pub(crate) fn start_first(&self) {
        while let Err(why) = self.try_start() {
            assert!(why.contains(TAKEN), "PostgreSQL does not start:\n{why}");
            fs::remove_file(self.log()).expect("the log of the try");
            self.inner.port.store(random::port(), Ordering::Relaxed);
        }
    }

    /// Starts the server after it was stopped or killed, where it was; returns when it takes connections.
    pub fn start_again(&self) {
        self.try_start().unwrap_or_else(|why| panic!("PostgreSQL does not start:\n{why}"));
    }

    /// Starts the server; otherwise what it has logged.
    fn try_start(&self) -> Result<(), String> {
        let log = File::options().create(true).append(true).open(self.log()).expect("a log");
        let output = log.try_clone().expect("a log");
        let mut server = self.server();
        assert!(server.is_none(), "the server runs already");
        let mut command = self.program("postgres");
        command.arg("-D").arg(self.data()).args(["-c", &format!("port={}", self.port())]).stdout(output).stderr(log);
        let mut child = command.spawn().expect("postgres starts");
        let begin = Instant::now();
        while !self.is_ready(child.id()) {
            if child.try_wait().expect("a child").is_some() {
                return Err(self.told());
            }
            assert!(begin.elapsed() < PATIENCE, "PostgreSQL does not start:\n{}", self.told());
            thread::sleep(Duration::from_millis(5));
        }
        *server = Some(Server(child));
        Ok(())
    }

    /// Whether the lock file says that this process takes connections: its first line is the process, its eighth the state.
    fn is_ready(&self, process: u32) -> bool {
        let text = fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
        let mut lines = text.lines().map(str::trim);
        lines.next() == Some(process.to_string().as_str()) && matches!(lines.nth(6), Some("ready" | "standby"))
    }

    /// Stops the server and waits for its end.
    pub fn stop(&self, how: Shutdown) {
        self.end(match how {
            Shutdown::Fast => "INT",
            Shutdown::Immediate => "QUIT",
        });
    }

    /// Stops the server and starts it again.
    pub fn restart(&self, how: Shutdown) {
        self.stop(how);
        self.start_again();
    }

    /// Kills every process of the server at once, as the loss of its machine does.
    pub fn kill(&self) {
        self.end("KILL");
    }

    fn end(&self, signal: &str) {
        let mut server = self.server().take().expect("the server runs");
        let child = &mut server.0;
        let process = child.id();
        let script = match signal {
            "KILL" => KILL,
            _ => "kill -s \"$1\" $2",
        };
        let mut command = Command::new("sh");
        command.args(["-c", script, "kill", signal, &process.to_string()]).stderr(Stdio::null());
        // One of the others may have ended by itself.
        let _ = command.status().expect("the shell starts");
        let begin = Instant::now();
        while child.try_wait().expect("a child").is_none() {
            assert!(begin.elapsed() < PATIENCE, "PostgreSQL does not stop:\n{}", self.told());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// A new database, which is dropped with the last of what is returned.
    #[must_use]
    pub fn database(&self) -> Database {
        Database::create(self, None)
    }

    /// Runs statements in a database as the superuser, and gives what they print: a line per row, `|` between columns.
    ///
    /// Panics when one fails.
    #[expect(clippy::must_use_candidate, reason = "many statements print nothing")]
    pub fn sql(&self, database: &str, statements: &str) -> String {
        self.try_sql(database, statements).unwrap_or_else(|error| panic!("{statements}\n{error}"))
    }

    /// As [`Cluster::sql`], for statements that may fail.
    ///
    /// # Errors
    /// What `psql` says when there is no connection or a statement fails. A server without a free place is asked again for a
    /// minute: those that it keeps for superusers are also taken by everybody who is about to be refused.
    pub fn try_sql(&self, database: &str, statements: &str) -> Result<String, String> {
        let begin = Instant::now();
        loop {
            match self.ask(database, statements) {
                Err(error) if error.contains(FULL) && begin.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(20)),
                answer => return answer,
            }
        }
    }

    fn ask(&self, database: &str, statements: &str) -> Result<String, String> {
        let mut psql = self.psql("postgres", database);
        let output = psql.args(["--quiet", "--no-align", "--tuples-only", "-v", "ON_ERROR_STOP=1", "-c", statements]).output();
        let output = output.expect("psql starts");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
        if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
    }

    /// `psql` in a database. The superuser's may write when the server is set to be read-only.
    pub(crate) fn psql(&self, role: &str, database: &str) -> Command {
        let mut psql = self.program("psql");
        psql.args(["--no-psqlrc", "--host=127.0.0.1", "--port", &self.port().to_string(), "--username", role, database]);
        psql.env("PGPASSWORD", self.password());
        if role == "postgres" {
            psql.env("PGOPTIONS", "-c default_transaction_read_only=off -c synchronous_commit=local");
        }
        psql
    }

    /// Changes a setting of the running server, for those that need no restart.
    pub fn set(&self, name: &str, value: &str) {
        self.sql("postgres", &format!("ALTER SYSTEM SET {name} = '{value}'"));
        self.sql("postgres", "SELECT pg_reload_conf()");
    }

    /// Cuts every connection of ours to the server, which goes on, but not those of a [`Crowd`]. Tells how many there were.
    #[expect(clippy::must_use_candidate, reason = "some tests only want it done")]
    pub fn disconnect_all(&self) -> u32 {
        let ours = format!("usename = '{ROLE}' AND application_name <> '{CROWD}'");
        let count = self.sql("postgres", &format!("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE {ours}"));
        count.parse().expect("a number")
    }

    /// Takes every connection that the server has left for us, and those that come free, until the crowd is dropped.
    #[must_use]
    pub fn crowd(&self) -> Crowd {
        Crowd::gather(self)
    }

    /// Makes calls of every process of the server fail as `fault` says, in the words of strace, such as
    /// `fdatasync:error=EIO`: on these files of its data, or on all. `None` where strace is missing or may not trace,
    /// after saying so.
    #[must_use]
    pub fn fail_disk(&self, fault: &str, files: &[PathBuf]) -> Option<FailingDisk> {
        FailingDisk::of(self, fault, files)
    }

    /// The server's processes.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let server = self.server().as_ref().expect("the server runs").0.id();
        let children = fs::read_to_string(format!("/proc/{server}/task/{server}/children")).unwrap_or_default();
        [server].into_iter().chain(children.split_whitespace().filter_map(|child| child.parse().ok())).collect()
    }

    /// The URL of a database, with user and password.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        self.url_at(self.address(), database)
    }

    /// The URL of a database that is reached at another address, a proxy's.
    #[must_use]
    pub fn url_at(&self, address: SocketAddr, database: &str) -> String {
        format!("postgres://{ROLE}:{}@{address}/{database}?sslmode=disable", self.password())
    }

    /// Where the server listens, also while it is down.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port()).into()
    }

    /// What the server has logged.
    #[must_use]
    pub fn told(&self) -> String {
        fs::read_to_string(self.log()).unwrap_or_default()
    }

    pub(crate) fn next_database(&self) -> u64 {
        self.inner.databases.fetch_add(1, Ordering::Relaxed)
    }

    fn port(&self) -> u16 {
        self.inner.port.load(Ordering::Relaxed)
    }

    pub(crate) fn password(&self) -> &str {
        &self.inner.password
    }

    pub(crate) fn programs(&self) -> &Programs {
        &self.inner.programs
    }

    pub(crate) fn program(&self, name: &str) -> Command {
        self.inner.programs.command(name, self.place())
    }

    /// Where everything lies.
    #[must_use]
    pub fn place(&self) -> &Path {
        self.inner.folder.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.place().join("data")
    }

    fn log(&self) -> PathBuf {
        self.place().join("log")
    }

    fn server(&self) -> MutexGuard<'_, Option<Server>> {
        self.inner.server.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a command that must succeed.
pub(crate) fn done(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let told = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&told));
}

/// Says that PostgreSQL cannot be tested, past the capture of tests' output.
pub(crate) fn skip(reason: &str) {
    #[expect(clippy::disallowed_methods, reason = "PROVOST_TEST_REQUIRE comes from the environment")]
    let required = std::env::var_os("PROVOST_TEST_REQUIRE").is_some();
    assert!(!required, "tests on PostgreSQL are required: {reason}");
    let _ = writeln!(std::io::stderr(), "SKIPPED: nothing was tested on PostgreSQL: {reason}");
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_port_that_somebody_takes_meanwhile_is_left_to_them() {
        let Ok(programs) = Programs::find() else { return };
        let cluster = Cluster::new(programs, random::word());
        cluster.initialize(&Options::default());
        let taken = cluster.address();
        let other = TcpListener::bind(taken).expect("it was free just now");
        cluster.start_first();
        assert_ne!(cluster.address(), taken);
        assert_eq!(cluster.sql("postgres", "SELECT 1"), "1");
        drop(other);
    }
}
