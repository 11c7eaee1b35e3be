//! A restore has the database for itself.

use std::{
    path::Path,
    sync::{Arc, Mutex, mpsc},
    time::{Duration, Instant},
};

use domain::{Kind, Noun, Revision, Rule};
use store::{
    Store,
    backup::{Archive, Backup, How, OnProgress, restore},
    changes,
};

use super::{Server, conformance::Engine, engine, kit, open};

async fn back_up(store: &Store, folder: &Path) -> Archive {
    let mut backup = Backup::begin(store, "1.2.3", kit::NOW).await.expect("a snapshot");
    let mut bytes = Vec::new();
    while let Some(piece) = backup.next().await.expect("reads") {
        bytes.extend(piece);
    }
    let path = folder.join("backup");
    std::fs::write(&path, bytes).expect("written");
    Archive::check(&path, |_, _| ()).expect("whole")
}

fn quietly() -> OnProgress {
    Arc::new(|_, _| ())
}

/// The processes of the connections that claim the database.
fn claims(server: &Server) -> String {
    let sql = "SELECT l.pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database \
               WHERE l.locktype = 'advisory' AND l.classid = 1886547830 AND d.datname = current_database()";
    server.database.sql(sql)
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !tokio::task::block_in_place(&mut holds) {
        assert!(begun.elapsed() < Duration::from_secs(30), "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A restore that stands still in the middle until it is told to go on.
struct Halted {
    reached: mpsc::Receiver<()>,
    go_on: mpsc::Sender<()>,
    restore: tokio::task::JoinHandle<domain::Result<()>>,
}

impl Halted {
    fn begin(server: &Server, archive: &Archive) -> Self {
        let ((reach, reached), (go_on, may_go_on)) = (mpsc::channel(), mpsc::channel::<()>());
        let waiting = Mutex::new(Some((reach, may_go_on)));
        let progress: OnProgress = Arc::new(move |_, _| {
            if let Some((reach, may_go_on)) = waiting.lock().expect("whole").take() {
                reach.send(()).expect("the test waits");
                tokio::task::block_in_place(|| may_go_on.recv()).expect("the test goes on");
            }
        });
        let (config, archive) = (server.config(), archive.clone());
        let restore = tokio::spawn(async move {
            restore(&config, &archive, &kit::ctx(), How { replace: true, ..How::default() }, progress).await.map(drop)
        });
        let halted = Self { reached, go_on, restore };
        tokio::task::block_in_place(|| halted.reached.recv()).expect("is in the middle");
        halted
    }

    async fn finish(self) -> domain::Result<()> {
        self.go_on.send(()).expect("it waits");
        self.restore.await.expect("runs")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn nobody_else_may_have_the_database_open() {
    let Some(server) = engine() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (server.open().await.expect("opens"), server.open().await.expect("opens"));
    let org = kit::org(&one, 1).await;
    let archive = back_up(&one, folder.path()).await;
    kit::org(&other, 2).await;
    for stores in (1..=2).rev() {
        let error = restore(&server.config(), &archive, &kit::ctx(), How { replace: true, ..How::default() }, quietly())
            .await
            .expect_err("in use");
        assert_eq!((error.kind(), error.rule()), (Kind::FailedPrecondition, Rule::Unavailable));
        let told = format!("{stores} of this database's servers or commands have it open: 127.0.0.1 (process ");
        assert!(error.message().starts_with(&told) && error.message().contains("stop every server of it"), "{error}");
        if stores == 2 {
            other.close().await;
        }
    }
    kit::org(&one, 3).await;
    one.close().await;
    restore(&server.config(), &archive, &kit::ctx(), How { replace: true, ..How::default() }, quietly())
        .await
        .expect("the last one has just let go");
    let store = server.open().await.expect("opens");
    let feed = changes::since(&mut store.reader().await.expect("reads"), Revision(0), 10).await.expect("reads");
    let told: Vec<_> = feed.iter().map(|change| (change.noun, change.uid.as_str())).collect();
    assert_eq!(told, [(Noun::Group, org.uid.as_str()), (Noun::Store, "/")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn who_starts_meanwhile_is_refused() {
    let Some(server) = engine() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let store = server.open().await.expect("opens");
    kit::org(&store, 1).await;
    let archive = back_up(&store, folder.path()).await;
    store.close().await;
    let halted = Halted::begin(&server, &archive);
    let refused = server.open().await.map(drop).expect_err("is being restored");
    assert_eq!(refused.kind(), Kind::Unavailable);
    assert!(refused.message().contains("the database is being restored from a backup"), "{refused}");
    let second = restore(&server.config(), &archive, &kit::ctx(), How { replace: true, ..How::default() }, quietly())
        .await
        .expect_err("one at a time");
    assert!(second.message().starts_with("1 of this database's servers or commands have it open"), "{second}");
    halted.finish().await.expect("restored");
    kit::org(&server.open().await.expect("opens"), 2).await;
}

/// Nobody writes, and so nobody would notice.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_lost_claim_is_taken_again_at_once() {
    let Some(server) = engine() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let store = server.open().await.expect("opens");
    let archive = back_up(&store, folder.path()).await;
    for _ in 0..3 {
        let before = claims(&server);
        assert!(before.parse::<u32>().is_ok(), "{before}");
        super::outages::cut(&server);
        until("the claim is not taken again", || !["", before.as_str()].contains(&claims(&server).as_str())).await;
    }
    let error = restore(&server.config(), &archive, &kit::ctx(), How { replace: true, ..How::default() }, quietly())
        .await
        .expect_err("in use");
    assert_eq!(error.kind(), Kind::FailedPrecondition);
}

/// A server whose connection was lost in the wrong moment writes nothing until the restore is over, and goes on behind it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_comes_back_during_a_restore_takes_no_writes() {
    let Some(server) = engine() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = super::Proxy::start(server.database.cluster().address()).await;
    let lost = open(server.database.cluster().url_at(proxy.address, server.database.name())).await.expect("opens");
    kit::org(&lost, 1).await;
    let archive = back_up(&lost, folder.path()).await;
    let before = kit::org(&lost, 2).await.revision;
    proxy.set(super::Mood::Closed);
    super::outages::cut(&server);
    let halted = Halted::begin(&server, &archive);
    proxy.set(super::Mood::Calm);
    let refused = kit::write(&lost, |_| Box::pin(async { Ok(()) })).await.expect_err("is being restored");
    assert_eq!(refused.kind(), Kind::Unavailable);
    assert!(refused.message().contains("the database is being restored from a backup"), "{refused}");
    halted.finish().await.expect("restored");
    let next = kit::org(&lost, 3).await;
    assert!(next.revision > before, "revisions do not go back");
    let feed = changes::since(&mut lost.reader().await.expect("reads"), before, 10).await.expect("reads");
    assert_eq!(feed.iter().map(|change| change.noun).collect::<Vec<_>>(), [Noun::Store, Noun::Group], "it hears of the restore");
}

/// The way of a server that was stopped and the way of a killed one: nothing is left behind that keeps others out.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_restore_that_fails_lets_go() {
    let Some(server) = engine() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let store = server.open().await.expect("opens");
    kit::org(&store, 1).await;
    let archive = back_up(&store, folder.path()).await;
    store.close().await;
    let error = restore(&server.config(), &archive, &kit::ctx(), How::default(), quietly()).await.expect_err("is not empty");
    assert_eq!(error.rule(), Rule::NotEmpty);
    let halted = Halted::begin(&server, &archive);
    super::outages::cut(&server);
    halted.finish().await.expect_err("its connection is lost");
    kit::org(&server.open().await.expect("opens"), 2).await;
}
