//! Which database the store is in.

use std::path::PathBuf;

use database::Database;

/// Where the store keeps its data.
#[derive(Clone, Debug)]
pub struct StoreConfig {
    /// The data folder: `provost.db` and its journal, and `lock`. It is made, for its owner alone, when it does not exist.
    /// Only SQLite uses it.
    pub data: PathBuf,
    /// The database.
    pub database: Database,
}

impl StoreConfig {
    /// SQLite in the folder `data`.
    #[must_use]
    pub fn sqlite(data: impl Into<PathBuf>) -> Self {
        Self { data: data.into(), database: Database::Sqlite }
    }
}
