//! pgbouncer between a store and its database.

use std::time::{Duration, Instant};

use domain::{Kind, Result, iam::Group};
use pgcluster::{Cluster, Database, Pooler};
use store::{
    Store,
    iam::standings::{self, Position},
    rows,
};

use super::{kit, open};

/// How long a pooler's new mode may take to be noticed.
const PATIENCE: Duration = Duration::from_mins(1);

/// A pooler, and an empty database that is reached through it at this URL.
fn pooled(mode: &str) -> Option<(Pooler, Database, String)> {
    let cluster: &Cluster = pgcluster::shared()?;
    let (pooler, database) = (Pooler::start(cluster, mode)?, cluster.database());
    let url = cluster.url_at(pooler.address(), database.name());
    Some((pooler, database, url))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_are_shared_between_transactions_are_refused() {
    for mode in ["transaction", "statement"] {
        let Some((_pooler, database, url)) = pooled(mode) else { return };
        for attempt in 0..5 {
            let refused = open(url.clone()).await.map(drop).expect_err("it is refused");
            assert_eq!(refused.kind(), Kind::FailedPrecondition, "{mode}, attempt {attempt}: {refused:?}");
            assert!(refused.message().contains("set pool_mode = session"), "{mode}: {}", refused.message());
        }
        assert_eq!(database.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0", "nothing was made");
    }
}

async fn read(store: &Store) -> Result<()> {
    rows::get::<Group>(&mut store.reader().await?, &kit::root(1)).await.map(drop)
}

async fn write(store: &Store, n: u64) -> Result<()> {
    let group = kit::group(kit::root(n), &format!("org-{n}"));
    kit::write(store, |tx| Box::pin(async move { rows::insert(tx, &group).await })).await.map(drop)
}

/// Reads and writes with many connections at once.
async fn used(store: &Store, from: u64) -> Vec<Result<()>> {
    let tasks: Vec<_> = (from..from + 16)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move { if n % 2 == 0 { write(&store, n).await } else { read(&store).await } })
        })
        .collect();
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(task.await.expect("no panic"));
    }
    outcomes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whole_sessions_are_as_good_as_the_server_itself() {
    let Some((_pooler, _database, url)) = pooled("session") else { return };
    let (one, other) = (open(url.clone()).await.expect("opens"), open(url).await.expect("opens beside it"));
    for round in 0..10 {
        for (number, store) in (0..).zip([&one, &other]) {
            let outcomes = used(store, 1 + (round * 2 + number) * 16).await;
            assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
        }
    }
    one.close().await;
    other.close().await;
}

/// Whether somebody is told what to do about connections that are shared.
fn is_told<T>(outcome: &Result<T>) -> bool {
    outcome.as_ref().is_err_and(|error| {
        assert_eq!(error.kind(), Kind::Unavailable, "{error:?}");
        error.message().contains("set pool_mode = session")
    })
}

/// Nothing is answered that may be wrong, whoever must do something about it is told what, and nothing has to be restarted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mode_that_changes_is_noticed_and_told() {
    let Some((pooler, _database, url)) = pooled("session") else { return };
    let store = open(url).await.expect("opens");
    assert!(used(&store, 1).await.iter().all(Result::is_ok));
    pooler.set_mode("transaction");
    let (begin, mut n) = (Instant::now(), 100);
    let mut noticed = false;
    while !noticed {
        assert!(begin.elapsed() < PATIENCE, "nobody is told that connections are shared");
        n += 16;
        noticed = used(&store, n).await.iter().any(is_told);
    }
    assert!(is_told(&read(&store).await), "and nobody reads what may be of another session");
    pooler.set_mode("session");
    let begin = Instant::now();
    loop {
        n += 16;
        let outcomes = used(&store, n).await;
        if outcomes.iter().all(Result::is_ok) {
            break;
        }
        assert!(begin.elapsed() < PATIENCE, "it does not recover: {outcomes:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    store.close().await;
}

/// Asks with many connections at once what has changed, as nodes do all the time.
async fn asked(store: &Store, known: Position) -> Vec<Result<()>> {
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut reader = store.reader().await?;
                standings::news(&mut reader, known).await?;
                // Others get a connection of their own meanwhile.
                tokio::time::sleep(Duration::from_millis(5)).await;
                standings::news(&mut reader, known).await.map(drop)
            })
        })
        .collect();
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(task.await.expect("no panic"));
    }
    outcomes
}

/// The same where nobody writes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mode_that_changes_is_noticed_by_who_only_reads() {
    let Some((pooler, _database, url)) = pooled("session") else { return };
    let store = open(url).await.expect("opens");
    let known = standings::position(&mut store.reader().await.expect("reads")).await.expect("reads");
    assert!(asked(&store, known).await.iter().all(Result::is_ok));
    pooler.set_mode("transaction");
    let begin = Instant::now();
    while !asked(&store, known).await.iter().any(is_told) {
        assert!(begin.elapsed() < PATIENCE, "nobody is told that connections are shared");
    }
    assert!(is_told(&read(&store).await), "and nobody reads what may be of another session");
    let written = write(&store, 1).await;
    assert!(is_told(&written), "or writes: {written:?}");
    pooler.set_mode("session");
    let begin = Instant::now();
    loop {
        let outcomes = asked(&store, known).await;
        if outcomes.iter().all(Result::is_ok) {
            break;
        }
        assert!(begin.elapsed() < PATIENCE, "it does not recover: {outcomes:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    write(&store, 2).await.expect("writes");
    store.close().await;
}
