//! Several stores on one database.

use std::collections::HashSet;

use domain::{Kind, Revision, Uidp, iam::Group};
use store::{Store, changes, rows};

use super::{
    conformance::{Engine, counters},
    engine, kit, open,
};

async fn exists(store: &Store, uid: &Uidp) -> bool {
    rows::get::<Group>(&mut store.reader().await.expect("reads"), uid).await.expect("reads").is_some()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_several_makes_the_tables() {
    let Some(server) = engine() else { return };
    let opened: Vec<_> = (0..4).map(|_| tokio::spawn(open(server.database.url()))).collect();
    for (n, store) in (1..).zip(opened) {
        let store = store.await.expect("runs").expect("opens");
        kit::org(&store, n).await;
    }
    let steps = format!("{0}|{0}", store::schema::CURRENT);
    assert_eq!(server.database.sql("SELECT count(*), max(version) FROM schema_version"), steps);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_database_is_brought_up_to_date() {
    let Some(server) = engine() else { return };
    let store = server.open().await.expect("opens");
    let rows = counters::grow(&store).await;
    store.close().await;
    server.database.sql(counters::OLDER);
    let store = server.open().await.expect("is brought up to date");
    counters::check(&store, &counters::older(rows)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_schema_is_refused() {
    let Some(server) = engine() else { return };
    server.open().await.expect("opens").close().await;
    server.database.sql("INSERT INTO schema_version (version) VALUES (999)");
    let refused = server.open().await.expect_err("a newer schema is refused");
    assert_eq!(refused.kind(), Kind::FailedPrecondition);
    assert!(refused.message().contains("the database has schema 999, and this provost knows"), "{}", refused.message());
}

/// On one thread, which nothing else uses after the store is closed.
#[tokio::test]
async fn a_closed_store_has_no_connections() {
    let Some(server) = engine() else { return };
    let store = server.open().await.expect("opens");
    let readers = (store.reader().await.expect("reads"), store.reader().await.expect("reads"));
    drop(readers);
    store.close().await;
    // PostgreSQL refuses to copy a database that somebody is connected to.
    let copy = server.database.copy();
    assert_ne!(copy.name(), server.database.name());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_acknowledges_the_other_sees() {
    let Some(server) = engine() else { return };
    let (one, other) = (server.open().await.expect("opens"), server.open().await.expect("opens"));
    for n in (0..40).step_by(2) {
        let first = kit::org(&one, n).await;
        assert!(exists(&other, &first.uid).await);
        let second = kit::org(&other, n + 1).await;
        assert!(exists(&one, &second.uid).await);
        assert!(first.revision < second.revision);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_of_all_have_one_order() {
    const WRITERS: u64 = 8;
    const WRITES: u64 = 15;
    let Some(server) = engine() else { return };
    let stores = [server.open().await.expect("opens"), server.open().await.expect("opens")];
    let tasks: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let store = stores[usize::try_from(writer % 2).expect("small")].clone();
            tokio::spawn(async move {
                let mut seen = Revision(0);
                for n in 0..WRITES {
                    kit::org(&store, writer * WRITES + n).await;
                    // Nothing ever becomes visible behind what was read before.
                    let feed =
                        changes::since(&mut store.reader().await.expect("reads"), Revision(0), 10_000).await.expect("reads");
                    let revisions: Vec<_> = feed.iter().map(|change| change.revision.0).collect();
                    assert_eq!(revisions, (1..=i64::try_from(feed.len()).expect("few")).collect::<Vec<_>>(), "no gap");
                    let last = feed.last().expect("its own").revision;
                    assert!(last >= seen);
                    seen = last;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("writes");
    }
    let feed = changes::since(&mut stores[0].reader().await.expect("reads"), Revision(0), 10_000).await.expect("reads");
    let uids: HashSet<_> = feed.iter().map(|change| &change.uid).collect();
    assert_eq!(uids.len() as u64, WRITERS * WRITES);
}
