//! PostgreSQL's disk fails, or is full.

use std::path::PathBuf;

use pgcluster::{Cluster, Database, FailingDisk, Options};

use crate::{aftermath, blocking, cluster, load::Load, server_at};

/// Tables that every write needs.
const TABLES: &[&str] = &["groups", "changes", "audit"];

async fn fail(cluster: &Cluster, fault: &'static str, files: Vec<PathBuf>) -> Option<FailingDisk> {
    let cluster = cluster.clone();
    blocking(move || cluster.fail_disk(fault, &files)).await
}

/// PostgreSQL gives up when its journal cannot be written, and comes back once the disk is well and somebody starts it.
async fn the_journal_fails(story: &str, fault: &'static str) {
    let Some(cluster) = cluster(Options::default().durable()).await else { return };
    let server = server_at(&cluster, Database::url).await;
    let load = Load::start(&server);
    load.progress().await;
    let Some(disk) = fail(&cluster, fault, Vec::new()).await else { return };
    load.not_ready().await;
    load.trouble().await;
    blocking(move || {
        drop(disk);
        cluster.kill();
        cluster.start_again();
    })
    .await;
    load.ready().await;
    load.progress().await;
    let told = load.finish(story, &["UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED"]).await;
    aftermath::check(story, &server, &told).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_journal_cannot_be_flushed() {
    the_journal_fails("no flush of the journal", "fdatasync,fsync:error=EIO").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_no_space_for_the_journal() {
    the_journal_fails("no space for the journal", "pwrite64,pwritev:error=ENOSPC").await;
}

/// The tables of groups, changes and the audit log cannot grow: every write is refused for that reason, and it is enough
/// that the disk is well again.
async fn the_tables_cannot_grow(story: &str, fault: &'static str, code: &str, reason: &str) {
    let Some(cluster) = cluster(Options::default()).await else { return };
    let mut database = None;
    let server = server_at(&cluster, |made| database.insert(made.clone()).url()).await;
    let database = database.expect("the server has one");
    let load = Load::start(&server);
    load.progress().await;
    let files = blocking(move || database.files(TABLES)).await;
    assert!(files.len() > TABLES.len() && files.iter().all(|file| file.exists()), "{files:?}");
    let Some(disk) = fail(&cluster, fault, files).await else { return };
    load.trouble().await;
    blocking(move || drop(disk)).await;
    load.ready().await;
    load.progress().await;
    let told = load.finish(story, &["UNAVAILABLE", "ABORTED", code]).await;
    let said = told.failures().filter(|error| error.starts_with(code) && error.contains(reason)).count();
    assert!(said > 0, "{story}: {:?}", told.failures().collect::<Vec<_>>());
    aftermath::check(story, &server, &told).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_no_space_for_the_tables() {
    let fault = "pwrite64,pwritev:error=ENOSPC";
    the_tables_cannot_grow("no space for the tables", fault, "RESOURCE_EXHAUSTED", "the disk of the database is full").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tables_cannot_be_written() {
    let fault = "pwrite64,pwritev:error=EIO";
    the_tables_cannot_grow("no writing of the tables", fault, "UNAVAILABLE", "the disk of the database fails").await;
}
