//! Where a server keeps its data: a folder of its own, and the database that the tests run on.

use std::{path::PathBuf, sync::Arc};

use server::{Settings, settings::Outbound};
use store::{Database, Store, StoreConfig};
use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::{CountedEntropy, FixedClock, clouds, samples};

/// The data of one server, or of several that share a database and a key file. Everything goes with the last clone.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    database: Option<pgcluster::Database>,
    url: Option<String>,
    key: PathBuf,
    data: Arc<TempDir>,
    // The folder with the key, which may be another node's.
    _key_folder: Arc<TempDir>,
}

impl Place {
    /// An empty place on the engine that `PROVOST_TEST_DATABASE` names: SQLite without it, or `postgres`.
    ///
    /// Panics on any other name, and on `postgres` where there is none.
    pub(crate) async fn fresh() -> Self {
        #[expect(clippy::disallowed_methods, reason = "PROVOST_TEST_DATABASE comes from the environment")]
        let engine = std::env::var("PROVOST_TEST_DATABASE").unwrap_or_default();
        match engine.as_str() {
            "" => Self::new(None),
            "postgres" => {
                let cluster = pgcluster::shared().expect("PROVOST_TEST_DATABASE=postgres needs PostgreSQL");
                Self::new(Some(migrated(cluster).await.copy()))
            }
            other => panic!("PROVOST_TEST_DATABASE is {other:?}; it can be postgres, or not set for SQLite"),
        }
    }

    /// A place in this database, or in a file of its own.
    pub(crate) fn new(database: Option<pgcluster::Database>) -> Self {
        let data = Arc::new(folder());
        let url = database.as_ref().map(pgcluster::Database::url);
        Self { database, url, key: data.path().join("key"), _key_folder: Arc::clone(&data), data }
    }

    /// The same database, reached by another URL.
    pub(crate) fn at(self, url: String) -> Self {
        Self { url: Some(url), ..self }
    }

    /// The place of another node: the same database and key, a data folder of its own.
    ///
    /// Panics on SQLite, whose database is that of one server.
    pub(crate) fn beside(&self) -> Self {
        assert!(self.database.is_some(), "only PostgreSQL is shared by nodes");
        Self { data: Arc::new(folder()), ..self.clone() }
    }

    pub(crate) fn admin_socket(&self) -> PathBuf {
        self.data.path().join("admin.sock")
    }

    /// The settings of a server in development mode that keeps its data here.
    pub(crate) fn settings(&self) -> Settings {
        let database = self.url.as_deref().map_or(Database::Sqlite, postgres);
        let (loopback, key_file) = (([127, 0, 0, 1], 0).into(), Some(self.key.clone()));
        Settings {
            database,
            key_file,
            terms: vec![samples::document()],
            metrics_listen: Some(loopback),
            outbound: nowhere(),
            ..Settings::dev(loopback, self.data.path())
        }
    }
}

/// Settings with which nobody asks a cloud: all are where nothing listens.
pub(crate) fn nowhere() -> Outbound {
    clouds::all_at("http://127.0.0.1:1")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder for the server's data")
}

fn postgres(url: &str) -> Database {
    Database::Postgres(store::Postgres::parse(url).expect("the URL of a database"))
}

/// A database with every migration and nothing else: copying it is faster than migrating anew.
async fn migrated(cluster: &pgcluster::Cluster) -> &'static pgcluster::Database {
    static MIGRATED: OnceCell<pgcluster::Database> = OnceCell::const_new();
    let migrate = async || {
        let database = cluster.database();
        let config = StoreConfig { data: PathBuf::new(), database: postgres(&database.url()) };
        let opened = Store::open(&config, Arc::new(FixedClock::default()), Arc::new(CountedEntropy::default())).await;
        opened.expect("the migrations run").close().await;
        database
    };
    MIGRATED.get_or_init(migrate).await
}
