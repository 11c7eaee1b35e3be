//! Where the documents are tried: an empty folder, and `provost` on the engine of the test run.

use std::{
    env, fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use tempfile::TempDir;

const PROVOST: &str = env!("CARGO_BIN_EXE_provost");

/// An empty folder with `provost` in it.
pub(crate) struct Place {
    folder: TempDir,
    /// On PostgreSQL: that of the data folder, and that of the folder `restored`.
    databases: Option<[pgcluster::Database; 2]>,
}

impl Place {
    /// Panics when `PROVOST_TEST_DATABASE` names no engine, or PostgreSQL where there is none.
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let program = folder.path().join("provost");
        let databases = match env::var("PROVOST_TEST_DATABASE").unwrap_or_default().as_str() {
            "" => None,
            "postgres" => {
                let cluster = pgcluster::shared().expect("PROVOST_TEST_DATABASE=postgres needs PostgreSQL");
                Some([cluster.database(), cluster.database()])
            }
            other => panic!("PROVOST_TEST_DATABASE is {other:?}; it can be postgres, or not set for SQLite"),
        };
        match &databases {
            None => symlink(PROVOST, program).expect("a link"),
            Some(databases) => {
                let [first, second] = databases.each_ref().map(pgcluster::Database::url);
                fs::write(&program, on_postgres(&first, &second)).expect("a script");
                fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).expect("a program");
            }
        }
        Self { folder, databases }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What was printed, with the engine that the documents name, and the program as they call it.
    pub(crate) fn as_on_sqlite(&self, told: &str) -> String {
        if self.databases.is_none() {
            return told.to_owned();
        }
        let names = [
            ("engine: postgresql", "engine: sqlite"),
            ("\"engine\":\"postgresql\"", "\"engine\":\"sqlite\""),
            (PROVOST, "provost"),
        ];
        names.into_iter().fold(told.to_owned(), |told, (here, there)| told.replace(here, there))
    }
}

/// The program with the database of its data folder, as an operator sets it, and the key file that SQLite would have.
fn on_postgres(first: &str, second: &str) -> String {
    format!(
        r#"#!/bin/sh
data=${{PROVOST_DATA:-$(dirname "$0")}} before=
for word; do
  [ "$before" != --data ] || data=$word
  before=$word
done
PROVOST_DATABASE='{first}'
[ "$data" != restored ] || PROVOST_DATABASE='{second}'
export PROVOST_DATABASE PROVOST_KEY_FILE="$data/key"
exec {PROVOST} "$@"
"#
    )
}
