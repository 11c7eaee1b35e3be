//! Plans that were made while tables were small, and are kept when they have grown.

use std::ops::ControlFlow;

use domain::OrderField;
use store::{
    ListQuery, Store,
    iam::{
        roles,
        standings::{self, Position},
    },
    registry::repos,
};

use super::{conformance::Engine, engine, kit};

/// What every request asks for, and pages in every order.
async fn ask(store: &Store, known: Position) {
    let mut reader = store.reader().await.expect("reads");
    standings::news(&mut reader, known).await.expect("reads");
    standings::get(&mut reader, &kit::root(9)).await.expect("reads");
    standings::may_be_bound_since(&mut reader, &kit::root(9), known).await.expect("reads");
    roles::bound_at(&mut reader, &kit::root(9), |_| ControlFlow::<()>::Continue(())).await.expect("reads");
    for field in [OrderField::Uid, OrderField::Name, OrderField::CreatedAt] {
        let mut query = ListQuery { page_size: 1, ..kit::everything(repos::RepoFilter::default()) };
        query.order.field = field;
        repos::list(&mut reader, &query).await.expect("lists");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_that_grow_are_not_read_from_end_to_end() {
    let Some(server) = engine() else { return };
    let store = server.open().await.expect("opens");
    let org = kit::org(&store, 1).await.uid;
    // Small tables with statistics are what makes a server read the whole of them, and a statement that is asked often keeps its plan.
    server.database.sql("ANALYZE");
    let known = standings::position(&mut store.reader().await.expect("reads")).await.expect("reads");
    for _ in 0..8 {
        ask(&store, known).await;
    }
    let rows: Vec<_> = (0..500).map(|n| kit::repo(kit::child(&org, n), &format!("repo{n}"))).collect();
    let grown = kit::write(&store, |tx| {
        Box::pin(async move {
            for row in rows {
                repos::insert(tx, &row).await?;
            }
            Ok(())
        })
    });
    grown.await.expect("grows");
    let known = standings::position(&mut store.reader().await.expect("reads")).await.expect("reads");
    for _ in 0..8 {
        ask(&store, known).await;
    }
    store.close().await;
    // A table without an index is the one row of the revision.
    let read = "SELECT relname FROM pg_stat_user_tables WHERE seq_tup_read > 0 AND relname IN \
                ('changes', 'counts', 'groups', 'identities', 'repos', 'role_bindings', 'roles')";
    assert_eq!(server.database.sql(read), "");
}
