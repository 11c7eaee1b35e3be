//! What is killed, and the data that outlives it.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use store::StoreConfig;
use tempfile::TempDir;

use crate::support::Server;

/// What is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Victim {
    Server,
    Database,
}

/// Where the server keeps its data, and how it is told so.
pub(crate) struct Place {
    pub(crate) data: TempDir,
    database: Option<pgcluster::Database>,
}

impl Place {
    pub(crate) fn new(database: Option<pgcluster::Database>) -> Self {
        Self { data: TempDir::new().expect("a folder"), database }
    }

    pub(crate) fn start(&self, listen: &str) -> Server {
        let mut command = Server::command(self.data.path(), listen);
        if let Some(database) = &self.database {
            command.args(["--database", &database.url(), "--key-file"]).arg(self.data.path().join("key"));
        }
        command.stderr(Stdio::null());
        Server::of(command)
    }

    pub(crate) fn store(&self) -> StoreConfig {
        let sqlite = StoreConfig::sqlite(self.data.path());
        let Some(database) = &self.database else { return sqlite };
        let database = store::Database::Postgres(store::Postgres::parse(&database.url()).expect("a URL"));
        StoreConfig { database, ..sqlite }
    }

    /// Kills the server, or every process of its database at once, which is started again after a while.
    pub(crate) fn kill(&self, victim: Victim, server: &mut Server, away: Duration) {
        match (victim, &self.database) {
            (Victim::Database, Some(database)) => {
                database.cluster().kill();
                std::thread::sleep(away);
                database.cluster().start_again();
            }
            _ => server.kill(),
        }
    }
}

/// Waits until a server whose database was lost says that it is ready.
pub(crate) fn wait_for(server: &Server) {
    let begin = Instant::now();
    loop {
        let asked = Command::new("curl").args(["-sf", "-o", "/dev/null", &format!("{}/readyz", server.url)]).status();
        if asked.expect("curl runs").success() {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "the server does not come back");
        std::thread::sleep(Duration::from_millis(20));
    }
}
