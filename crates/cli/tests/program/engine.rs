//! The engine that the tests run on: SQLite, or PostgreSQL where `PROVOST_TEST_DATABASE` is `postgres`.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
};

use store::{Database, Postgres, StoreConfig};

/// Whether the tests run on PostgreSQL.
pub(crate) fn is_postgres() -> bool {
    match std::env::var("PROVOST_TEST_DATABASE").unwrap_or_default().as_str() {
        "" => false,
        "postgres" => true,
        other => panic!("PROVOST_TEST_DATABASE is {other:?}; it can be postgres, or not set for SQLite"),
    }
}

/// The variables by which the program finds the database that belongs to the data folder: on PostgreSQL one of its own, with
/// the key file that SQLite would have.
pub(crate) fn variables(data: &Path) -> Vec<(&'static str, String)> {
    let key = || ("PROVOST_KEY_FILE", data.join("key").display().to_string());
    url_of(data).map(|url| vec![("PROVOST_DATABASE", url), key()]).unwrap_or_default()
}

/// Adds the data folder and its database to a command.
pub(crate) fn on_data<'a>(command: &'a mut Command, data: &Path) -> &'a mut Command {
    command.arg("--data").arg(data).envs(variables(data))
}

/// How a store of that data folder is opened.
pub(crate) fn store_config(data: &Path) -> StoreConfig {
    let postgres = |url: String| Database::Postgres(Postgres::parse(&url).expect("a URL"));
    StoreConfig { data: data.to_owned(), database: url_of(data).map_or(Database::Sqlite, postgres) }
}

fn url_of(data: &Path) -> Option<String> {
    static DATABASES: Mutex<Option<HashMap<PathBuf, pgcluster::Database>>> = Mutex::new(None);
    if !is_postgres() {
        return None;
    }
    let cluster = pgcluster::shared().expect("PROVOST_TEST_DATABASE=postgres needs PostgreSQL");
    let mut databases = DATABASES.lock().unwrap_or_else(PoisonError::into_inner);
    let databases = databases.get_or_insert_default();
    Some(databases.entry(data.to_owned()).or_insert_with(|| cluster.database()).url())
}
