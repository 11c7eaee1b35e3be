//! What whoever writes the database, or a backup, puts into it without a key of the installation: each forgery is found, and named.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use domain::{Kind, Op, Secret};
use futures::{StreamExt as _, stream};
use store::{
    AuditEntry, Later, Standing, Store,
    backup::{Archive, How, restore},
    chain::{Key, KeyId, Keys},
    check::{Finding, Look, Means, Report, check},
    rekey::rekey,
    seal::seal,
    signing_keys::{self, SigningKey},
};
use tokio::task::spawn_blocking;

use super::{
    Place,
    altered::{with_header, with_rows},
    back_up,
    checked::{copy, damage, fill, tells},
    kit,
};

fn key(byte: u8) -> Key {
    Key::new(KeyId([byte; 8]), &Secret::new([byte; 32]))
}

pub(crate) fn keys() -> Arc<Keys> {
    Arc::new(Keys::new(key(1), None, Vec::new()))
}

pub(crate) fn means() -> Means {
    Means::new(Some(keys()), None).expect("means")
}

/// A store whose audit log has codes.
pub(crate) async fn open(place: &Place) -> Store {
    let store = place.open().await;
    let standing = store.use_keys(keys()).await.expect("reads");
    assert!(matches!(standing, Standing::New | Standing::Sealed), "{standing:?}");
    store
}

pub(crate) async fn checked(place: &Place, means: &Means) -> Report {
    Look::at(&place.config()).await.expect("looks").expect("a database").check(means, |_, _| ()).await.expect("looks")
}

/// Something of everything: also entries of what wrote nothing, and an event.
pub(crate) async fn fill_all(store: &Store) {
    fill(store).await;
    for request in ["r1", "r2", "r3"] {
        let mut ctx = kit::ctx();
        ctx.request_id = request.into();
        store.later(Later::Audit(Box::new(AuditEntry::of(&ctx))));
    }
    store.flush().await.expect("written");
    let mut ctx = kit::ctx();
    ctx.event = Some(kit::EVENT);
    let group = kit::group(kit::root(70), "announced");
    let add = store.write(&ctx, move |tx| {
        Box::pin(async move {
            let group = store::rows::insert(tx, &group).await?;
            tx.announce(domain::Noun::Group, &group.uid, Op::Created, &group).await?;
            Ok(())
        })
    });
    add.await.expect("announced");
    kit::org(store, 71).await;
}

const HANDS: &str = "changed, added or removed by other hands";
const ROW: &str = "its code does not fit: it was made or changed by other hands";

/// A statement, and the finding that it has to lead to: its check, and parts of its place and problem.
const FORGED: &[(&str, (&str, &str, &str))] = &[
    // Rights, in place.
    ("UPDATE roles SET capabilities = '[\"groups.list\"]'", ("rights", "roles ", "is not what commit ")),
    ("UPDATE role_bindings SET role = 'x'", ("rights", "role_bindings ", "is not what commit ")),
    ("UPDATE role_bindings SET identity = 'x'", ("rights", "role_bindings ", "is not what commit ")),
    (
        "UPDATE identities SET relationship = replace(relationship, 'issuer.example', 'evil.example')",
        ("rights", "identities ", "is not what commit "),
    ),
    ("UPDATE identity_providers SET default_role = 'x'", ("rights", "identity_providers ", "is not what commit ")),
    ("UPDATE external_group_role_mappings SET role = 'x'", ("rights", "external_group_role_mappings ", "is not what commit ")),
    // Tokens that were revoked, and who users are.
    ("UPDATE identities SET relationship_revision = relationship_revision - 1", ("rights", "identities ", "is not what commit ")),
    ("UPDATE identities SET email = 'else@example.com'", ("rights", "identities ", "is not what commit ")),
    // What is shown, and to how much.
    ("UPDATE repos SET public = NOT public", ("rights", "repos ", "is not what commit ")),
    ("UPDATE repos SET synced_by = 'x'", ("rights", "repos ", "is not what commit ")),
    ("UPDATE groups SET public = NOT public", ("rights", "groups ", "is not what commit ")),
    ("UPDATE groups SET verified = NOT verified", ("rights", "groups ", "is not what commit ")),
    ("UPDATE groups SET resource_limits = '{\"repos\":1}'", ("rights", "groups ", "is not what commit ")),
    // With what the feed keeps of them.
    ("UPDATE changes SET digest = NULL WHERE noun = 'role'", ("rights", "roles ", "keeps no digest")),
    ("UPDATE changes SET digest = NULL WHERE noun = 'role'", ("log", "audit ", HANDS)),
    (
        "UPDATE changes SET digest = (SELECT digest FROM changes ORDER BY digest DESC NULLS LAST LIMIT 1) WHERE noun = 'role_binding'",
        ("log", "audit ", HANDS),
    ),
    // The audit log.
    ("UPDATE audit SET actor = 'somebody else' WHERE revision = 3", ("log", "audit ", "(commit 3): changed")),
    ("UPDATE audit SET at = at + 1 WHERE revision = 4", ("log", "audit ", HANDS)),
    ("UPDATE audit SET request_id = 'r4' WHERE request_id = 'r1'", ("log", "audit ", "or one of the 2 entries without a code")),
    ("UPDATE audit SET request_id = 'r4' WHERE request_id = 'r3'", ("log", "audit ", "or one of the 2 entries without a code")),
    ("DELETE FROM audit WHERE request_id = 'r2'", ("log", "audit ", HANDS)),
    ("DELETE FROM audit WHERE revision = 5; DELETE FROM changes WHERE revision = 5", ("log", "audit ", HANDS)),
    ("DELETE FROM audit WHERE revision < 4", ("log", "audit ", HANDS)),
    ("UPDATE audit SET code = (SELECT code FROM audit WHERE revision = 3) WHERE revision = 4", ("log", "audit ", HANDS)),
    ("UPDATE audit SET code = NULL WHERE revision = 4", ("log", "audit ", HANDS)),
    (
        "INSERT INTO audit (at, actor, method, request_id, outcome) VALUES (1, 'a', 'm', 'r', 'OK')",
        ("log", "audit ", "1 entries at the end have no code"),
    ),
    (
        "DELETE FROM audit WHERE id = (SELECT max(id) FROM audit)",
        ("log", "revision", "entries were removed, or the head was changed"),
    ),
    ("UPDATE revision SET head = NULL", ("log", "revision", "the head is missing")),
    (
        "UPDATE revision SET head = (SELECT code FROM audit WHERE revision = 3)",
        ("log", "revision", "entries were removed, or the head was changed"),
    ),
    // What no key has made, in place of the whole log.
    ("UPDATE audit SET code = NULL", ("log", "revision", "entries were removed, or the head was changed")),
    // The feed and the outbox.
    ("UPDATE changes SET uid = 'x' WHERE noun = 'overlay_binding'", ("log", "audit ", HANDS)),
    (
        "INSERT INTO changes (revision, ordinal, noun, uid, op) SELECT revision, 1, 'group', 'x', 'deleted' FROM audit WHERE revision = 6",
        ("log", "audit ", "(commit 6): changed"),
    ),
    ("UPDATE outbox SET snapshot = '{}'", ("log", "audit ", HANDS)),
    ("UPDATE outbox SET customer = NOT customer", ("log", "audit ", HANDS)),
    ("DELETE FROM outbox", ("log", "audit ", HANDS)),
    (
        "INSERT INTO outbox (revision, ordinal, kind, api_version, customer, subject, group_uid, actor, snapshot, at) \
         SELECT 7, 0, 'k', 'v', customer, 's', '/', 'a', '{}', 1 FROM outbox",
        ("log", "audit ", "(commit 7): changed"),
    ),
    // Signing keys.
    ("UPDATE signing_keys SET public_jwk = '{\"kty\":\"EC\"}'", ("keys", "signing_keys k1", ROW)),
    ("UPDATE signing_keys SET not_before_at = not_before_at - 1", ("keys", "signing_keys k1", ROW)),
    ("UPDATE signing_keys SET retired_at = 7", ("keys", "signing_keys k1", ROW)),
    ("UPDATE signing_keys SET algorithm = 'RS256'", ("keys", "signing_keys k1", ROW)),
    ("UPDATE signing_keys SET kid = 'k2'", ("keys", "signing_keys k2", ROW)),
    ("UPDATE signing_keys SET code = NULL", ("keys", "signing_keys k1", ROW)),
    (
        "INSERT INTO signing_keys SELECT 'k9', algorithm, private_key, public_jwk, created_at, not_before_at, retired_at, revision, code \
         FROM signing_keys",
        ("keys", "signing_keys k9", ROW),
    ),
    // Numbers.
    ("UPDATE revision SET n = 9223372036854775807", ("numbers", "revision", "its n is 9223372036854775807")),
    ("UPDATE revision SET n = 4611686018427387904", ("numbers", "revision", "its n is 4611686018427387904")),
    ("UPDATE groups SET revision = 4611686018427387904", ("numbers", "groups ", "its revision is 4611686018427387904")),
    ("UPDATE groups SET created_at = 9223372036854775807", ("numbers", "groups ", "its created_at is 9223372036854775807")),
    ("UPDATE groups SET updated_at = -99999999999999", ("numbers", "groups ", "its updated_at is -99999999999999")),
    (
        "UPDATE counts SET n = 9223372036854775807 WHERE prefix = '/'",
        ("numbers", "counts / group", "its n is 9223372036854775807"),
    ),
    ("UPDATE audit SET at = 9223372036854775807 WHERE revision = 3", ("numbers", "audit ", "its at is ")),
];

async fn every_forgery_is_named(whole: Option<Place>) {
    let Some(whole) = whole else { return };
    let store = open(&whole).await;
    fill_all(&store).await;
    store.close().await;
    let report = checked(&whole, &means()).await;
    assert_eq!((report.findings, report.head.is_some()), (Vec::new(), true), "nothing to find");
    let mut told = BTreeMap::<&str, Vec<_>>::new();
    for (sql, expected) in FORGED {
        told.entry(sql).or_default().push(*expected);
    }
    let whole = &Arc::new(whole);
    let each = told.into_iter().map(|(sql, told)| async move {
        let whole = Arc::clone(whole);
        let forged = move || {
            let place = copy(&whole);
            damage(&place, sql);
            place
        };
        let place = spawn_blocking(forged).await.expect("copied");
        let found = checked(&place, &means()).await.findings;
        for expected in told {
            assert!(tells(&found, expected), "{sql}: {found:#?}");
        }
        spawn_blocking(move || drop(place)).await.expect("gone");
    });
    stream::iter(each).buffer_unordered(3).collect::<()>().await;
}

/// A binding with everything that follows from one, as a program of ours would write it.
const BINDING: &str = "INSERT INTO role_bindings SELECT parent || '/00000000000000ff', parent, org, identity, role, created_at, updated_at, 90 \
     FROM role_bindings; \
     INSERT INTO changes (revision, ordinal, noun, uid, op, to_name, to_created_at, digest) \
     SELECT 90, 0, noun, substr(uid, 1, 40) || '/00000000000000ff', op, to_name, to_created_at, digest FROM changes \
     WHERE noun = 'role_binding'; \
     INSERT INTO changes (revision, ordinal, noun, uid, op) SELECT 90, 1, noun, uid, op FROM changes WHERE op = 'rebound'; \
     INSERT INTO audit (at, revision, actor, method, request_id, noun, subject, op, outcome, code) \
     SELECT at, 90, actor, method, request_id, noun, substr(subject, 1, 40) || '/00000000000000ff', op, outcome, code FROM audit \
     WHERE noun = 'role_binding'; \
     UPDATE counts SET n = n + 1 WHERE noun = 'role_binding'; \
     UPDATE counts SET children = children + 1 WHERE noun = 'role_binding' AND prefix <> '/'; \
     UPDATE revision SET n = 90, head = (SELECT code FROM audit WHERE revision = 90)";

/// The log of a database may be cut off with everything that follows, or an older database put in its place. Only a head that is kept
/// elsewhere shows that.
async fn what_fits_together_is_found_as_well(place: Option<Place>) {
    let Some(place) = place else { return };
    let store = open(&place).await;
    kit::bound(&store).await;
    let before = store.head().await.expect("reads").expect("a head").code();
    kit::org(&store, 5).await;
    let head = store.head().await.expect("reads").expect("a head").code();
    store.close().await;

    let kept = |head: &str| Means::new(Some(keys()), Some(head.to_owned())).expect("a head");
    for head in [&before, &head, &head[..13], &head.to_uppercase()] {
        assert_eq!(checked(&place, &kept(head)).await.findings, [], "{head}");
    }
    assert!(Means::new(None, Some("12345".to_owned())).is_err() && Means::new(None, Some("x".repeat(13))).is_err());

    let forged = copy(&place);
    damage(&forged, BINDING);
    let found = checked(&forged, &means()).await.findings;
    assert!(tells(&found, ("log", "audit ", "(commit 90): changed")), "{found:#?}");

    let older = copy(&place);
    let last = "(SELECT max(revision) FROM audit)";
    damage(
        &older,
        &format!(
            "DELETE FROM groups WHERE revision = {last}; UPDATE counts SET n = n - 1, children = children - 1 \
             WHERE noun = 'group' AND prefix = '/'; DELETE FROM counts WHERE prefix NOT IN (SELECT uid FROM groups UNION SELECT '/'); \
             DELETE FROM changes WHERE revision = {last}; DELETE FROM audit WHERE revision = {last}; \
             UPDATE revision SET n = {last}, head = (SELECT code FROM audit WHERE revision = {last})"
        ),
    );
    assert_eq!(checked(&older, &means()).await.findings, [], "it was so once");
    let found = checked(&older, &kept(&head)).await.findings;
    assert!(tells(&found, ("log", "audit", "the log was cut off, or an older state was put in its place")), "{found:#?}");
    assert_eq!(checked(&older, &kept(&before)).await.findings, []);
    // An open store is asked the same.
    let store = open(&older).await;
    assert_eq!(check(&store, &kept(&head), |_, _| ()).await.expect("looks").findings, found);
    store.close().await;
}

/// Codes cannot be judged without keys; what they say of each other can.
async fn without_keys_less_is_known(place: Option<Place>) {
    let Some(place) = place else { return };
    let store = open(&place).await;
    fill_all(&store).await;
    store.close().await;
    let report = checked(&place, &Means::default()).await;
    assert_eq!(report.findings, []);
    assert!(report.remarks.iter().any(|remark| remark.contains("the key file is not here")), "{:?}", report.remarks);
    damage(&place, "UPDATE roles SET capabilities = '[]'; UPDATE revision SET head = NULL");
    let found = checked(&place, &Means::default()).await.findings;
    assert!(
        tells(&found, ("rights", "roles ", "is not what commit ")) || tells(&found, ("log", "revision", "missing")),
        "{found:#?}"
    );
}

/// A database of a program that made no codes, and one that other hands have changed, are vouched for as they are.
async fn what_is_found_is_vouched_for(place: Option<Place>) {
    let Some(place) = place else { return };
    let store = place.open().await;
    fill_all(&store).await;
    store.close().await;
    damage(&place, "UPDATE changes SET digest = NULL");
    let report = checked(&place, &means()).await;
    assert!(tells(&report.findings, ("log", "audit", "no entry has a code")) && report.head.is_none(), "{:#?}", report.findings);

    let store = place.open().await;
    assert_eq!(store.use_keys(keys()).await.expect("reads"), Standing::Unsealed);
    kit::org(&store, 80).await;
    assert!(store.head().await.expect("reads").is_none(), "nothing begins by itself");
    let key = signing_keys::list(&mut store.reader().await.expect("reads")).await.expect("keys").remove(0);
    kit::write(&store, move |tx| Box::pin(async move { signing_keys::vouch(tx, &key).await })).await.expect("vouches");
    let sealed = seal(&store, &kit::ctx()).await.expect("sealed");
    assert!(sealed.rights > 5 && sealed.entries > 10, "{sealed:?}");
    kit::org(&store, 81).await;
    assert_eq!(check(&store, &means(), |_, _| ()).await.expect("looks").findings, []);
    store.close().await;
    let (forged, changed) = (copy(&place), copy(&place));
    damage(&forged, "UPDATE audit SET actor = 'somebody else' WHERE revision = 3");
    let found = checked(&forged, &means()).await.findings;
    assert!(tells(&found, ("log", "audit ", "it vouches for all entries before it")), "{found:#?}");

    damage(&changed, "UPDATE roles SET capabilities = '[\"groups.list\"]'; DELETE FROM audit WHERE revision IS NULL");
    assert!(!checked(&changed, &means()).await.findings.is_empty());
    let store = open(&changed).await;
    seal(&store, &kit::ctx()).await.expect("sealed");
    assert_eq!(check(&store, &means(), |_, _| ()).await.expect("looks").findings, []);
    store.close().await;
}

async fn change_key(store: &Store, to: u8, row: Option<SigningKey>) -> domain::Result<()> {
    let ctx = kit::ctx();
    let change = rekey(store, &ctx, move |tx| {
        let row = row.clone();
        Box::pin(async move {
            tx.go_on_with(KeyId([to; 8]))?;
            match row {
                Some(row) => signing_keys::update(tx, &row).await,
                None => Ok(()),
            }
        })
    });
    change.await
}

/// The log goes on under another key; one of before makes nothing that is believed.
async fn the_key_is_changed(place: Option<Place>) {
    let Some(place) = place else { return };
    let store = open(&place).await;
    fill_all(&store).await;
    let both = Arc::new(Keys::new(key(1), Some(key(2)), Vec::new()));
    store.change_keys(Arc::clone(&both));
    let mut rows = signing_keys::list(&mut store.reader().await.expect("reads")).await.expect("keys");
    let row = rows.remove(0);
    let before = row.clone();
    let change = |to| change_key(&store, to, Some(row.clone()));
    assert_eq!(change(3).await.expect_err("no key of ours").kind(), Kind::FailedPrecondition);
    change(2).await.expect("changed");
    let head = store.head().await.expect("reads").expect("a head");
    assert_eq!(head.key(), KeyId([2; 8]));
    // A process with the old key alone writes nothing, one with both goes on.
    store.change_keys(keys());
    let error = kit::write(&store, |_| Box::pin(async { Ok(()) })).await.expect_err("another key");
    assert_eq!(error.kind(), Kind::Unavailable, "{error}");
    store.change_keys(both);
    kit::org(&store, 80).await;
    store.close().await;

    let with = |old| Means::new(Some(Arc::new(Keys::new(key(2), None, old))), None).expect("means");
    let report = checked(&place, &with(vec![key(1)])).await;
    assert_eq!((report.findings, report.remarks.iter().any(|remark| remark.contains("by a key of before"))), (Vec::new(), false));
    // The new key vouches for what came before, also when the old one is gone.
    let report = checked(&place, &with(Vec::new())).await;
    assert_eq!((report.findings, report.remarks.iter().any(|remark| remark.contains("by a key of before"))), (Vec::new(), false));
    for sql in ["UPDATE audit SET at = at + 1 WHERE revision = 3", "DELETE FROM audit WHERE revision = 3"] {
        let forged = copy(&place);
        damage(&forged, sql);
        let found = checked(&forged, &with(Vec::new())).await.findings;
        assert!(tells(&found, ("log", "audit ", "it vouches for all entries before it")), "{found:#?}");
    }
    let report = checked(&place, &means()).await;
    assert!(tells(&report.findings, ("log", "revision", "goes on with the key 0202020202020202")), "{:#?}", report.findings);

    // Whoever has the old key vouches for nothing with it.
    assert!(before.is_vouched_for(&keys()) && !before.is_vouched_for(&Keys::new(key(2), None, vec![key(1)])));
    damage(&place, "UPDATE audit SET at = at + 1 WHERE revision = 3");
    let found = checked(&place, &with(vec![key(1)])).await.findings;
    assert!(tells(&found, ("log", "audit ", HANDS)), "{found:#?}");
}

fn refused(path: &Path, bytes: &[u8]) -> String {
    fs::write(path, bytes).expect("written");
    let error = super::check(path).expect("whole").check_code(&keys()).expect_err("nobody vouches for it");
    assert_eq!(error.kind(), Kind::FailedPrecondition);
    error.message().to_owned()
}

async fn restored(place: &Place, archive: &Archive, by: Arc<Keys>) -> domain::Result<()> {
    restored_so(place, archive, How { keys: Some(by), ..How::default() }).await.map(drop)
}

async fn trusted(place: &Place, archive: &Archive) -> domain::Result<Vec<Finding>> {
    restored_so(place, archive, How { keys: Some(keys()), trust: true, keep_signing_keys: true, replace: false }).await
}

async fn restored_so(place: &Place, archive: &Archive, how: How) -> domain::Result<Vec<Finding>> {
    restore(&place.config(), archive, &kit::ctx(), how, Arc::new(|_, _| ())).await
}

/// A key that was removed since the backup, because somebody else had it, does not come back by itself.
async fn signing_keys_do_not_come_back(place: Option<Place>) {
    let (Some(place), Some(from)) = (place, Place::sqlite()) else { return };
    let path = from.config().data.join("backup");
    let store = open(&from).await;
    fill_all(&store).await;
    let archive = back_up(&store, &path).await;
    store.close().await;
    let left = async |keep_signing_keys| {
        let how = How { replace: true, keep_signing_keys, keys: Some(keys()), ..How::default() };
        assert_eq!(restored_so(&place, &archive, how).await.expect("restored"), []);
        assert_eq!(checked(&place, &means()).await.findings, []);
        let store = open(&place).await;
        let rows = signing_keys::list(&mut store.reader().await.expect("reads")).await.expect("keys");
        store.close().await;
        assert!(rows.iter().all(|row| row.is_vouched_for(&keys())));
        rows.len()
    };
    assert_eq!((left(false).await, left(true).await), (0, 1));
}

/// A server that vouches for its backup knows nothing of what other hands have done to its database before.
async fn a_backup_of_what_was_changed_is_refused(place: Option<Place>) {
    let (Some(place), Some(from)) = (place, Place::sqlite()) else { return };
    let store = open(&from).await;
    fill_all(&store).await;
    store.close().await;
    for (sql, found) in [
        ("UPDATE identities SET relationship_revision = 7", "rights"),
        ("UPDATE audit SET actor = 'somebody else' WHERE revision = 3", "log"),
        ("UPDATE signing_keys SET retired_at = 7", "keys"),
    ] {
        let forged = copy(&from);
        damage(&forged, sql);
        let store = open(&forged).await;
        let archive = back_up(&store, &forged.config().data.join("backup")).await;
        store.close().await;
        archive.check_code(&keys()).expect("ours");
        let how = |trust| How { replace: true, trust, keys: Some(keys()), ..How::default() };
        let error = restored_so(&place, &archive, how(false)).await.expect_err("refused");
        assert!(error.message().contains("the backup is inconsistent, and nothing of it was restored"), "{sql}: {error}");
        let findings = restored_so(&place, &archive, how(true)).await.expect("restored");
        assert!(!findings.is_empty() && findings.iter().all(|finding| finding.check == found), "{sql}: {findings:#?}");
        assert_eq!(checked(&place, &means()).await.findings, [], "{sql}");
    }
}

/// Numbers that leave no room for what follows are refused, in the database and in the first line of a backup.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_without_room_is_refused() {
    let (from, to) = (Place::sqlite().expect("a folder"), Place::sqlite().expect("a folder"));
    let path = from.config().data.join("backup");
    let store = from.open().await;
    fill(&store).await;
    back_up(&store, &path).await;
    store.close().await;
    let good = fs::read(&path).expect("read");
    let with = |name: &str, value: i64| {
        fs::write(&path, with_header(&good, |header| header[name] = value.into())).expect("written");
        super::check(&path)
    };
    for (name, value) in
        [("revision", i64::MAX - 1), ("revision", 1 << 62), ("revision", -1), ("created_at", i64::MIN), ("created_at", i64::MAX)]
    {
        let error = with(name, value).expect_err("refused");
        assert!(
            error.message().contains("which no database comes to") || error.message().contains("which is no time"),
            "{error}"
        );
    }
    let archive = with("revision", 1 << 61).expect("whole");
    let error = trusted(&to, &archive).await.expect_err("refused");
    assert!(error.message().contains("which no database comes to"), "{error}");
    // Nothing was restored before.
    fs::write(&path, &good).expect("written");
    restored(&to, &super::check(&path).expect("whole"), keys()).await.expect("restored");
}

/// More keys of before than are read: what came before the last change is vouched for by the one in use.
async fn keys_of_long_ago_may_be_gone(place: Option<Place>) {
    let Some(place) = place else { return };
    let store = open(&place).await;
    for to in 2..=20 {
        kit::org(&store, u64::from(to)).await;
        store.change_keys(Arc::new(Keys::new(key(to - 1), Some(key(to)), Vec::new())));
        change_key(&store, to, None).await.expect("changed");
    }
    kit::org(&store, 99).await;
    store.close().await;
    for old in [vec![], vec![1, 3, 7], vec![19, 2]] {
        let old = old.into_iter().map(key).collect();
        let means = Means::new(Some(Arc::new(Keys::new(key(20), None, old))), None).expect("means");
        let report = checked(&place, &means).await;
        assert_eq!(
            (report.findings, report.remarks.iter().any(|remark| remark.contains("by a key of before"))),
            (Vec::new(), false)
        );
    }
}

/// What is not as it was written is looked into before another key vouches for it.
async fn a_changed_log_gets_no_other_key(place: Option<Place>) {
    let Some(place) = place else { return };
    let store = open(&place).await;
    fill_all(&store).await;
    store.close().await;
    damage(&place, "UPDATE audit SET actor = 'somebody else' WHERE revision = 3");
    let store = open(&place).await;
    store.change_keys(Arc::new(Keys::new(key(1), Some(key(2)), Vec::new())));
    let error = change_key(&store, 2, None).await.expect_err("refused");
    assert!(error.message().contains("the audit log is not as it was written (audit "), "{error}");
    seal(&store, &kit::ctx()).await.expect("sealed");
    change_key(&store, 2, None).await.expect("changed");
    store.close().await;
}

/// What an earlier program has kept of rights is compared as far as it goes, and is no damage.
async fn earlier_digests_are_no_damage(place: Option<Place>) {
    let Some(place) = place else { return };
    let store = place.open().await;
    fill_all(&store).await;
    // Of the first form, nouns had none that it does not know.
    store.close().await;
    damage(&place, "UPDATE changes SET digest = NULL WHERE noun IN ('group', 'repo')");
    let store = place.open().await;
    assert_eq!(store.use_keys(keys()).await.expect("reads"), Standing::Unsealed);
    assert_eq!(checked_open(&store, &means()).await.iter().filter(|finding| finding.check == "rights").count(), 0);
    store.close().await;
}

async fn checked_open(store: &Store, means: &Means) -> Vec<Finding> {
    check(store, means, |_, _| ()).await.expect("looks").findings
}

/// The log of a backup goes on where it is restored; what nobody vouches for is vouched for as it is, if that is wished for.
async fn a_backup_is_vouched_for(from: Option<Place>, to: Option<Place>) {
    let (Some(from), Some(to)) = (from, to) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("backup");
    let store = open(&from).await;
    fill_all(&store).await;
    let head = store.head().await.expect("reads").expect("a head").code();
    let archive = back_up(&store, &path).await;
    store.close().await;
    archive.check_code(&keys()).expect("ours");
    restored(&to, &archive, keys()).await.expect("restored");
    let store = open(&to).await;
    kit::org(&store, 90).await;
    store.close().await;
    let means = Means::new(Some(keys()), Some(head)).expect("a head");
    let report = checked(&to, &means).await;
    assert_eq!((report.findings, report.head.map(|head| head.key())), (Vec::new(), Some(KeyId([1; 8]))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forged_backups_are_refused_and_believed_when_that_is_wished_for() {
    let from = Place::sqlite().expect("a folder");
    let path = from.config().data.join("backup");
    let store = open(&from).await;
    fill_all(&store).await;
    back_up(&store, &path).await;
    let good = fs::read(&path).expect("read");
    store.change_keys(Arc::new(Keys::new(key(9), None, Vec::new())));
    store.close().await;

    let end = good.len() - 178;
    let swap = |table: &str| table.replace("groups.list", "groups.update");
    // With a checksum that fits, and no code.
    let unsigned = with_rows(&good, |tables| tables.iter().map(|table| swap(table)).collect());
    assert!(refused(&path, &unsigned).contains("has no code"), "{}", refused(&path, &unsigned));
    // With the code of the good one.
    let code = &good[end + 77..];
    let signed = [&unsigned[..unsigned.len() - 2], code].concat();
    assert!(refused(&path, &signed).contains("its code does not fit"), "{}", refused(&path, &signed));
    // Of another installation.
    fs::write(&path, &good).expect("written");
    let other = Keys::new(key(7), None, Vec::new());
    let error = super::check(&path).expect("whole").check_code(&other).expect_err("another one's");
    assert!(error.message().contains("by the key 0101010101010101, which is not in the key file"), "{error}");

    for bytes in [&unsigned, &signed] {
        fs::write(&path, bytes).expect("written");
        for to in [Place::sqlite(), Place::postgres()].into_iter().flatten() {
            trusted(&to, &super::check(&path).expect("whole")).await.expect("restored");
            let report = checked(&to, &means()).await;
            assert_eq!((report.findings, report.head.is_some()), (Vec::new(), true));
        }
    }
}

/// A backup of the schema before there were codes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_before_is_taken_over() {
    let from = Place::sqlite().expect("a folder");
    let path = from.config().data.join("backup");
    let store = from.open().await;
    fill(&store).await;
    back_up(&store, &path).await;
    store.close().await;
    let older = with_header(&fs::read(&path).expect("read"), |header| {
        header["schema"] = 21.into();
        header["rows"].as_object_mut().expect("rows").retain(|table, _| !LATER.contains(&table.as_str()));
    });
    let older = with_rows(&older, |tables| tables.iter().map(|table| before_codes(table)).collect());
    assert!(refused(&path, &older).contains("has no code: an older program wrote it"));
    for to in [Place::sqlite(), Place::postgres()].into_iter().flatten() {
        trusted(&to, &super::check(&path).expect("whole")).await.expect("restored");
        let store = open(&to).await;
        let rows = signing_keys::list(&mut store.reader().await.expect("reads")).await.expect("keys");
        assert!(rows.len() == 1 && rows.iter().all(|row| row.is_vouched_for(&keys())));
        kit::org(&store, 90).await;
        assert_eq!(check(&store, &means(), |_, _| ()).await.expect("looks").findings, []);
        store.close().await;
    }
    let oldest = with_header(&older, |header| header["schema"] = 19.into());
    fs::write(&path, oldest).expect("written");
    assert!(super::check(&path).expect_err("refused").message().contains("restore it with provost 1.2.3, which wrote it"));
}

/// The lines of a table as a program of schema 21 writes them: nothing of later tables, and no later column.
fn before_codes(table: &str) -> String {
    let mut lines = table.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let mut heading = lines.next().expect("a heading");
    let name = heading["table"].as_str().expect("a table").to_owned();
    let later = [("signing_keys", "code"), ("changes", "digest"), ("audit", "code"), ("audit", "goes"), ("repos", "synced_by")];
    if LATER.contains(&name.as_str()) {
        return String::new();
    }
    let columns = heading["columns"].as_array().expect("columns").iter();
    let known: Vec<_> =
        columns.map(|column| !later.iter().any(|(table, later)| *table == name && column.as_str() == Some(later))).collect();
    let leave_out = |row: &mut serde_json::Value| {
        let mut known = known.iter();
        row.as_array_mut().expect("a row").retain(|_| *known.next().expect("a column"));
    };
    leave_out(&mut heading["columns"]);
    let rows = lines.map(|mut row| {
        leave_out(&mut row);
        row
    });
    let lines: Vec<String> = std::iter::once(heading).chain(rows).map(|line| line.to_string()).collect();
    lines.join("\n") + "\n"
}

/// Tables that schema 21 does not have.
const LATER: [&str; 13] = [
    "advisories",
    "advisory_words",
    "dead_letters",
    "deliveries",
    "delivery_mark",
    "vulnerabilities",
    "advisory_imports",
    "advisory_rejections",
    "advisory_documents",
    "advisory_parts",
    "advisory_feeds",
    "spent_events",
    "retention",
];

/// Two processes that write to one database in turns.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_make_one_chain() {
    let Some(place) = Place::postgres() else { return };
    let (one, other) = (open(&place).await, open(&place).await);
    for n in 0..20 {
        let (one, other) = tokio::join!(kit::org(&one, 2 * n + 1), kit::org(&other, 2 * n + 2));
        assert_ne!(one.revision, other.revision);
    }
    let mut ctx = kit::ctx();
    ctx.validate_only = true;
    one.write(&ctx, |tx| Box::pin(async move { store::rows::insert(tx, &kit::group(kit::root(90), "tried")).await }))
        .await
        .expect("tried");
    kit::write(&other, |_| Box::pin(async { Err::<(), _>(domain::Error::internal("refused")) })).await.expect_err("refused");
    for store in [&one, &other] {
        store.later(Later::Audit(Box::new(AuditEntry::of(&kit::ctx()))));
        store.flush().await.expect("written");
        store.close().await;
    }
    assert_eq!(checked(&place, &means()).await.findings, []);
}

on_both!(
    every_forgery_is_named,
    what_fits_together_is_found_as_well,
    without_keys_less_is_known,
    what_is_found_is_vouched_for,
    the_key_is_changed,
    signing_keys_do_not_come_back,
    a_backup_of_what_was_changed_is_refused,
    keys_of_long_ago_may_be_gone,
    a_changed_log_gets_no_other_key,
    earlier_digests_are_no_damage
);

mod backups_go_on {
    use super::Place;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn from_sqlite_to_postgresql() {
        super::a_backup_is_vouched_for(Place::sqlite(), Place::postgres()).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn from_postgresql_to_sqlite() {
        super::a_backup_is_vouched_for(Place::postgres(), Place::sqlite()).await;
    }
}
