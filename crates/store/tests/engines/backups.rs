//! Backups of one store, restored into another: on SQLite, on PostgreSQL, and from each to the other.

/// Each case on both engines.
macro_rules! on_both {
    ($($case:ident),*) => {$(
        mod $case {
            use crate::backups::Place;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_sqlite() {
                super::$case(Place::sqlite()).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_postgresql() {
                super::$case(Place::postgres()).await;
            }
        }
    )*};
}

mod altered;
mod checked;
mod forged;
mod large;
mod load;
mod trimmed;
mod world;

use std::{path::Path, sync::Arc};

use domain::{Kind, Revision, Rule, Timestamp};
use store::{
    Database, Postgres, Store, StoreConfig, audit,
    backup::{Archive, Backup, Header, How, restore},
    sessions::{self, Room},
};
use tempfile::TempDir;

use crate::conformance::kit;

/// An empty database, gone with the test.
enum Place {
    Sqlite(TempDir),
    Postgres(pgcluster::Database),
}

impl Place {
    fn sqlite() -> Option<Self> {
        tempfile::tempdir().ok().map(Self::Sqlite)
    }

    fn postgres() -> Option<Self> {
        pgcluster::shared().map(|cluster| Self::Postgres(cluster.database()))
    }

    fn config(&self) -> StoreConfig {
        match self {
            Self::Sqlite(folder) => StoreConfig::sqlite(folder.path().join("data")),
            Self::Postgres(database) => {
                let database = Postgres::parse(&database.url()).expect("a URL").with_max_connections(6);
                StoreConfig { data: "unused".into(), database: Database::Postgres(database) }
            }
        }
    }

    async fn open(&self) -> Store {
        let (clock, entropy) = (Arc::new(kit::Standing), Arc::new(kit::Counting::default()));
        Store::open(&self.config(), clock, entropy).await.expect("opens")
    }
}

async fn write(mut backup: Backup, path: &Path) -> Header {
    let mut bytes = Vec::new();
    while let Some(piece) = backup.next().await.expect("reads") {
        bytes.extend(piece);
    }
    assert_eq!(backup.done(), backup.header().total());
    std::fs::write(path, bytes).expect("written");
    backup.header().clone()
}

async fn begin(store: &Store) -> Backup {
    Backup::begin(store, "1.2.3", kit::NOW).await.expect("a snapshot")
}

async fn back_up(store: &Store, path: &Path) -> Archive {
    let header = write(begin(store).await, path).await;
    let archive = check(path).expect("whole");
    assert_eq!(archive.header(), &header);
    archive
}

fn check(path: &Path) -> domain::Result<Archive> {
    Archive::check(path, |done, total| assert!(done <= total))
}

async fn restored(place: &Place, archive: &Archive, replace: bool) -> domain::Result<()> {
    let restored = restore(
        &place.config(),
        archive,
        &kit::ctx(),
        How { replace, keep_signing_keys: true, ..How::default() },
        Arc::new(|done, total| assert!(done <= total)),
    )
    .await?;
    assert_eq!(restored, [], "nothing to find");
    Ok(())
}

/// What one store has comes back in another, exactly, and both go on.
async fn everything_comes_back(from: Option<Place>, to: Option<Place>) {
    let (Some(from), Some(to)) = (from, to) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let source = from.open().await;
    let mut expected = world::fill(&source).await;
    let archive = back_up(&source, &folder.path().join("backup")).await;
    assert_eq!((archive.header().version.as_str(), archive.header().created()), ("1.2.3", kit::NOW));
    assert_eq!(archive.signing_keys().len(), 2);

    restored(&to, &archive, false).await.expect("restored");
    let target = to.open().await;
    let mut found = world::everything(&target).await;
    let last = archive.header().revision;
    assert_eq!(found.take_restore(), Revision(last + 1));
    assert_eq!(found, expected);
    let org = kit::org(&target, 77).await;
    assert_eq!(org.revision, Revision(last + 2), "revisions go on");
    target.close().await;

    // Full is not empty, and is replaced as a whole; revisions do not go back.
    let error = restored(&to, &archive, false).await.expect_err("in use");
    assert_eq!((error.kind(), error.rule()), (Kind::FailedPrecondition, Rule::NotEmpty), "{error:?}");
    assert!(error.message().contains("the database already contains data (audit rows)"), "{error}");
    restored(&to, &archive, true).await.expect("replaced");
    let target = to.open().await;
    let mut found = world::everything(&target).await;
    assert_eq!(found.take_restore(), Revision(last + 3));
    assert_eq!(found, expected);

    // A backup of the copy has the same rows.
    let again = back_up(&target, &folder.path().join("again")).await;
    let rows = |archive: &Archive| archive.header().rows.iter().map(|(name, n)| (name.clone(), *n)).collect::<Vec<_>>();
    let differ = |(a, b): &((String, u64), (String, u64))| a != b;
    let others: Vec<_> = rows(&archive).into_iter().zip(rows(&again)).filter(differ).map(|(a, b)| (a.0, b.1 - a.1)).collect();
    assert_eq!(others, [("audit".to_owned(), 1), ("changes".to_owned(), 1)], "the restore alone");
    expected.audit.clear();
    source.close().await;
}

/// A session that has ended since the backup must not begin again.
async fn sessions_do_not_come_back(from: Option<Place>, to: Option<Place>) {
    let (Some(from), Some(to)) = (from, to) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let source = from.open().await;
    let begin = async |store: &Store, n: u64| {
        let user = kit::add(store, kit::identity(kit::root(n), "ann")).await;
        let session = kit::session(n, &user, 1);
        let room = Room { per_user: 1, used_since: Timestamp(0) };
        store.start_session(&kit::ctx(), session.clone(), room).await.expect("begins");
        session.uid
    };
    let find = async |store: &Store, uid: &str| {
        sessions::get(&mut store.reader().await.expect("reads"), uid).await.expect("reads").is_some()
    };
    let before = begin(&source, 1).await;
    let archive = back_up(&source, &folder.path().join("backup")).await;
    assert!(archive.header().rows.iter().all(|(name, _)| name != "sessions"));
    source.close().await;
    let target = to.open().await;
    let there = begin(&target, 2).await;
    assert!(find(&target, &there).await);
    target.close().await;
    restored(&to, &archive, true).await.expect("restored");
    let target = to.open().await;
    assert!(!find(&target, &before).await && !find(&target, &there).await);
    begin(&target, 3).await;
    target.close().await;
}

/// What a lost server may have given out since its backup is not given out again.
#[tokio::test]
async fn revisions_continue_above_those_that_were_lost() {
    let (from, to) = (Place::sqlite().expect("a folder"), Place::sqlite().expect("a folder"));
    let folder = tempfile::tempdir().expect("a folder");
    let source = from.open().await;
    kit::org(&source, 1).await;
    let archive = back_up(&source, &folder.path().join("backup")).await;
    let mut ctx = kit::ctx();
    ctx.now = domain::Timestamp(kit::NOW.0 + 60_000);
    restore(&to.config(), &archive, &ctx, How::default(), Arc::new(|_, _| ())).await.expect("restored");
    let org = kit::org(&to.open().await, 2).await;
    assert!(org.revision > Revision(archive.header().revision + 1_000_000), "{:?}", org.revision);
}

macro_rules! every_way {
    ($case:ident) => {
        mod $case {
            use super::Place;
            every_way!(@ $case, sqlite_to_sqlite: sqlite, sqlite);
            every_way!(@ $case, postgres_to_postgres: postgres, postgres);
            every_way!(@ $case, sqlite_to_postgres: sqlite, postgres);
            every_way!(@ $case, postgres_to_sqlite: postgres, sqlite);
        }
    };
    (@ $case:ident, $name:ident: $from:ident, $to:ident) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            super::$case(Place::$from(), Place::$to()).await;
        }
    };
}
every_way!(everything_comes_back);
every_way!(sessions_do_not_come_back);

use large::rows_of_any_size_come_back;
every_way!(rows_of_any_size_come_back);

use load::a_backup_under_load_is_consistent;
every_way!(a_backup_under_load_is_consistent);

/// The audit log as it is kept, in its own words.
async fn audit_log(store: &Store) -> Vec<store::AuditEntry> {
    audit::newest(&mut store.reader().await.expect("reads"), 100_000).await.expect("the log")
}
