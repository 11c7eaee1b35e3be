//! A backup while others write.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use domain::{Noun, Revision, Uidp, registry::Repo};
use store::{Store, changes, rows};

use super::{Place, begin, check, kit, restored, world, write};

/// What the writers know to be stored.
#[derive(Default)]
struct Acknowledged {
    uids: Mutex<BTreeSet<Uidp>>,
    count: AtomicUsize,
    stop: AtomicBool,
}

impl Acknowledged {
    fn so_far(&self) -> BTreeSet<Uidp> {
        self.uids.lock().expect("whole").clone()
    }

    async fn wait_for(&self, more: usize) {
        let (from, begun) = (self.count.load(Ordering::Relaxed), Instant::now());
        while self.count.load(Ordering::Relaxed) < from + more {
            assert!(begun.elapsed() < Duration::from_mins(1), "the writers do not get on");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

/// Groups and repositories, added and deleted again in turn.
async fn work(store: Store, writer: u64, known: Arc<Acknowledged>) {
    let org = kit::org(&store, writer).await;
    known.uids.lock().expect("whole").insert(org.uid.clone());
    for n in 0.. {
        if known.stop.load(Ordering::Relaxed) {
            return;
        }
        let uid = kit::child(&org.uid, n);
        kit::add(&store, kit::group(uid.clone(), "g")).await;
        kit::add(&store, kit::repo(kit::child(&uid, 1), "r")).await;
        if n % 3 == 0 {
            let repo = kit::child(&uid, 1);
            kit::write(&store, move |tx| Box::pin(async move { rows::delete::<Repo>(tx, &repo).await })).await.expect("deleted");
        }
        known.uids.lock().expect("whole").insert(uid);
        known.count.fetch_add(1, Ordering::Relaxed);
    }
}

/// The backup holds everything that was acknowledged before it began and nothing by half, and nobody waited for it.
pub(crate) async fn a_backup_under_load_is_consistent(from: Option<Place>, to: Option<Place>) {
    let (Some(from), Some(to)) = (from, to) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let source = from.open().await;
    let known = Arc::new(Acknowledged::default());
    let writers: Vec<_> = (0..16).map(|writer| tokio::spawn(work(source.clone(), writer, Arc::clone(&known)))).collect();
    known.wait_for(50).await;

    let before = known.so_far();
    let backup = begin(&source).await;
    known.wait_for(50).await;
    let path = folder.path().join("backup");
    let header = write(backup, &path).await;
    known.wait_for(20).await;
    known.stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.expect("a writer");
    }

    // Counters, rows, feed and audit log are compared in here.
    restored(&to, &check(&path).expect("whole"), false).await.expect("restored");
    let target = to.open().await;
    let mut reader = target.reader().await.expect("reads");
    let feed = changes::since(&mut reader, Revision(0), 1_000_000).await.expect("the feed");
    assert!(feed.iter().all(|change| change.revision <= header.last_commit() || change.noun == Noun::Store));
    let there: BTreeSet<_> = feed.iter().map(|change| change.uid.as_str()).collect();
    assert!(before.iter().all(|uid| there.contains(uid.as_str())), "what was acknowledged is missing");
    drop(reader);
    world::everything(&target).await;
    source.close().await;
    target.close().await;
}
