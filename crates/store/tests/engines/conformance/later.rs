//! What is written soon.

use std::time::Duration;

use domain::{Error, Kind, Rule, Timestamp, iam::Identity};
use store::{AuditEntry, Later, Store, audit, changes, rows};

use super::{Engine, kit};

async fn last_seen(store: &Store, uid: &domain::Uidp) -> Timestamp {
    rows::get::<Identity>(&mut store.reader().await.expect("reads"), uid).await.expect("reads").expect("is there").last_seen_at
}

pub(crate) async fn the_last_exchange_counts(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let user = kit::add(&store, kit::identity(kit::root(1), "user")).await;
    for seconds in [5, 30, 10] {
        store.later(Later::Seen { identity: user.uid.clone(), at: kit::NOW.plus_seconds(seconds) });
    }
    store.later(Later::Seen { identity: kit::root(99), at: kit::NOW });
    store.flush().await.expect("writes");
    assert_eq!(last_seen(&store, &user.uid).await, kit::NOW.plus_seconds(30));
    store.later(Later::Seen { identity: user.uid.clone(), at: kit::NOW.plus_seconds(20) });
    store.flush().await.expect("writes");
    let mut reader = store.reader().await.expect("reads");
    let after = rows::get::<Identity>(&mut reader, &user.uid).await.expect("reads").expect("is there");
    assert_eq!((after.last_seen_at, after.revision), (kit::NOW.plus_seconds(30), user.revision));
    assert_eq!(changes::since(&mut reader, user.revision, 10).await.expect("reads"), []);
    assert_eq!(audit::newest(&mut reader, 10).await.expect("reads").len(), 1, "only the identity's creation");
}

pub(crate) async fn refusals_are_audited(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let refused = Error::denied(Rule::CapabilityMissing, "groups.list is missing");
    store.later(Later::Audit(Box::new(AuditEntry::refused(&kit::ctx(), Some("a/b"), &refused))));
    // Nobody asks for it: it is written within a second by itself.
    let mut entries = Vec::new();
    for _ in 0..50 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        entries = audit::newest(&mut store.reader().await.expect("reads"), 10).await.expect("reads");
        if !entries.is_empty() {
            break;
        }
    }
    let [entry] = entries.try_into().expect("one entry");
    assert_eq!((entry.outcome.as_str(), entry.subject.as_deref(), entry.revision), ("CAPABILITY_MISSING", Some("a/b"), None));
}

pub(crate) async fn refusals_at_impossible_places_are_audited(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let refused = Error::denied(Rule::CapabilityMissing, "groups.list is missing");
    store.later(Later::Audit(Box::new(AuditEntry::refused(&kit::ctx(), Some("a\0b"), &refused))));
    store.flush().await.expect("writes");
    let entries = audit::newest(&mut store.reader().await.expect("reads"), 10).await.expect("reads");
    assert_eq!(entries.iter().map(|entry| entry.subject.as_deref()).collect::<Vec<_>>(), [Some("a\u{fffd}b")]);
}

pub(crate) async fn closing_writes_what_is_queued(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let user = kit::add(&store, kit::identity(kit::root(1), "user")).await;
    store.later(Later::Seen { identity: user.uid.clone(), at: kit::NOW.plus_seconds(9) });
    store.close().await;
    assert_eq!(store.flush().await.expect_err("is closed").kind(), Kind::Unavailable);
    let store = engine.open().await.expect("opens again");
    assert_eq!(last_seen(&store, &user.uid).await, kit::NOW.plus_seconds(9));
}
