//! The conformance suite on SQLite, and what only SQLite's data folder can show.

mod torn;

use std::{path::PathBuf, sync::Arc};

use domain::{Rule, iam::Group};
use store::{Store, StoreConfig, rows};
use tempfile::TempDir;

use crate::conformance::{self, Engine, kit};

/// An empty data folder, removed with the test.
struct Sqlite {
    folder: TempDir,
}

impl Engine for Sqlite {
    fn config(&self) -> StoreConfig {
        StoreConfig::sqlite(self.folder.path().join("data"))
    }
}

async fn open(data: PathBuf) -> domain::Result<Store> {
    Store::open(&StoreConfig::sqlite(data), Arc::new(kit::Standing), Arc::new(kit::Counting::default())).await
}

fn engine() -> Sqlite {
    Sqlite { folder: tempfile::tempdir().expect("a folder for the test") }
}

conformance::cases!(Some(super::engine()));

#[tokio::test]
async fn a_second_server_is_told_who_holds_the_folder() {
    let engine = engine();
    let store = engine.open().await.expect("the first opens");
    let refused = engine.open().await.expect_err("the second is refused");
    let message = refused.message();
    assert_eq!(refused.rule(), Rule::Unavailable);
    assert!(message.contains(&format!("process {}", std::process::id())), "{message}");
    assert!(message.contains("provost admin"), "{message}");
    store.close().await;
    engine.open().await.expect("the folder is free after a close");
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let engine = engine();
    engine.open().await.expect("opens").close().await;
    let raw = rusqlite::Connection::open(engine.folder.path().join("data/provost.db")).expect("opens");
    raw.execute("INSERT INTO schema_version (version) VALUES (999)", []).expect("writes");
    drop(raw);
    let refused = engine.open().await.expect_err("a newer schema is refused");
    assert!(refused.message().contains("schema 999"), "{}", refused.message());
}

#[tokio::test]
async fn an_older_database_is_brought_up_to_date() {
    let engine = engine();
    let store = engine.open().await.expect("opens");
    let rows = conformance::counters::grow(&store).await;
    store.close().await;
    let raw = rusqlite::Connection::open(engine.folder.path().join("data/provost.db")).expect("opens");
    raw.execute_batch(conformance::counters::OLDER).expect("writes");
    drop(raw);
    let store = engine.open().await.expect("is brought up to date");
    conformance::counters::check(&store, &conformance::counters::older(rows)).await;
}

#[cfg(unix)]
#[tokio::test]
async fn the_data_folder_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let engine = engine();
    let _store = engine.open().await.expect("opens");
    let mode = std::fs::metadata(engine.folder.path().join("data")).expect("is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

/// A folder that somebody else made may be open for all; what is in it is not.
#[cfg(unix)]
#[tokio::test]
async fn the_files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let engine = engine();
    let data = engine.folder.path().join("data");
    std::fs::create_dir(&data).expect("makes the folder");
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).expect("opens the folder");
    let store = engine.open().await.expect("opens");
    kit::org(&store, 1).await;
    for file in ["provost.db", "provost.db-wal", "provost.db-shm", "lock"] {
        let mode = std::fs::metadata(data.join(file)).expect(file).permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

/// What a crash leaves: the files as they are while the store is open, without a close.
#[tokio::test]
async fn acknowledged_writes_survive_a_crash() {
    let engine = engine();
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let crashed = engine.folder.path().join("crashed");
    std::fs::create_dir(&crashed).expect("makes a folder");
    for file in ["provost.db", "provost.db-wal"] {
        std::fs::copy(engine.folder.path().join("data").join(file), crashed.join(file)).expect("copies");
    }
    let again = open(crashed).await.expect("opens what the crash left");
    let mut reader = again.reader().await.expect("reads");
    assert_eq!(rows::get::<Group>(&mut reader, &org.uid).await.expect("reads"), Some(org));
}

#[tokio::test]
async fn a_write_that_waits_for_something_else_fails() {
    let engine = engine();
    let store = engine.open().await.expect("opens");
    let waits = store.write(&kit::ctx(), |_| Box::pin(std::future::pending::<domain::Result<()>>())).await;
    assert_eq!(waits.expect_err("fails").kind(), domain::Kind::Internal);
    kit::org(&store, 1).await;
}
