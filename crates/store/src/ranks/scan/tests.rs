//! Stretches of ranges, as each engine means to walk through them.

use domain::Timestamp;

use super::*;
use crate::{Database, Postgres, Store, StoreConfig, nouns::NOUNS, ranks::walks, still::open};

/// Two keys of the walk that have so many columns in common.
fn keys(walk: Walk, common: usize) -> (Key, Key) {
    let key = |second: bool| {
        let value = |at: usize| if second && at >= common { "b" } else { "a" };
        let at_field = usize::from(walk.within != Within::Table);
        let by = match walk.field {
            OrderField::Uid | OrderField::Own(_) => CursorKey::Uid,
            OrderField::Name => CursorKey::Name(value(at_field).to_owned()),
            OrderField::CreatedAt => CursorKey::Time(Timestamp(i64::from(value(at_field) == "b"))),
        };
        let place = if walk.within == Within::Table { "" } else { value(0) };
        Key { place: place.into(), by, uid: value(columns(walk).len() - 1).into() }
    };
    (key(false), key(true))
}

fn conditions(walk: Walk, range: Range<'_>) -> Vec<String> {
    stretches(walk, range).into_iter().map(|stretch| stretch.condition).collect()
}

#[test]
fn what_is_compared_with_the_end_is_one_column() {
    let walk = Walk { noun: domain::Noun::Repo, table: "repos", within: Within::Org, field: OrderField::Name };
    let (from, to) = keys(walk, 0);
    assert_eq!(conditions(walk, (None, None)), [""]);
    assert_eq!(conditions(walk, (Some(&from), None)), [" WHERE (org, name, uid) >= ($1, $2, $3)"]);
    let ends = [" WHERE (org) = ($1) AND (name) < ($2)", " WHERE (org) = ($1) AND (name) = ($2) AND (uid) < ($3)"];
    assert_eq!(conditions(walk, (None, Some(&to))), [" WHERE (org) < ($1)", ends[0], ends[1]]);
    let first = " WHERE (org, name, uid) >= ($1, $2, $3) AND (org) < ($4)";
    assert_eq!(conditions(walk, (Some(&from), Some(&to))), [first, ends[0], ends[1]]);
    let (from, to) = keys(walk, 1);
    let first = " WHERE (org) = ($1) AND (name, uid) >= ($2, $3) AND (name) < ($4)";
    assert_eq!(conditions(walk, (Some(&from), Some(&to))), [first, ends[1]]);
    let (from, to) = keys(walk, 2);
    let only = " WHERE (org) = ($1) AND (name) = ($2) AND (uid) >= ($3) AND (uid) < ($4)";
    assert_eq!(conditions(walk, (Some(&from), Some(&to))), [only]);
}

/// Every stretch of every walk, with the engine's plan for it.
async fn plans(store: &Store, explain: &str, column: usize) -> Vec<(String, String)> {
    let mut plans = Vec::new();
    for walk in walks(NOUNS) {
        for common in 0..columns(walk).len() {
            let (from, to) = keys(walk, common);
            let mut reader = store.reader().await.expect("reads");
            let (columns, by) = (columns(walk).join(", "), reader.walk(walk.index()));
            for Stretch { condition, params } in stretches(walk, (Some(&from), Some(&to))) {
                let sql = format!("SELECT {columns} FROM {}{by}{condition} ORDER BY {columns} LIMIT 1 OFFSET 256", walk.table);
                let lines = reader.query_map(&format!("{explain} {sql}"), &params, |row| row.string(column)).await;
                plans.push((sql, lines.expect("is explained").join("\n")));
            }
        }
    }
    plans
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_of_sqlite_ends_where_a_stretch_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(&StoreConfig::sqlite(folder.path())).await;
    for (sql, plan) in plans(&store, "EXPLAIN QUERY PLAN", 3).await {
        assert!(plan.contains("SEARCH") && plan.contains("<?"), "{sql}\n{plan}");
        assert!(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
    }
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_of_postgresql_ends_where_a_stretch_does() {
    let Some(cluster) = pgcluster::shared() else { return };
    let database = cluster.database();
    // An empty table is also sorted in no time.
    let off = ["sort", "incremental_sort", "bitmapscan"].map(|way| format!("-c%20enable_{way}%3Doff"));
    let url = format!("{}&options={}", database.url(), off.join("%20"));
    let config = StoreConfig {
        data: "unused".into(),
        database: Database::Postgres(Postgres::parse(&url).expect("a URL").with_max_connections(4)),
    };
    let store = open(&config).await;
    for (sql, plan) in plans(&store, "EXPLAIN (COSTS OFF)", 0).await {
        // Nothing is tested that the index has not been asked for, and what it is asked for has an end.
        let asked = plan.lines().find(|line| line.contains("Index Cond")).unwrap_or_default();
        let conditions = sql.split_once(" WHERE ").expect("a condition").1.split(" ORDER BY").next().unwrap_or_default();
        assert_eq!(asked.matches(" AND ").count(), conditions.matches(" AND ").count(), "{sql}\n{plan}");
        assert!(asked.contains(" < ") && !plan.contains("Filter"), "{sql}\n{plan}");
    }
    store.close().await;
}
