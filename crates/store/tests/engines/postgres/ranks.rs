//! Pages far behind the first, on a database that others write to as well.

use domain::{Uidp, registry::Repo};
use store::{ListQuery, Store, registry::repos, rows};

use super::{
    conformance::{
        Engine,
        deep::{ranks_stand, skips, snapshots_agree},
    },
    engine, kit,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deep_pages_of_several_nodes_belong_to_their_snapshots() {
    let Some(server) = engine() else { return };
    snapshots_agree(&[server.open().await.expect("opens"), server.open().await.expect("opens")]).await;
}

/// The first row of a page.
async fn row_behind(store: &Store, rows: u32) -> Repo {
    let query = ListQuery { skip: rows, page_size: 1, ..kit::everything(repos::RepoFilter::default()) };
    let page = rows::list(&mut store.reader().await.expect("reads"), &query).await.expect("lists");
    page.items.into_iter().next().expect("a row")
}

/// What a program does that knows the tables and not what the feed tells of them since.
fn insert_like_an_older_program(repo: &Uidp, org: &Uidp) -> String {
    format!(
        "BEGIN; UPDATE revision SET n = n + 1; \
         INSERT INTO repos SELECT '{repo}', parent, org, 'older', description, catalog_tier, bundles, aliases, active_tags, \
           sync_config, custom_overlay, created_at, updated_at, (SELECT n FROM revision) FROM repos LIMIT 1; \
         INSERT INTO changes (revision, ordinal, noun, uid, op) SELECT n, 0, 'repo', '{repo}', 'created' FROM revision; \
         UPDATE counts SET n = n + 1, children = children + CASE prefix WHEN '{org}' THEN 1 ELSE 0 END WHERE noun = 'repo'; COMMIT"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_older_program_writes_is_not_missed() {
    let Some(server) = engine() else { return };
    let store = server.open().await.expect("opens");
    store.set_rank_stride(4);
    let org = kit::org(&store, 1).await.uid;
    let mut expected = Vec::new();
    for n in 1..60 {
        expected.push(kit::add(&store, kit::repo(kit::child(&org, n), &format!("r{n}"))).await.uid);
    }
    ranks_stand(&store).await;
    assert_eq!(row_behind(&store, 30).await.uid, expected[30]);
    let [by_ranks, by_walk] = skips(&store);
    assert!(by_ranks > 0.5, "{by_ranks} by ranks, {by_walk} by walk");
    let older = kit::child(&org, 0);
    server.database.sql(&insert_like_an_older_program(&older, &org));
    expected.insert(0, older);
    for _ in 0..20 {
        assert_eq!(row_behind(&store, 30).await.uid, expected[30]);
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert!((skips(&store)[0] - by_ranks).abs() < 0.5, "no ranks know of it");
    assert!(!store.ranks_stand());
}
