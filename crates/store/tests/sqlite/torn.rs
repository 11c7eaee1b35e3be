//! Files that a failing disk or another hand has cut off or altered.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use store::{
    Store, StoreConfig,
    check::{Look, Means, Report, check},
    iam::groups::GroupFilter,
    rows,
};

use super::{kit, open};

const ORGS: u64 = 12;

/// A data folder as a crash leaves it: the database without most of what was written, and the journal with it.
async fn crashed() -> (Vec<u8>, Vec<u8>) {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let store = open(data.clone()).await.expect("opens");
    for n in 0..ORGS {
        kit::org(&store, n).await;
    }
    let read = |name| fs::read(data.join(name)).expect("is there");
    (read("provost.db"), read("provost.db-wal"))
}

/// Makes a folder with these files, as one that a server had.
async fn make(folder: &Path, database: &[u8], journal: &[u8]) -> PathBuf {
    let data = folder.join("data");
    open(data.clone()).await.expect("opens").close().await;
    fs::write(data.join("provost.db"), database).expect("written");
    fs::write(data.join("provost.db-wal"), journal).expect("written");
    let _ = fs::remove_file(data.join("provost.db-shm"));
    data
}

/// Everything in the folder.
fn files(data: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = fs::read_dir(data).expect("a folder").map(|entry| entry.expect("an entry").path());
    paths.map(|path| (path.clone(), fs::read(path).expect("read"))).collect()
}

/// Checks a folder with these files without opening it, and sees that nothing becomes of them.
async fn looked(database: &[u8], journal: &[u8]) -> domain::Result<Option<Report>> {
    let folder = tempfile::tempdir().expect("a folder");
    let data = make(folder.path(), database, journal).await;
    let before = files(&data);
    let report = match Look::at(&StoreConfig::sqlite(&data)).await {
        Ok(Some(look)) if look.schema().found > 0 => look.check(&Means::default(), |_, _| ()).await.map(Some),
        Ok(_) => Ok(None),
        Err(error) => Err(error),
    };
    assert!(files(&data) == before, "a file was made or altered");
    report
}

/// Opens a folder with these files and checks it.
async fn opened(folder: &Path, database: &[u8], journal: &[u8]) -> domain::Result<(Store, Report)> {
    let data = make(folder, database, journal).await;
    let store = open(data).await?;
    let report = check(&store, &Means::default(), |_, _| ()).await?;
    Ok((store, report))
}

async fn organizations(store: &Store) -> Vec<String> {
    let query = kit::everything(GroupFilter::default());
    let page = rows::list(&mut store.reader().await.expect("reads"), &query).await.expect("a page");
    page.items.iter().map(|group| group.uid.to_string()).collect()
}

/// What is left of a journal is a prefix of the commits: each whole, and in agreement with all others.
#[tokio::test]
async fn a_journal_that_was_cut_off_or_altered_is_good_up_to_there() {
    let (database, journal) = crashed().await;
    let mut sizes = Vec::new();
    for step in 0..24 {
        let at = journal.len() * step / 24;
        let mut altered = journal.clone();
        altered[at] ^= 0x40;
        for journal in [&journal[..at], &altered[..]] {
            let folder = tempfile::tempdir().expect("a folder");
            let (store, report) = opened(folder.path(), &database, journal).await.expect("opens");
            assert_eq!(report.findings, [], "at {at}");
            let found = organizations(&store).await;
            let mut prefix: Vec<_> = (0..found.len() as u64).map(|n| kit::root(n).to_string()).collect();
            prefix.sort();
            assert_eq!(found, prefix, "at {at}");
            sizes.push(found.len() as u64);
            kit::org(&store, 99).await;
        }
    }
    assert!(sizes.contains(&0) && sizes.iter().any(|size| (1..ORGS).contains(size)), "{sizes:?}");
}

/// A check without a server leaves what a crash has left, and tells what the next start would lose.
#[tokio::test]
async fn a_look_tells_of_an_altered_journal_and_changes_nothing() {
    let (database, journal) = crashed().await;
    let report = looked(&database, &journal).await.expect("looks").expect("a database");
    assert_eq!((report.findings, report.remarks), (vec![], vec![]));
    let (mut named, mut remarked, mut refused) = (0, 0, 0);
    // The last frame of all is a small part of the journal.
    for at in (0..24).map(|step| journal.len() * step / 24).chain([journal.len() - 1]) {
        // What is cut off cannot be seen.
        if let Some(report) = looked(&database, &journal[..at]).await.expect("looks") {
            assert_eq!((report.findings, report.remarks), (vec![], vec![]));
        }
        let mut altered = journal.clone();
        altered[at] ^= 0x40;
        match looked(&database, &altered).await {
            Ok(Some(report)) if report.findings.is_empty() => {
                assert!(report.remarks.len() == 1 && report.remarks[0].contains("is left out"), "{report:?}");
                remarked += 1;
            }
            Ok(Some(report)) => {
                let [found] = &report.findings[..] else { panic!("{report:?}") };
                assert_eq!((found.check, found.place.as_str()), ("file", "provost.db-wal"));
                assert!(found.problem.contains(" is damaged, and the next start loses the "), "{found:?}");
                named += 1;
            }
            Ok(None) => panic!("the journal was altered at {at}, and there is no database"),
            Err(error) => {
                assert!(error.message().contains("is damaged at its frame "), "{error:?}");
                refused += 1;
            }
        }
    }
    assert!(named > 5 && remarked > 0 && refused > 0, "{named} named, {remarked} remarked, {refused} refused");
}

/// Two may look at a time, and a server may not start meanwhile; nobody may look while one runs.
#[tokio::test]
async fn a_look_and_a_server_keep_each_other_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data ? 100%");
    assert!(Look::at(&StoreConfig::sqlite(&data)).await.expect("looks").is_none(), "there is no database");
    let store = open(data.clone()).await.expect("opens");
    kit::org(&store, 1).await;
    let error = Look::at(&StoreConfig::sqlite(&data)).await.expect_err("a server has it");
    assert!(error.message().contains("stop it first"), "{error:?}");
    store.close().await;
    let looks = [Look::at(&StoreConfig::sqlite(&data)).await, Look::at(&StoreConfig::sqlite(&data)).await];
    assert!(looks.iter().all(|look| matches!(look, Ok(Some(_)))), "{looks:?}");
    assert!(open(data.clone()).await.is_err(), "somebody looks");
    drop(looks);
    open(data).await.expect("nobody looks any more");
}

/// SQLite has no checksums over its pages: what is damaged in their structure is refused or named, and nothing hangs or panics.
#[tokio::test]
async fn a_database_file_that_was_altered_is_refused_or_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let store = open(data.clone()).await.expect("opens");
    for n in 0..ORGS {
        kit::org(&store, n).await;
    }
    store.close().await;
    let whole = fs::read(data.join("provost.db")).expect("is there");
    let (mut refused, mut named) = (0, 0);
    for page in 0..whole.len() / 4096 {
        // The first bytes of a page say what it is and where its rows are; those of the first page, that it is a database.
        for at in [0, 3, 6] {
            let mut altered = whole.clone();
            altered[page * 4096 + at] ^= 0x55;
            let folder = tempfile::tempdir().expect("a folder");
            match opened(folder.path(), &altered, &[]).await {
                Err(error) => {
                    assert!(error.kind() != domain::Kind::Internal, "{error:?}");
                    refused += 1;
                }
                Ok((_, report)) if report.findings.is_empty() => {
                    panic!("byte {at} of page {page} was altered and nobody noticed");
                }
                Ok(_) => named += 1,
            }
        }
    }
    assert!(refused > 0 && named > 0, "{refused} refused, {named} named");
    for length in [0, 100, 4096, whole.len() / 2, whole.len() - 4096] {
        let folder = tempfile::tempdir().expect("a folder");
        match opened(folder.path(), &whole[..length], &[]).await {
            // An empty file is a database in which nothing was ever written.
            Ok((store, report)) => assert!(length == 0 || !report.findings.is_empty(), "{length}: {store:?}"),
            Err(error) => assert!(!error.message().is_empty()),
        }
    }
}
