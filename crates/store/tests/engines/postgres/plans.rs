//! Plans that were made while tables were small, and are kept when they have grown.

use std::ops::ControlFlow;

use domain::{OrderField, Uidp, UidpFilter, list::ParentFilter, registry::TagForms};
use store::{
    ListQuery, Store,
    iam::{
        roles,
        standings::{self, Position},
    },
    registry::{repos, tags::TagFilter},
    rows,
};

use super::{conformance::Engine, engine, kit};

/// What every request asks for, and pages in every order.
async fn ask(store: &Store, known: Position) {
    let mut reader = store.reader().await.expect("reads");
    standings::news(&mut reader, known).await.expect("reads");
    standings::get(&mut reader, &kit::root(9)).await.expect("reads");
    standings::may_be_given_since(&mut reader, &kit::root(9), known).await.expect("reads");
    standings::may_have_changed(&mut reader, &kit::root(9), known).await.expect("reads");
    roles::default_at(&mut reader, &kit::root(9)).await.expect("reads");
    roles::mapped_at(&mut reader, &kit::root(9)).await.expect("reads");
    roles::bound_at(&mut reader, &kit::root(9), |_| ControlFlow::<()>::Continue(())).await.expect("reads");
    for field in [OrderField::Uid, OrderField::Name, OrderField::CreatedAt] {
        let mut query = ListQuery { page_size: 1, ..kit::everything(repos::RepoFilter::default()) };
        query.order.field = field;
        rows::list(&mut reader, &query).await.expect("lists");
        for filter in filters() {
            for uidp in [UidpFilter::default(), below(kit::root(1)), children(kit::child(&kit::root(1), 0))] {
                let mut query = ListQuery { page_size: 1, ..kit::everything(filter.clone()) };
                (query.order.field, query.uidp) = (field, uidp);
                rows::list(&mut reader, &query).await.expect("lists");
            }
        }
    }
}

/// Every filter of tags. What they share is that few rows fulfil them, but for the forms of their names.
fn filters() -> Vec<TagFilter> {
    let none = TagFilter::default;
    vec![
        none(),
        TagFilter { name: Some("v7".to_owned()), ..none() },
        TagFilter { digest: Some(kit::digest(9).to_string()), ..none() },
        TagFilter { updated_since: Some(kit::at(60).now), ..none() },
        TagFilter { forms: Some(TagForms::default()), ..none() },
        TagFilter { forms: Some(TagForms { date: true, ..TagForms::default() }), ..none() },
    ]
}

fn below(place: Uidp) -> UidpFilter {
    UidpFilter { descendants_of: Some(place), ..UidpFilter::default() }
}

fn children(parent: Uidp) -> UidpFilter {
    UidpFilter { children_of: Some(ParentFilter::At(parent)), ..UidpFilter::default() }
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
            for (n, row) in (0..).zip(rows) {
                rows::insert(tx, &row).await?;
                rows::insert(tx, &kit::tag(kit::child(&row.uid, n), &format!("v{n}"))).await?;
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
                ('changes', 'counts', 'groups', 'identities', 'repos', 'role_bindings', 'roles', 'tags')";
    assert_eq!(server.database.sql(read), "");
}
