//! Terms, which are accepted once in the name of each group, and what users tell about themselves: both go with what they are about.

use domain::{
    Kind, Order, Uidp,
    iam::{Group, Identity, IdentityMetadata, TermsAcceptance},
};
use store::{
    ListQuery, Store,
    iam::terms::{self, TermsAcceptanceFilter},
    rows,
};

use super::{Engine, kit};

async fn documents(store: &Store, groups: &[&Uidp]) -> Vec<String> {
    let groups: Vec<_> = groups.iter().copied().cloned().collect();
    let mut reader = store.reader().await.expect("reads");
    let mut documents = terms::documents(&mut reader, &groups).await.expect("reads");
    documents.sort();
    documents
}

pub(crate) async fn acceptances_go_with_their_group(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let folder = kit::add(&store, kit::group(kit::child(&org.uid, 1), "folder")).await;
    kit::add(&store, kit::terms_acceptance(kit::child(&org.uid, 11), "a")).await;
    kit::add(&store, kit::terms_acceptance(kit::child(&folder.uid, 11), "a")).await;
    kit::add(&store, kit::terms_acceptance(kit::child(&folder.uid, 12), "b")).await;
    let again = kit::terms_acceptance(kit::child(&org.uid, 12), "a");
    let error = kit::write(&store, |tx| Box::pin(async move { rows::insert(tx, &again).await })).await.expect_err("one of each");
    assert_eq!(error.kind(), Kind::AlreadyExists);
    assert_eq!(documents(&store, &[&org.uid, &folder.uid]).await, ["a", "a", "b"]);
    assert_eq!(documents(&store, &[&org.uid]).await, ["a"]);
    assert!(documents(&store, &[&kit::root(2)]).await.is_empty());

    let gone = folder.uid.clone();
    assert!(kit::write(&store, |tx| Box::pin(async move { rows::delete::<Group>(tx, &gone).await })).await.expect("goes"));
    assert_eq!(documents(&store, &[&org.uid, &folder.uid]).await, ["a"]);
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(rows::count::<TermsAcceptance>(&mut reader, &org.uid).await.expect("counts"), 1);
    assert_eq!(rows::list(&mut reader, &kit::everything(TermsAcceptanceFilter)).await.expect("lists").total, 1);
}

pub(crate) async fn acceptances_of_several_groups_are_one_list(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let folder = kit::add(&store, kit::group(kit::child(&org.uid, 2), "folder")).await;
    let mut expected = Vec::new();
    for (n, group) in (0u32..).zip([&folder.uid, &org.uid, &folder.uid, &org.uid, &org.uid]) {
        let mut row = kit::terms_acceptance(kit::child(group, n.into()), &format!("d{n}"));
        row.created_at = kit::at(i64::from(n / 2)).now;
        expected.push(kit::add(&store, row).await);
    }
    kit::add(&store, kit::terms_acceptance(kit::child(&kit::org(&store, 2).await.uid, 1), "d")).await;
    let groups = [folder.uid.clone(), org.uid.clone()];
    for order in ["uid", "uid desc", "created_at", "created_at desc"] {
        let order = Order::parse(order).expect("an order");
        expected.sort_by_key(|row| (row.created_at.0 * i64::from(order.field == domain::OrderField::CreatedAt), row.uid.clone()));
        if order.descending {
            expected.reverse();
        }
        for (page_size, skip) in [(1, 0), (2, 0), (2, 1), (4, 3), (5, 0), (6, 0), (3, 9)] {
            let mut query = ListQuery { order, page_size, skip, ..kit::everything(TermsAcceptanceFilter) };
            let mut reader = store.reader().await.expect("reads");
            let mut found = Vec::new();
            loop {
                let page = terms::list(&mut reader, &groups, &query).await.expect("lists");
                assert_eq!((page.total, page.skipped, page.items.len() <= page_size as usize), (5, query.skip, true));
                found.extend(page.items);
                (query.cursor, query.skip) = (page.next, 0);
                if query.cursor.is_none() {
                    break;
                }
            }
            assert_eq!(found, expected.iter().skip(skip as usize).cloned().collect::<Vec<_>>(), "{order:?} {page_size} {skip}");
        }
    }
    let by_name = ListQuery { order: Order::parse("name").expect("an order"), ..kit::everything(TermsAcceptanceFilter) };
    let error = terms::list(&mut store.reader().await.expect("reads"), &groups, &by_name).await.expect_err("no names");
    assert_eq!(error.kind(), Kind::InvalidArgument);
}

pub(crate) async fn metadata_goes_with_its_user(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let orphan = kit::identity_metadata(kit::root(8));
    let error = kit::write(&store, |tx| Box::pin(async move { rows::insert(tx, &orphan).await })).await.expect_err("no user");
    assert_eq!(error.kind(), Kind::NotFound);
    let ana = kit::add(&store, kit::identity(kit::root(8), "ana")).await;
    let first = kit::add(&store, kit::identity_metadata(ana.uid.clone())).await;
    let from = first.clone();
    let changed = kit::write(&store, move |tx| {
        let mut to = from.clone();
        to.spec.providers.clear();
        Box::pin(async move { rows::update(tx, &from, &to).await })
    });
    assert!(changed.await.expect("changes").spec.providers.is_empty());
    let gone = ana.uid.clone();
    assert!(kit::write(&store, |tx| Box::pin(async move { rows::delete::<Identity>(tx, &gone).await })).await.expect("goes"));
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(rows::get::<IdentityMetadata>(&mut reader, &ana.uid).await.expect("reads"), None);
}
