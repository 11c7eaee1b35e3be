//! Damage by hand, each seen and named, and a whole store with nothing to find.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    Timestamp,
    iam::{Relationship, ServiceBinding, ServicePrincipal},
};
use futures::{StreamExt as _, stream};
use store::{
    Store,
    check::{Finding, Look, Means, Report, check},
    schema::Schema,
    sessions::Room,
};
use tokio::task::spawn_blocking;

use super::{Place, kit, world};

/// Looks without opening, as [`check`] on an open store does.
async fn checked(place: &Place) -> Report {
    let look = Look::at(&place.config()).await.expect("looks").expect("a database");
    assert_eq!(look.schema(), Schema::of(&place.config()).await.expect("tells"));
    look.check(&Means::default(), |done, total| assert!(done <= total)).await.expect("looks")
}

/// Another one with the same in it. Nobody has either of them open.
pub(crate) fn copy(place: &Place) -> Place {
    match place {
        Place::Sqlite(folder) => {
            let copy = tempfile::tempdir().expect("a folder");
            std::fs::create_dir(copy.path().join("data")).expect("made");
            let file = "data/provost.db";
            std::fs::copy(folder.path().join(file), copy.path().join(file)).expect("copied");
            Place::Sqlite(copy)
        }
        Place::Postgres(database) => Place::Postgres(database.copy()),
    }
}

/// Runs statements that no server would, with nothing in their way.
pub(crate) fn damage(place: &Place, sql: &str) {
    match place {
        Place::Sqlite(folder) => {
            let raw = rusqlite::Connection::open(folder.path().join("data/provost.db")).expect("opens");
            raw.execute_batch(&format!("PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; {sql}")).expect(sql);
        }
        Place::Postgres(database) => {
            let free = "SET session_replication_role = replica; SET allow_system_table_mods = on";
            database.sql(&format!("{free}; {sql}"));
        }
    }
}

pub(crate) async fn fill(store: &Store) {
    let bound = kit::bound(store).await;
    let folder = kit::child(&bound.org.uid, 7);
    kit::add(store, kit::group(folder.clone(), "folder")).await;
    let repo = kit::child(&folder, 8);
    kit::add(store, kit::repo(repo.clone(), "r")).await;
    kit::add(store, kit::identity(kit::child(&folder, 9), "robot")).await;
    world::add_key(store, "k1", 1).await;
    let provider = kit::identity_provider(kit::child(&bound.org.uid, 10), "login", &bound.role.uid);
    let provider = kit::add(store, provider).await;
    let mut robot = kit::identity(kit::child(&folder, 10), "principal");
    robot.spec.relationship = Relationship::ServicePrincipal { principal: ServicePrincipal(3) };
    let robot = kit::add(store, robot).await;
    let mut association = kit::account_association(folder, "accounts");
    let binding = ServiceBinding { identity: robot.uid, name: "CATALOG_SYNCER".to_owned() };
    association.spec.service_bindings = Some([(ServicePrincipal(3), binding)].into());
    kit::add(store, association).await;
    kit::add(store, kit::external_group_role_mapping(kit::child(&provider.uid, 1), "developers", &bound.role.uid)).await;
    let overlay = kit::add(store, kit::overlay(kit::child(&bound.org.uid, 11), "tools")).await;
    kit::add(store, kit::overlay_binding(kit::child(&repo, 1), &overlay.uid)).await;
    let session = kit::session(0, &bound.identity, 7);
    let room = Room { per_user: 1, used_since: Timestamp(0) };
    store.start_session(&kit::ctx(), session, room).await.expect("begins");
}

pub(crate) fn tells(found: &[Finding], (check, place, problem): (&str, &str, &str)) -> bool {
    found.iter().any(|found| found.check == check && found.place.contains(place) && found.problem.contains(problem))
}

/// A statement, and the finding that it has to lead to: its check, and parts of its place and problem.
const DAMAGE: &[(&str, (&str, &str, &str))] = &[
    ("UPDATE groups SET kind = 'guild'", ("rows", "groups ", "the server cannot read it: unknown variant `guild`")),
    ("UPDATE identities SET relationship = '{}'", ("rows", "identities ", "the server cannot read it: ")),
    (
        "UPDATE identities SET relationship_type = 'static'",
        ("rows", "identities ", "its relationship is claim_match, and its relationship_type static"),
    ),
    ("UPDATE roles SET capabilities = '[\"groups.list\"'", ("rows", "roles ", "EOF while parsing a list")),
    ("UPDATE repos SET aliases = '{}'", ("rows", "repos ", "invalid type: map, expected a sequence")),
    ("UPDATE repos SET sync_config = '7'", ("rows", "repos ", "invalid type: integer `7`")),
    ("UPDATE signing_keys SET public_jwk = 'kty'", ("rows", "signing_keys k1", "expected ")),
    ("UPDATE sessions SET upstream = '{'", ("rows", "sessions 0", "EOF while parsing an object")),
    ("UPDATE sessions SET identity = 'nobody'", ("links", "sessions 0", "its identity nobody does not exist")),
    ("UPDATE changes SET op = 'moved' WHERE revision = 2", ("rows", "changes 2 0", "unknown variant `moved`")),
    ("UPDATE audit SET peer = 'nowhere' WHERE revision = 2", ("rows", "audit ", "invalid IP address")),
    ("UPDATE audit SET upstream = '{' WHERE revision = 2", ("rows", "audit ", "EOF while parsing an object")),
    (
        "INSERT INTO outbox (revision, ordinal, kind, api_version, customer, subject, group_uid, actor, snapshot, at) \
         SELECT 2, 0, 'k', 'v', customer, 's', '/', 'a', '{', 1 FROM (SELECT verified AS customer FROM groups LIMIT 1) AS g",
        ("rows", "outbox 2 0", "EOF while parsing an object"),
    ),
    (
        "UPDATE counts SET n = n + 1 WHERE noun = 'repo' AND prefix = '/'",
        ("counters", "counts /", "the counter of repos is 2, and there are 1"),
    ),
    (
        "UPDATE counts SET n = 9 WHERE noun = 'group' AND prefix <> '/'",
        ("counters", "counts ", "the counter of groups is 9, and there are 1"),
    ),
    (
        "UPDATE counts SET children = 7 WHERE noun = 'group' AND prefix = '/'",
        ("counters", "counts /", "the counter of groups directly in it is 7, and there are 1"),
    ),
    (
        "DELETE FROM counts WHERE noun = 'identity' AND prefix = '/'",
        ("counters", "counts /", "there is no counter of identities"),
    ),
    ("DELETE FROM counts WHERE noun = 'group' AND prefix <> '/'", ("counters", "counts ", "there is no counter of groups")),
    (
        "DELETE FROM counts WHERE noun = 'role_binding' AND prefix <> '/'",
        ("counters", "counts ", "there is no counter of role_bindings"),
    ),
    ("DELETE FROM groups WHERE parent <> '/'", ("places", "repos ", "which does not exist")),
    ("DELETE FROM groups WHERE parent <> '/'", ("places", "identities ", "which does not exist")),
    ("DELETE FROM groups WHERE parent <> '/'", ("places", "counts ", "it has counters and does not exist")),
    ("DELETE FROM groups WHERE parent <> '/'", ("places", "account_associations ", "it lies in ")),
    (
        "DELETE FROM counts WHERE noun = 'account_association' AND prefix <> '/'",
        ("counters", "counts ", "there is no counter of account_associations"),
    ),
    ("UPDATE account_associations SET github = '[]'", ("rows", "account_associations ", "the server cannot read it: ")),
    (
        "UPDATE identities SET relationship = replace(relationship, '3', '4')",
        ("links", "account_associations ", "it has 1 service bindings, and 0 of them are of service principals in its group"),
    ),
    (
        "DELETE FROM identities WHERE relationship_type = 'service_principal'",
        ("links", "account_associations ", "it has 1 service bindings, and 0 of them"),
    ),
    ("DELETE FROM identities", ("links", "role_bindings ", "its identity ")),
    ("DELETE FROM roles", ("links", "role_bindings ", "its role ")),
    ("UPDATE identities SET revision = 70000", ("revisions", "identities ", "it has revision 70000, and the last commit is 14")),
    ("DELETE FROM roles", ("links", "identity_providers ", "its default_role ")),
    ("DELETE FROM roles", ("links", "external_group_role_mappings ", "its role ")),
    ("UPDATE identity_providers SET scim = '{}'", ("rows", "identity_providers ", "the server cannot read it: ")),
    ("DELETE FROM identity_providers", ("places", "external_group_role_mappings ", "which does not exist")),
    ("DELETE FROM overlays", ("links", "overlay_bindings ", "its overlay ")),
    ("UPDATE repos SET revision = 1", ("revisions", "repos ", "it has revision 1, where the feed does not tell of it")),
    ("DELETE FROM changes WHERE noun = 'role'", ("revisions", "roles ", "where the feed does not tell of it")),
    ("UPDATE changes SET op = 'deleted' WHERE noun = 'role'", ("revisions", "roles ", "where the feed does not tell of it")),
    ("DELETE FROM repos", ("feed", "repos ", "that it was created, and it does not exist")),
    ("DELETE FROM signing_keys", ("feed", "signing_keys k1", "that it was created, and it does not exist")),
    ("UPDATE changes SET op = 'deleted' WHERE noun = 'repo'", ("feed", "repos ", "that it was deleted, and it exists")),
    (
        "INSERT INTO changes (revision, ordinal, noun, uid, op) SELECT 14, 1, noun, uid, 'updated' FROM changes WHERE noun = 'repo'",
        ("feed", "repos ", "the feed tells in commit 14 that it was updated, and it has revision "),
    ),
    ("UPDATE changes SET ordinal = 3 WHERE revision = 1", ("feed", "changes 1", "its 1 rows are not numbered from 0")),
    ("UPDATE changes SET revision = 70000 WHERE revision = 2", ("feed", "changes 70000", "the last commit is 14")),
    (
        "UPDATE changes SET to_name = 'other' WHERE noun = 'repo'",
        ("feed", "repos ", "the feed tells that its name is \"other\" and its time "),
    ),
    (
        "UPDATE changes SET to_created_at = 7 WHERE noun = 'role_binding'",
        ("feed", "role_bindings ", "the feed tells that its name is \"\" and its time 7, and they are \"\" and "),
    ),
    (
        "UPDATE changes SET from_name = 'other', from_created_at = 7 WHERE noun = 'repo'",
        ("feed", "changes ", "stood at \"other\" and 7, and the change before it that it was not there"),
    ),
    (
        "INSERT INTO changes (revision, ordinal, noun, uid, op, from_name, from_created_at, to_name, to_created_at) \
         SELECT 14, 1, noun, uid, 'updated', 'other', to_created_at, to_name, to_created_at FROM changes WHERE noun = 'repo'",
        ("feed", "changes 14", "stood at \"other\" and "),
    ),
    ("DELETE FROM audit WHERE revision = 3", ("feed", "changes 3", "the commit has no audit row")),
    ("UPDATE audit SET revision = 70000 WHERE revision = 3", ("audit", "audit ", "it has revision 70000")),
    ("UPDATE audit SET revision = 2 WHERE revision = 3", ("audit", "audit", "the commit 2 has 2 rows")),
    (
        "UPDATE audit SET revision = 5 - revision WHERE revision IN (2, 3)",
        ("audit", "audit ", "it has revision 2, and the row before it 3"),
    ),
    (
        "INSERT INTO outbox (revision, ordinal, kind, api_version, customer, subject, group_uid, actor, snapshot, at) \
         SELECT 70000, 0, 'k', 'v', customer, 's', '/', 'a', '{}', 1 FROM (SELECT verified AS customer FROM groups LIMIT 1) AS g",
        ("outbox", "outbox 70000", "the last commit is 14"),
    ),
    (
        "UPDATE changes SET uid = 'x' WHERE op = 'rebound'",
        ("feed", "role_bindings ", "does not tell of the identity that it binds"),
    ),
    (
        "DELETE FROM changes WHERE op = 'rebound'",
        ("feed", "changes ", "it tells of role bindings and of no identity that is bound otherwise"),
    ),
    (
        "DELETE FROM changes WHERE noun = 'repo'; DELETE FROM repos; DELETE FROM counts WHERE noun = 'repo'",
        ("audit", "audit ", "it tells that repo "),
    ),
    ("UPDATE audit SET op = 'deleted' WHERE noun = 'repo'", ("audit", "audit ", "was deleted in commit ")),
    ("INSERT INTO revision (n) VALUES (10)", ("revisions", "revision", "it has 2 rows, and there is one last commit")),
    (
        "UPDATE signing_keys SET private_key = substr(private_key, 1, 20)",
        ("rows", "signing_keys k1", "its private key is shorter than any that is encrypted"),
    ),
    ("UPDATE revision SET n = 3", ("revisions", "repos ", "the last commit is 3")),
];

async fn every_damage_is_named(whole: Option<Place>) {
    let Some(whole) = whole else { return };
    let store = whole.open().await;
    fill(&store).await;
    store.close().await;
    let report = checked(&whole).await;
    assert_eq!(report.findings, [], "nothing to find");
    assert!(report.rules > 60, "{}", report.rules);
    // By statement: some are told in several ways. Copies of a database on PostgreSQL take long, and wait a lot.
    let mut told = BTreeMap::<&str, Vec<_>>::new();
    for (sql, expected) in DAMAGE {
        told.entry(sql).or_default().push(*expected);
    }
    let whole = &Arc::new(whole);
    let each = told.into_iter().map(|(sql, told)| async move {
        let whole = Arc::clone(whole);
        let damaged = move || {
            let place = copy(&whole);
            damage(&place, sql);
            place
        };
        let place = spawn_blocking(damaged).await.expect("copied");
        let found = checked(&place).await.findings;
        for expected in told {
            assert!(tells(&found, expected), "{sql}: {found:#?}");
        }
        // It waits for the copy to be gone, and whoever is looking at another one must not wait with it.
        spawn_blocking(move || drop(place)).await.expect("gone");
    });
    stream::iter(each).buffer_unordered(3).collect::<()>().await;
}

/// What is found by the words of an advisory that is gone.
async fn words_of_nothing_are_named(place: Option<Place>) {
    let Some(place) = place else { return };
    let store = place.open().await;
    let org = kit::org(&store, 1).await.uid;
    kit::add(&store, kit::advisory(kit::child(&org, 1), "openssl")).await;
    store.close().await;
    assert_eq!(checked(&place).await.findings, [], "nothing to find");
    damage(&place, "DELETE FROM advisories");
    let found = checked(&place).await.findings;
    assert!(tells(&found, ("links", "advisory_words ", "its advisory does not exist")), "{found:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_of_nothing_are_named_on_sqlite() {
    words_of_nothing_are_named(Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_of_nothing_are_named_on_postgresql() {
    words_of_nothing_are_named(Place::postgres()).await;
}

/// An open store is asked the same rules.
async fn an_open_store_is_checked_as_well(place: Option<Place>) {
    let Some(place) = place else { return };
    let store = place.open().await;
    fill(&store).await;
    store.close().await;
    damage(&place, "UPDATE counts SET n = n + 1 WHERE noun = 'repo' AND prefix = '/'");
    let looked = checked(&place).await;
    let store = place.open().await;
    assert_eq!(check(&store, &Means::default(), |done, total| assert!(done <= total)).await.expect("looks"), looked);
    assert_eq!(looked.findings.len(), 1, "{looked:?}");
    store.close().await;
}

/// Reads go on in snapshots that are kept while nothing is written; a check does not.
async fn what_was_changed_past_an_open_store_is_found(place: Option<Place>) {
    let Some(place) = place else { return };
    let store = place.open().await;
    fill(&store).await;
    assert_eq!(check(&store, &Means::default(), |_, _| ()).await.expect("looks").findings, []);
    damage(&place, "UPDATE counts SET n = n + 1 WHERE noun = 'repo' AND prefix = '/'");
    let found = check(&store, &Means::default(), |_, _| ()).await.expect("looks").findings;
    assert!(tells(&found, ("counters", "counts /", "the counter of repos is ")), "{found:#?}");
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_changed_past_an_open_store_is_found_on_sqlite() {
    what_was_changed_past_an_open_store_is_found(Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_changed_past_an_open_store_is_found_on_postgresql() {
    what_was_changed_past_an_open_store_is_found(Place::postgres()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_store_is_checked_as_well_on_sqlite() {
    an_open_store_is_checked_as_well(Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_store_is_checked_as_well_on_postgresql() {
    an_open_store_is_checked_as_well(Place::postgres()).await;
}

/// Who may only read can check, beside a node that writes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_right_to_read_is_enough() {
    let Some(place) = Place::postgres() else { return };
    let Place::Postgres(database) = &place else { return };
    let store = place.open().await;
    fill(&store).await;
    let reader = format!("reader_of_{}", database.name());
    database.sql(&format!(
        "CREATE ROLE {reader} LOGIN PASSWORD 'reads'; GRANT USAGE ON SCHEMA public TO {reader}; \
         GRANT SELECT ON ALL TABLES IN SCHEMA public TO {reader}"
    ));
    let url = database.url();
    let (_, server) = url.split_once('@').expect("a user and a server");
    let mut config = place.config();
    let read = store::Postgres::parse(&format!("postgres://{reader}:reads@{server}")).expect("a URL");
    config.database = store::Database::Postgres(read);
    let look = Look::at(&config).await.expect("looks").expect("a database");
    assert_eq!(look.check(&Means::default(), |_, _| ()).await.expect("looks").findings, []);
    store.close().await;
    database.sql(&format!("DROP OWNED BY {reader}; DROP ROLE {reader}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_damage_is_named_on_sqlite() {
    every_damage_is_named(Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_damage_is_named_on_postgresql() {
    every_damage_is_named(Place::postgres()).await;
}

/// A row of which the index knows nothing.
const UNKNOWN: &str = "INSERT INTO groups (uid, parent, org, name, description, verified, kind, status, created_at, updated_at, revision) \
    SELECT '0123456789012345678901234567890123456789', '/', '0123456789012345678901234567890123456789', 'x', \
    description, verified, kind, status, 1, 1, 1 FROM groups LIMIT 1";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_that_lacks_a_row_is_named_on_sqlite() {
    let place = Place::sqlite().expect("a folder");
    let store = place.open().await;
    fill(&store).await;
    store.close().await;
    damage(
        &place,
        "CREATE TABLE kept AS SELECT * FROM sqlite_master WHERE name = 'groups_name'; DELETE FROM sqlite_master WHERE name = 'groups_name'",
    );
    damage(&place, UNKNOWN);
    damage(&place, "INSERT INTO sqlite_master SELECT * FROM kept");
    damage(&place, "DROP TABLE kept");
    let found = checked(&place).await.findings;
    assert!(tells(&found, ("indexes", "groups_name", "it has 2 rows, and its table 3 rows")), "{found:#?}");
    assert!(tells(&found, ("file", "provost.db", "missing from index groups_name")), "{found:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_that_lacks_a_row_is_named_on_postgresql() {
    let Some(place) = Place::postgres() else { return };
    let Place::Postgres(database) = &place else { return };
    let store = place.open().await;
    fill(&store).await;
    store.close().await;
    let remarks = checked(&place).await.remarks;
    let compared =
        ["overlays", "repos", "tags", "vulnerabilities"].map(|table| format!("{table}_parent_name_key was not compared"));
    let expected: Vec<_> = compared.into_iter().chain(["amcheck is not installed".to_owned()]).collect();
    assert_eq!(remarks.len(), expected.len(), "{remarks:?}");
    assert!(remarks.iter().zip(&expected).all(|(remark, expected)| remark.contains(expected)), "{remarks:?}");
    let ready = |is: bool| format!("UPDATE pg_index SET indisready = {is} WHERE indexrelid = 'groups_name'::regclass");
    damage(&place, &ready(false));
    damage(&place, UNKNOWN);
    let found = checked(&place).await.findings;
    assert!(tells(&found, ("indexes", "groups_name", "it is not valid")), "{found:#?}");
    damage(&place, &ready(true));
    let found = checked(&place).await.findings;
    let counted = ("indexes", "groups_name", "it has 2 rows with the sum");
    assert!(tells(&found, counted), "{found:#?}");

    database.sql("CREATE EXTENSION amcheck; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO PUBLIC");
    let report = checked(&place).await;
    assert_eq!(report.remarks, Vec::<String>::new());
    assert!(tells(&report.findings, ("indexes", "groups_name", "lacks matching index tuple")), "{:#?}", report.findings);
    assert!(tells(&report.findings, counted), "{:#?}", report.findings);
}
