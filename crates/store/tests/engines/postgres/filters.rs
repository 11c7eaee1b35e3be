//! Filters beside very many rows that fulfil them elsewhere: what a list reads is about as much as it finds where it looks.
//!
//! `PROVOST_TEST_ROWS` is how many rows another organization has of each noun.

use std::{fmt::Debug, sync::Arc, time::Duration};

use domain::{OrderField, Scopes, Timestamp, Uidp, UidpFilter, iam::RelationshipType, list::ParentFilter, registry::TagForms};
use pgcluster::{Cluster, Options};
use store::{
    Filter, ListQuery, Store,
    iam::{identities::IdentityFilter, role_bindings::RoleBindingFilter},
    registry::tags::TagFilter,
    rows,
};

use super::{
    explained::{asked, explain},
    kit, open,
    world::counts,
};

/// Rows of each noun in the large organization, unless the environment says otherwise.
const ROWS: u64 = 20_000;
/// Other roles that are bound.
const OTHERS: u64 = 50;
/// Rows of each noun in the small one.
const SMALL: u64 = 100;
/// Rows that a condition finds in the small one.
const FOUND: u64 = 3;
/// Rows that a statement may read for a page and its total where an index finds what fulfils the condition: those rows in
/// either way of a merge, and what else an engine looks at to begin.
const MOST_FOUND: u64 = 4 * FOUND + 4;
/// The same where each row of the place is tested: the rows of the place, in an index and in the table.
const MOST_TESTED: u64 = 2 * SMALL + 16;

/// Where the rows are, and what to ask for.
struct World {
    large: Place,
    small: Place,
}

/// An organization that holds some rows with what they are asked for, and its repository.
struct Place {
    org: Uidp,
    repo: Uidp,
    digest: String,
    name: &'static str,
    identity: Uidp,
    role: Uidp,
    since: Timestamp,
}

/// The first number of the rows, whose identifiers end in it.
const FIRST: u64 = 1_000_000;

/// What a row has, by its place and its number: the small organization's first rows have what half of the large one's have too.
fn value(shared: &str, rare: &str, others: &str, other: &str) -> String {
    format!(
        "CASE WHEN n < {found} THEN CASE WHEN is_large THEN {rare} ELSE {shared} END \
           WHEN is_large THEN CASE WHEN n % 2 = 0 THEN {shared} ELSE {others} END ELSE {other} END",
        found = FIRST + FOUND,
    )
}

/// Fills an empty database: the large organization has so many rows of each noun, the small one few.
async fn fill(store: &Store, database: &pgcluster::Database, rows: u64) -> World {
    let mut places = Vec::new();
    for (at, name, since) in [(1, "rare", 1_850_000_000_000), (2, "shared", 1_750_000_000_000)] {
        let org = kit::org(store, at).await.uid;
        let repo = kit::add(store, kit::repo(kit::child(&org, 9), name)).await.uid;
        let identity = kit::add(store, kit::identity(kit::child(&org, 1), "one")).await.uid;
        let role = kit::add(store, kit::role(kit::child(&org, 2), "one", &["groups.list"])).await.uid;
        places.push(Place { org, repo, digest: kit::digest(at).to_string(), name, identity, role, since: Timestamp(since) });
    }
    kit::add(store, kit::tag(kit::child(&places[1].repo, 1), "one")).await;
    let other = kit::add(store, kit::identity(kit::child(&places[1].org, 3), "other")).await.uid;
    for n in 0..OTHERS {
        kit::add(store, kit::role(kit::child(&places[0].org, 1_000 + n), "other", &["groups.list"])).await;
    }
    let [large, small] = <[Place; 2]>::try_from(places).ok().expect("two places");
    let uid = "parent || '/' || lpad(to_hex(n), 16, '0')";
    let times = format!(
        "1700000000000 + n % 1000, CASE WHEN n >= {} THEN 1600000000000 WHEN is_large THEN 1900000000000 ELSE 1800000000000 END, 1",
        FIRST + FOUND
    );
    let rows_in = |in_large: &Uidp, in_small: &Uidp| {
        format!(
            "(SELECT '{in_large}' AS parent, n, true AS is_large FROM generate_series({FIRST}, {FIRST} + {rows} - 1) n \
             UNION ALL SELECT '{in_small}', n, false FROM generate_series({FIRST}, {FIRST} + {SMALL} - 1) n) p"
        )
    };
    let text = |text: &dyn std::fmt::Display| format!("'{text}'");
    let a_role = format!("'{}/' || lpad(to_hex(1000 + n % {OTHERS}), 16, '0')", large.org);
    let statements = [
        format!(
            "INSERT INTO tags SELECT {uid}, parent, left(parent, 40), 'v' || n, {digest}, deprecated, bundles, {forms}, {times} \
             FROM (SELECT deprecated, bundles FROM tags LIMIT 1) one, {rows}",
            digest = value(&text(&small.digest), &text(&large.digest), "'sha256:' || lpad(to_hex(n), 64, '0')", "'other'"),
            forms = value("0", "0", "2", "2"),
            rows = rows_in(&large.repo, &small.repo),
        ),
        format!(
            "INSERT INTO identities SELECT {uid}, parent, left(parent, 40), {name}, description, company, email, email_unverified, \
               {kind}, relationship, 1, 0, {times} \
             FROM (SELECT description, company, email, email_unverified, relationship FROM identities LIMIT 1) one, {rows}",
            name = value("'shared'", "'rare'", "'robot' || n % 5000", "'other'"),
            kind = value("'static_keys'", "'static_keys'", "'static_keys'", "'claim_match'"),
            rows = rows_in(&large.org, &small.org),
        ),
        format!(
            "INSERT INTO role_bindings SELECT {uid}, parent, left(parent, 40), {identity}, {role}, {times} FROM {rows}",
            identity = value(&text(&small.identity), &text(&large.identity), uid, &text(&other)),
            role = value(&text(&small.role), &text(&large.role), &a_role, &a_role),
            rows = rows_in(&large.org, &small.org),
        ),
    ];
    for statement in
        statements.iter().map(String::as_str).chain(["DELETE FROM tags WHERE name = 'one'", "TRUNCATE counts", &counts()])
    {
        database.sql(statement);
    }
    database.sql("VACUUM ANALYZE");
    World { large, small }
}

/// Asks for the rows of `filter` in every order: of a whole organization, of what is directly below `parent`, and of many folders
/// beside each other that hold nothing else.
async fn ask<F: Filter + Clone + Debug>(store: &Store, place: &Place, parent: &Uidp, filter: F, fields: &[OrderField]) {
    let beside = (0..20).map(|n| kit::child(&place.org, 500 + n)).chain([parent.clone()]).collect();
    let children = UidpFilter { children_of: Some(ParentFilter::At(parent.clone())), ..UidpFilter::default() };
    let below = UidpFilter { descendants_of: Some(place.org.clone()), ..UidpFilter::default() };
    for (scopes, uidp) in [
        (Scopes::All, children),
        (Scopes::All, below),
        (Scopes::Subtrees(vec![place.org.clone()]), UidpFilter::default()),
        (Scopes::Subtrees(beside), UidpFilter::default()),
    ] {
        let scopes = Arc::new(scopes);
        for &field in fields {
            let (scopes, uidp) = (Arc::clone(&scopes), uidp.clone());
            let mut query = ListQuery { scopes, uidp, page_size: 2, ..kit::everything(filter.clone()) };
            query.order.field = field;
            let mut reader = store.reader().await.expect("reads");
            let listed = rows::list(&mut reader, &query).await.expect("lists");
            assert_eq!((listed.items.len(), listed.total), (2, FOUND), "{query:?}");
        }
    }
}

const NAMED: [OrderField; 3] = [OrderField::Uid, OrderField::Name, OrderField::CreatedAt];
const UNNAMED: [OrderField; 2] = [OrderField::Uid, OrderField::CreatedAt];

/// What indexes find.
async fn ask_for_found(store: &Store, at: &Place) {
    let (tag, binding) = (TagFilter::default, RoleBindingFilter::default);
    let found = TagFilter { digest: Some(at.digest.clone()), ..tag() };
    ask(store, at, &at.repo, found.clone(), &NAMED).await;
    let found = TagFilter { updated_since: Some(at.since), ..tag() };
    ask(store, at, &at.repo, found.clone(), &NAMED).await;
    let found = IdentityFilter { name: Some(at.name.to_owned()), ..IdentityFilter::default() };
    ask(store, at, &at.org, found.clone(), &NAMED).await;
    let found = RoleBindingFilter { identity: Some(at.identity.clone()), ..binding() };
    ask(store, at, &at.org, found.clone(), &UNNAMED).await;
    let found = RoleBindingFilter { role: Some(at.role.clone()), ..binding() };
    ask(store, at, &at.org, found.clone(), &UNNAMED).await;
}

/// What is tested row by row.
async fn ask_for_tested(store: &Store, at: &Place) {
    let forms = |forms| TagFilter { forms: Some(forms), ..TagFilter::default() };
    ask(store, at, &at.repo, forms(TagForms::default()), &NAMED).await;
    ask(store, at, &at.repo, forms(TagForms { referrer: true, ..TagForms::default() }), &NAMED).await;
    let kind = Some(RelationshipType::StaticKeys);
    ask(store, at, &at.org, IdentityFilter { relationship_type: kind, ..IdentityFilter::default() }, &NAMED).await;
}

/// How many rows carrying out the plan has read, those that it has tested and left out among them.
fn rows(plan: &str) -> u64 {
    let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse::<u64>().ok());
    let of = |line: &str, word: &str| line.split_once(word).and_then(|(_, rest)| number(rest)).unwrap_or(0);
    plan.lines()
        .map(|line| {
            let loops = of(line, "loops=").max(1);
            let scanned = if line.contains("Scan ") { of(line, "rows=") * loops } else { 0 };
            scanned + of(line, "Rows Removed by Filter: ") + of(line, "Rows Removed by Index Recheck: ")
        })
        .sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_read_what_they_find_however_much_is_elsewhere() {
    #[expect(clippy::disallowed_methods, reason = "a switch of the suite")]
    let rows_elsewhere = std::env::var("PROVOST_TEST_ROWS").map_or(ROWS, |rows| rows.parse().expect("a number"));
    let options = Options::default().set("log_statement", "all").set("autovacuum", "off");
    let Some(cluster) = Cluster::start(&options) else { return };
    let database = cluster.database();
    let store = open(database.url()).await.expect("opens");
    let world = fill(&store, &database, rows_elsewhere).await;
    store.close().await;
    let store = open(database.url()).await.expect("opens");
    // What makes the ranks reads every row, once.
    while !store.ranks_stand() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let mut too_many = Vec::new();
    let World { large, small } = &world;
    for (at, is_found, most) in [(small, true, MOST_FOUND), (large, true, MOST_FOUND), (small, false, MOST_TESTED)] {
        let told = cluster.told().len();
        if is_found {
            ask_for_found(&store, at).await;
        } else {
            ask_for_tested(&store, at).await;
        }
        let explained = explain(&database, &asked(&cluster.told()[told..]));
        assert!(explained.len() > 20, "{} statements", explained.len());
        for statement in explained.iter().filter(|one| one.statement.starts_with("SELECT")) {
            let read = rows(&statement.plans[1]);
            if read > most {
                too_many.push(format!("{read} rows, at most {most}: {}\n{}", statement.statement, statement.plans[1]));
            }
        }
    }
    store.close().await;
    assert!(too_many.is_empty(), "{} statements:\n{}", too_many.len(), too_many.join("\n\n"));
}
