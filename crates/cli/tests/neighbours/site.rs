//! The servers under test and everybody who is there: one on SQLite, or two nodes on one PostgreSQL database.

use std::{
    net::SocketAddr,
    path::PathBuf,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::{
    cast::Cast,
    doors::{self, NEIGHBOUR},
    neighbour::Neighbour,
    program::{self, Server},
};

/// What the servers keep their data in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    /// The engine that `PROVOST_TEST_DATABASE` names: SQLite without it, or `postgres`.
    pub(crate) fn of_this_run() -> Self {
        match std::env::var("PROVOST_TEST_DATABASE").unwrap_or_default().as_str() {
            "" => Self::Sqlite,
            "postgres" => Self::Postgres,
            other => panic!("PROVOST_TEST_DATABASE is {other:?}; it can be postgres, or not set for SQLite"),
        }
    }
}

/// Servers with their data, prepared.
#[derive(Debug)]
pub(crate) struct Site {
    // Dropped in this order: who asks, who answers, the data.
    pub(crate) neighbour: Neighbour,
    /// The first is the one that is attacked.
    pub(crate) servers: Vec<Server>,
    pub(crate) cast: Cast,
    database: Option<pgcluster::Database>,
    folder: TempDir,
}

impl Site {
    /// Starts the servers and the neighbour.
    pub(crate) async fn open(engine: Engine) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let database = (engine == Engine::Postgres)
            .then(|| pgcluster::shared().expect("PROVOST_TEST_DATABASE=postgres needs PostgreSQL").database());
        let mut servers = vec![Self::node(&folder, database.as_ref(), 0, None)];
        let first = servers[0].address;
        if database.is_some() {
            servers.push(Self::node(&folder, database.as_ref(), 1, Some(first)));
        }
        let cast = Cast::prepare(first).await;
        let neighbour = Neighbour::start(&cast, servers.iter().map(|server| server.address).collect());
        Self { neighbour, servers, cast, database, folder }
    }

    fn node(folder: &TempDir, database: Option<&pgcluster::Database>, number: usize, first: Option<SocketAddr>) -> Server {
        let data: PathBuf = folder.path().join(number.to_string());
        std::fs::create_dir_all(&data).expect("a folder");
        let mut flags = vec!["--dev".to_owned()];
        if let Some(database) = database {
            let key = folder.path().join("key").display().to_string();
            flags.extend(["--database".to_owned(), database.url(), "--key-file".to_owned(), key]);
        }
        flags.extend(first.iter().flat_map(|first| ["--base-url".to_owned(), format!("http://{first}")]));
        Server::start(&data, &program::free_address().to_string(), &flags)
    }

    /// One more node on the same database.
    pub(crate) fn further_node(&self) -> Server {
        Self::node(&self.folder, self.database.as_ref(), self.servers.len(), Some(self.attacked()))
    }

    /// The database that the nodes share.
    pub(crate) fn database(&self) -> &pgcluster::Database {
        self.database.as_ref().expect("nodes share a database")
    }

    /// Where the attackers go.
    pub(crate) fn attacked(&self) -> SocketAddr {
        self.servers[0].address
    }

    /// The resident memory of the server that has most.
    pub(crate) fn resident(&self) -> u64 {
        self.servers.iter().map(Server::resident).max().unwrap_or_default()
    }

    /// The most that any server has had since [`Site::forget_peak`].
    pub(crate) fn peak(&self) -> u64 {
        self.servers.iter().map(Server::peak).max().unwrap_or_default()
    }

    pub(crate) fn forget_peak(&self) {
        self.servers.iter().for_each(Server::forget_peak);
    }

    /// Whether all servers still run and take a write within `patience`.
    pub(crate) async fn is_well(&mut self, patience: Duration) -> bool {
        if self.servers.iter_mut().any(Server::has_ended) {
            return false;
        }
        let begin = Instant::now();
        while begin.elapsed() < patience {
            if self.writes_at_once().await {
                return true;
            }
        }
        false
    }

    async fn writes_at_once(&self) -> bool {
        let begin = Instant::now();
        for server in &self.servers {
            let group = format!("http://{}/iam/v2beta1/groups/{}", server.address, self.cast.folder);
            let request = doors::http1(NEIGHBOUR, true).patch(group).bearer_auth(&self.cast.neighbour.token);
            let request = request.json(&serde_json::json!({ "description": "" })).timeout(Duration::from_secs(5));
            if !request.send().await.is_ok_and(|answer| answer.status() == 200) {
                tokio::time::sleep(Duration::from_millis(200)).await;
                return false;
            }
        }
        begin.elapsed() < Duration::from_secs(2)
    }
}
