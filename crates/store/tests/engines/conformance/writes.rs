//! What a write promises, whatever it writes.

use std::{collections::HashSet, time::Duration};

use domain::{Error, Kind, Noun, Op, Revision, Rule, ctx::IdempotencyClaim, iam::Group};
use store::{Store, audit, changes, iam::groups, outbox, rows, schema::Schema};

use super::{Engine, kit};

async fn exists(store: &Store, group: &Group) -> bool {
    rows::get::<Group>(&mut store.reader().await.expect("reads"), &group.uid).await.expect("reads").is_some()
}

fn insert(store: &Store, group: Group) -> tokio::task::JoinHandle<domain::Result<Group>> {
    let store = store.clone();
    tokio::spawn(async move { kit::write(&store, |tx| Box::pin(async move { rows::insert(tx, &group).await })).await })
}

/// Holds the writer up, so that what is written meanwhile is taken together.
fn hold_up(store: &Store) -> tokio::task::JoinHandle<domain::Result<()>> {
    let store = store.clone();
    tokio::spawn(async move {
        kit::write(&store, |_| {
            Box::pin(async {
                std::thread::sleep(Duration::from_millis(100));
                Ok(())
            })
        })
        .await
    })
}

pub(crate) async fn one_failing_request_leaves_the_others(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let held = hold_up(&store);
    tokio::time::sleep(Duration::from_millis(20)).await;
    let org = kit::group(kit::root(1), "org");
    let first = insert(&store, org.clone());
    let orphan = kit::group(kit::child(&kit::root(2), 1), "orphan");
    let failing = insert(&store, orphan.clone());
    let late = store.clone();
    let half = tokio::spawn(async move {
        kit::write(&late, |tx| {
            Box::pin(async move {
                rows::insert(tx, &kit::group(kit::root(3), "half")).await?;
                Err::<(), _>(Error::field("name", "is refused after something was written"))
            })
        })
        .await
    });
    let last = insert(&store, kit::group(kit::root(4), "last"));
    held.await.expect("runs").expect("writes");
    let first = first.await.expect("runs").expect("is added");
    assert_eq!(failing.await.expect("runs").expect_err("fails").kind(), Kind::NotFound);
    assert_eq!(half.await.expect("runs").expect_err("fails").kind(), Kind::InvalidArgument);
    let last = last.await.expect("runs").expect("is added");
    assert!(exists(&store, &first).await && exists(&store, &last).await);
    assert!(!exists(&store, &orphan).await && !exists(&store, &kit::group(kit::root(3), "half")).await);
}

/// The order of commits has no gaps but those of trials, whose revision their callers have seen.
pub(crate) async fn a_failed_write_takes_no_revision(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let before = kit::org(&store, 1).await.revision;
    let failing = kit::write(&store, |tx| {
        Box::pin(async move {
            rows::insert(tx, &kit::group(kit::root(2), "half")).await?;
            Err::<(), _>(Error::field("name", "is refused after something was written"))
        })
    });
    failing.await.expect_err("fails");
    assert_eq!(kit::org(&store, 3).await.revision.0, before.0 + 1);
}

pub(crate) async fn a_panic_rolls_back_and_the_writer_goes_on(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let group = kit::group(kit::root(1), "org");
    let row = group.clone();
    let panics = kit::write(&store, |tx| {
        Box::pin(async move {
            rows::insert(tx, &row).await?;
            assert!(!row.uid.is_root(), "a defect in a use case");
            Ok(())
        })
    });
    assert_eq!(panics.await.expect_err("fails").kind(), Kind::Internal);
    assert!(!exists(&store, &group).await);
    kit::add(&store, group.clone()).await;
    assert!(exists(&store, &group).await);
}

pub(crate) async fn validate_only_leaves_nothing(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let mut ctx = kit::ctx();
    ctx.validate_only = true;
    ctx.event = Some(kit::EVENT);
    ctx.idempotency = Some(IdempotencyClaim { key: [1; 32], request: [2; 32] });
    let write = async |store: &Store| {
        store
            .write(&ctx, |tx| {
                Box::pin(async move {
                    let group = rows::insert(tx, &kit::group(kit::root(1), "org")).await?;
                    tx.announce(Noun::Group, &group.uid, Op::Created, &group).await?;
                    Ok(group)
                })
            })
            .await
    };
    let group = write(&store).await.expect("would do");
    assert_eq!(group.spec.name.as_str(), "org");
    assert!(!exists(&store, &group).await);
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(audit::newest(&mut reader, 10).await.expect("reads"), []);
    assert_eq!(changes::since(&mut reader, Revision(0), 10).await.expect("reads"), []);
    assert_eq!(outbox::pending(&mut reader, Revision(0), 10).await.expect("reads"), []);
    drop(reader);
    // Not even the claim: the same request is judged again.
    let again = write(&store).await.expect("would still do");
    store.close().await;
    let store = engine.open().await.expect("opens");
    let added = kit::add(&store, kit::group(kit::root(1), "org")).await;
    assert!(added.revision > again.revision, "an entity tag of a trial is never given to something that is kept");
    assert!(again.revision > group.revision);
}

pub(crate) async fn a_failed_statement_spoils_its_write(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let again = org.clone();
    let outcome = kit::write(&store, |tx| {
        Box::pin(async move {
            rows::insert(tx, &kit::group(kit::root(2), "other")).await?;
            let refused = rows::insert(tx, &again).await;
            assert!(refused.is_err());
            Ok(())
        })
    })
    .await;
    assert_eq!(outcome.expect_err("fails").kind(), Kind::Internal);
    assert!(!exists(&store, &kit::group(kit::root(2), "other")).await);
}

pub(crate) async fn a_schema_is_told_without_being_made(engine: &impl Engine) {
    let config = engine.config();
    let empty = Schema::of(&config).await.expect("tells");
    assert!(empty.found == 0 && empty.program > 0, "{empty:?}");
    assert_eq!(Schema::of(&config).await.expect("tells"), empty, "still");
    let store = engine.open().await.expect("opens");
    let made = Schema::of(&config).await.expect("tells while a server runs");
    assert_eq!((made.found, made.program), (empty.program, empty.program));
    store.close().await;
    assert_eq!(Schema::of(&config).await.expect("tells"), made);
}

pub(crate) async fn revisions_only_grow_also_over_restarts(engine: &impl Engine) {
    let mut last = Revision(0);
    for n in 0..6 {
        let store = engine.open().await.expect("opens");
        for m in 0..3 {
            let group = kit::org(&store, n * 10 + m).await;
            assert!(group.revision > last, "{:?} after {last:?}", group.revision);
            last = group.revision;
        }
        if n % 2 == 0 {
            store.close().await;
        }
    }
}

pub(crate) async fn concurrent_writers_all_get_through(engine: &impl Engine) {
    const WRITERS: u64 = 32;
    const WRITES: u64 = 20;
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let tasks: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (store, org) = (store.clone(), org.uid.clone());
            tokio::spawn(async move {
                let mut revisions = Vec::new();
                for n in 0..WRITES {
                    let group = kit::group(kit::child(&org, writer * WRITES + n), "folder");
                    revisions.push(kit::add(&store, group.clone()).await.revision);
                    assert!(exists(&store, &group).await, "what was acknowledged is seen");
                }
                assert!(revisions.is_sorted());
                revisions
            })
        })
        .collect();
    let mut revisions = HashSet::new();
    for task in tasks {
        revisions.extend(task.await.expect("writes"));
    }
    let all = WRITERS * WRITES;
    assert_eq!(revisions.len() as u64, all, "one revision for each write");
    let mut reader = store.reader().await.expect("reads");
    let feed = changes::since(&mut reader, org.revision, 10_000).await.expect("reads");
    assert_eq!(feed.iter().map(|change| change.revision).collect::<HashSet<_>>(), revisions);
    assert_eq!(audit::newest(&mut reader, 10_000).await.expect("reads").len() as u64, all + 1);
    let listed = rows::list(&mut reader, &kit::everything(groups::GroupFilter::default())).await.expect("lists");
    assert_eq!(listed.total, all + 1);
}

pub(crate) async fn texts_that_not_every_engine_keeps_are_refused(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let refused = insert(&store, kit::group(kit::root(1), "a\0b")).await.expect("runs").expect_err("is refused");
    assert_eq!((refused.kind(), refused.rule()), (Kind::InvalidArgument, Rule::Field));
    let query = kit::everything(groups::GroupFilter { name: Some("a\0b".to_owned()) });
    let refused = rows::list(&mut store.reader().await.expect("reads"), &query).await.expect_err("is refused");
    assert_eq!((refused.kind(), refused.rule()), (Kind::InvalidArgument, Rule::Field));
    kit::org(&store, 1).await;
}

pub(crate) async fn a_write_sees_itself_and_a_snapshot_sees_none_of_it(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let mut before = store.reader().await.expect("reads");
    assert!(rows::get::<Group>(&mut before, &org.uid).await.expect("reads").is_some());
    let uid = kit::root(2);
    let row = kit::group(uid.clone(), "new");
    let own = kit::write(&store, |tx| {
        Box::pin(async move {
            rows::insert(tx, &row).await?;
            rows::get::<Group>(tx, &row.uid).await
        })
    });
    assert!(own.await.expect("writes").is_some(), "a write sees what it wrote");
    assert_eq!(rows::get::<Group>(&mut before, &uid).await.expect("reads"), None, "a snapshot does not change");
    let listed = rows::list(&mut before, &kit::everything(groups::GroupFilter::default())).await.expect("lists");
    assert_eq!((listed.total, listed.items.len()), (1, 1));
    let mut after = store.reader().await.expect("reads");
    assert!(rows::get::<Group>(&mut after, &uid).await.expect("reads").is_some(), "a new one sees the last commit");
}

pub(crate) async fn an_abandoned_store_keeps_what_it_acknowledged(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    drop(store);
    let store = engine.open().await.expect("opens again");
    assert!(exists(&store, &org).await);
    store.ping().await.expect("is well");
}

pub(crate) async fn a_closed_store_says_so(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    store.ping().await.expect("is well");
    let other = store.clone();
    store.close().await;
    for refused in [
        other.ping().await.expect_err("is closed"),
        other.reader().await.map(|_| ()).expect_err("is closed"),
        kit::write(&other, |_| Box::pin(async { Ok(()) })).await.expect_err("is closed"),
    ] {
        assert_eq!((refused.kind(), refused.rule()), (Kind::Unavailable, Rule::Unavailable));
    }
    other.close().await;
}
