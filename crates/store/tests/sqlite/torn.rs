//! Files that a failing disk or another hand has cut off or altered.

use std::{fs, path::Path};

use store::{
    Store,
    check::{Report, check},
    iam::groups::{self, GroupFilter},
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

/// Opens a folder with these files and checks it.
async fn opened(folder: &Path, database: &[u8], journal: &[u8]) -> domain::Result<(Store, Report)> {
    let data = folder.join("data");
    open(data.clone()).await.expect("opens").close().await;
    fs::write(data.join("provost.db"), database).expect("written");
    fs::write(data.join("provost.db-wal"), journal).expect("written");
    let _ = fs::remove_file(data.join("provost.db-shm"));
    let store = open(data).await?;
    let report = check(&store, |_, _| ()).await?;
    Ok((store, report))
}

async fn organizations(store: &Store) -> Vec<String> {
    let query = kit::everything(GroupFilter::default());
    let page = groups::list(&mut store.reader().await.expect("reads"), &query).await.expect("a page");
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
