//! What is old goes, and what stays is vouched for as before.

use domain::{Description, Kind, Revision, Timestamp, iam::Group};
use store::{
    Store,
    backup::{How, restore},
    check::{Finding, check},
    iam::standings::{self, Position},
    retention::{self, Trimmed},
    rows,
    seal::seal,
};

use std::sync::Arc;

use super::{
    Place, back_up,
    checked::{copy, damage, tells},
    forged::{checked, fill_all, keys, means, open},
    kit,
};

/// After everything that the tests write.
const LATER: Timestamp = Timestamp(kit::NOW.0 + 1_000_000);

/// Something of everything, an organization that was changed often, one that is gone, and nothing to be delivered.
async fn filled(place: &Place) {
    let store = open(place).await;
    fill_all(&store).await;
    let mut org = kit::org(&store, 80).await;
    for n in 0..5 {
        let mut changed = org.clone();
        changed.spec.description = Description::trusted(format!("the {n}th"));
        org =
            kit::write(&store, move |tx| Box::pin(async move { rows::update(tx, &org, &changed).await })).await.expect("changed");
    }
    let gone = kit::org(&store, 81).await.uid;
    kit::write(&store, move |tx| Box::pin(async move { rows::delete::<Group>(tx, &gone).await })).await.expect("deleted");
    store.close().await;
    damage(place, "INSERT INTO delivery_mark (one, revision, ordinal) VALUES (1, 1000, 0)");
}

async fn found(store: &Store) -> Vec<Finding> {
    check(store, &means(), |_, _| ()).await.expect("looks").findings
}

async fn trim(store: &Store) -> Trimmed {
    retention::trim_log(store, &kit::ctx(), &keys(), LATER, 1).await.expect("trims")
}

/// How many go.
fn marked(trimmed: &Trimmed) -> u64 {
    if let Trimmed::Marked(marked) = trimmed { *marked } else { 0 }
}

async fn rows_of(store: &Store, table: &str) -> i64 {
    let sizes = retention::sizes(&mut store.reader().await.expect("reads")).await.expect("sizes");
    sizes.iter().find(|size| size.table == table).expect("the table").rows
}

async fn old_goes_and_the_rest_is_vouched_for(place: Option<Place>) {
    let Some(place) = place else { return };
    filled(&place).await;
    let store = open(&place).await;
    assert_eq!((rows_of(&store, "outbox").await, found(&store).await), (1, vec![]));
    let ctx = kit::ctx();
    assert!(!retention::trim_events(&store, &ctx, Timestamp(0)).await.expect("nothing is as old"));
    assert!(!retention::trim_events(&store, &ctx, LATER).await.expect("trims"));
    assert_eq!((rows_of(&store, "outbox").await, rows_of(&store, "spent_events").await, found(&store).await), (0, 1, vec![]));

    assert!(matches!(retention::trim_log(&store, &ctx, &keys(), Timestamp(0), 1).await, Ok(Trimmed::Nothing)));
    let before = [rows_of(&store, "audit").await, rows_of(&store, "changes").await];
    let news = async |known| standings::news(&mut store.reader().await.expect("reads"), known).await.expect("news");
    let since = news(Position::default()).await.at;
    let old = Position { revision: Revision(since.revision.0 - 4), ..since };
    assert!(news(old).await.changes.is_some());
    let marked = marked(&trim(&store).await);
    // Five changes of one row, an organization made and deleted, three entries without a commit: all but the last change go.
    assert!(marked >= 9, "{marked}");
    assert_eq!(found(&store).await, [], "whole before they are removed");
    while retention::remove_marked(&store, &ctx).await.expect("removes") {}
    assert_eq!(found(&store).await, [], "and after");
    let after = [rows_of(&store, "audit").await, rows_of(&store, "changes").await];
    assert_eq!(after[0], before[0] + 1 - i64::try_from(marked).expect("few"), "one entry tells of it");
    assert!(after[1] < before[1]);
    assert!(news(old).await.changes.is_none(), "what was known then is forgotten: the feed does not tell all of what came since");
    assert!(news(since).await.changes.is_some());

    // The log goes on, also past the next time, and in a backup.
    kit::org(&store, 82).await;
    assert!(matches!(trim(&store).await, Trimmed::Marked(1..)), "the entry that told of the first time");
    kit::org(&store, 83).await;
    assert_eq!(found(&store).await, []);
    let folder = tempfile::tempdir().expect("a folder");
    let archive = back_up(&store, &folder.path().join("backup")).await;
    store.close().await;
    let how = How { replace: true, keys: Some(keys()), ..How::default() };
    restore(&place.config(), &archive, &kit::ctx(), how, Arc::new(|_, _| ())).await.expect("restored");
    assert_eq!(checked(&place, &means()).await.findings, []);
}

/// A statement, and the finding that it has to lead to.
const FORGED: &[(&str, (&str, &str, &str))] = &[
    (
        "UPDATE audit SET goes = 1 WHERE id = (SELECT min(id) FROM audit WHERE goes IS NULL)",
        ("log", "audit ", "it vouches for all"),
    ),
    ("UPDATE audit SET goes = 1 WHERE id = (SELECT max(id) FROM audit)", ("log", "revision", "the head is not the code")),
    ("UPDATE audit SET goes = NULL", ("log", "audit ", "it vouches for all")),
    (
        "UPDATE audit SET actor = 'x' WHERE id = (SELECT min(id) FROM audit WHERE goes IS NULL)",
        ("log", "audit ", "it vouches for all"),
    ),
    ("UPDATE changes SET digest = NULL WHERE noun = 'role'", ("log", "audit ", "it vouches for all")),
    ("UPDATE role_bindings SET role = 'x'", ("rights", "role_bindings ", "is not what commit ")),
    ("DELETE FROM retention", ("log", "audit ", "it vouches for all")),
    ("DELETE FROM spent_events", ("log", "audit ", "it vouches for all")),
    (
        "INSERT INTO outbox (revision, ordinal, kind, api_version, customer, subject, group_uid, actor, snapshot, at) \
         SELECT s.revision, s.ordinal, 'k', 'v', r.bound > 0, 's', '/', 'a', '{}', 1 FROM spent_events s, \
         (SELECT count(*) AS bound FROM role_bindings) r",
        ("outbox", "outbox ", "marked as gone"),
    ),
];

async fn what_stays_is_not_changed_unnoticed(place: Option<Place>) {
    let Some(place) = place else { return };
    filled(&place).await;
    let store = open(&place).await;
    retention::trim_events(&store, &kit::ctx(), LATER).await.expect("trims");
    assert!(matches!(trim(&store).await, Trimmed::Marked(_)));
    store.close().await;
    for (sql, expected) in FORGED {
        let forged = copy(&place);
        damage(&forged, sql);
        let found = checked(&forged, &means()).await.findings;
        assert!(tells(&found, *expected), "{sql}: {found:#?}");
    }
}

async fn nothing_goes_that_was_changed_by_other_hands(place: Option<Place>) {
    let Some(place) = place else { return };
    filled(&place).await;
    damage(&place, "UPDATE audit SET actor = 'somebody else' WHERE revision = 3");
    let store = open(&place).await;
    let findings = match trim(&store).await {
        Trimmed::Damaged(findings) => findings,
        _ => Vec::new(),
    };
    assert!(tells(&findings, ("log", "audit ", "(commit 3): changed")), "{findings:#?}");
    let before = rows_of(&store, "audit").await;
    assert!(!retention::remove_marked(&store, &kit::ctx()).await.expect("nothing is removed"));
    assert_eq!(rows_of(&store, "audit").await, before);
    assert_eq!(found(&store).await, findings, "and it is still found");
    store.close().await;
}

/// Marks of one who gave up, or to whom the time seemed to be another, have nothing go; and nobody begins before what went is removed.
async fn marks_count_for_who_has_claimed_them(place: Option<Place>) {
    let Some(place) = place else { return };
    filled(&place).await;
    damage(&place, "INSERT INTO retention (one, number, floor, claimed) VALUES (1, 0, 0, 6)");
    damage(&place, "UPDATE audit SET goes = 6");
    let store = open(&place).await;
    assert!(!retention::remove_marked(&store, &kit::ctx()).await.expect("nothing is removed"));
    assert_eq!(found(&store).await, []);
    let before = rows_of(&store, "audit").await;
    let marked = marked(&trim(&store).await);
    assert!(marked > 0 && i64::try_from(marked).expect("few") < before, "only what is old");
    let again = retention::trim_log(&store, &kit::ctx(), &keys(), LATER, 0).await;
    assert!(matches!(again, Ok(Trimmed::Contended)), "it is still there: {again:?}");
    while retention::remove_marked(&store, &kit::ctx()).await.expect("removes") {}
    assert_eq!(rows_of(&store, "audit").await, before + 1 - i64::try_from(marked).expect("few"));
    assert_eq!(found(&store).await, []);
    store.close().await;
}

/// Many trim, remove, seal and write at once; whatever of it comes to an end, the log is whole.
async fn many_at_once_leave_the_log_whole(place: Option<Place>) {
    let Some(place) = place else { return };
    filled(&place).await;
    let store = open(&place).await;
    for round in 0..4 {
        let trims = (0..3).map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let trimmed = retention::trim_log(&store, &kit::ctx(), &keys(), LATER, 1).await.expect("trims");
                while retention::remove_marked(&store, &kit::ctx()).await.expect("removes") {}
                matches!(trimmed, Trimmed::Marked(_))
            })
        });
        let trims: Vec<_> = trims.collect();
        let sealing = store.clone();
        let sealed = tokio::spawn(async move { seal(&sealing, &kit::ctx()).await });
        for n in 0..20 {
            let org = kit::org(&store, 90 + n).await.uid;
            kit::write(&store, move |tx| Box::pin(async move { rows::delete::<Group>(tx, &org).await })).await.expect("deleted");
        }
        let mut marked = 0;
        for trim in trims {
            marked += u32::from(trim.await.expect("no panic"));
        }
        if let Err(error) = sealed.await.expect("no panic") {
            assert_eq!(error.kind(), Kind::Aborted, "{error:?}");
        }
        assert_eq!(found(&store).await, [], "round {round}: {marked} went");
    }
    assert!(matches!(trim(&store).await, Trimmed::Marked(_)));
    store.close().await;
}

on_both!(
    old_goes_and_the_rest_is_vouched_for,
    what_stays_is_not_changed_unnoticed,
    nothing_goes_that_was_changed_by_other_hands,
    marks_count_for_who_has_claimed_them,
    many_at_once_leave_the_log_whole
);
