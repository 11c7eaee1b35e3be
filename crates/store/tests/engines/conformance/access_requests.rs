//! Access requests: one of each user in each organization, gone with either.

use domain::{
    Kind, Timestamp, Uidp,
    iam::{AccessRequest, Group, Identity},
};
use store::{
    Store,
    iam::access_requests::{self, AccessRequestFilter},
    rows,
};

use super::{Engine, kit};

async fn of(store: &Store, organization: &Uidp, identity: &Uidp) -> Option<AccessRequest> {
    access_requests::of(&mut store.reader().await.expect("reads"), organization, identity).await.expect("reads")
}

pub(crate) async fn access_requests_go_with_their_organization_and_their_user(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let (org, other) = (kit::org(&store, 1).await, kit::org(&store, 2).await);
    let (ana, bea) =
        (kit::add(&store, kit::identity(kit::root(8), "ana")).await, kit::add(&store, kit::identity(kit::root(9), "bea")).await);
    let open = kit::add(&store, kit::access_request(kit::child(&org.uid, 1), &ana.uid)).await;
    let again = kit::access_request(kit::child(&org.uid, 2), &ana.uid);
    let error = kit::write(&store, |tx| Box::pin(async move { rows::insert(tx, &again).await })).await.expect_err("one of each");
    assert_eq!(error.kind(), Kind::AlreadyExists);
    kit::add(&store, kit::access_request(kit::child(&other.uid, 1), &ana.uid)).await;
    kit::add(&store, kit::access_request(kit::child(&org.uid, 3), &bea.uid)).await;

    let (from, at) = (open.clone(), Timestamp(17));
    let refused = kit::write(&store, move |tx| {
        let to = AccessRequest { refused_at: Some(at), revision: tx.revision(), ..from.clone() };
        Box::pin(async move { rows::update(tx, &from, &to).await })
    });
    assert_eq!(refused.await.expect("changes").refused_at, Some(at));
    assert_eq!(of(&store, &org.uid, &ana.uid).await.and_then(|found| found.refused_at), Some(at));

    let gone = other.uid.clone();
    assert!(kit::write(&store, |tx| Box::pin(async move { rows::delete::<Group>(tx, &gone).await })).await.expect("goes"));
    assert_eq!(of(&store, &other.uid, &ana.uid).await, None);
    let gone = ana.uid.clone();
    assert!(kit::write(&store, |tx| Box::pin(async move { rows::delete::<Identity>(tx, &gone).await })).await.expect("goes"));
    let mut reader = store.reader().await.expect("reads");
    let left = rows::list(&mut reader, &kit::everything(AccessRequestFilter)).await.expect("lists");
    assert_eq!(left.items.iter().map(|request| &request.identity).collect::<Vec<_>>(), [&bea.uid]);
    assert_eq!(rows::count::<AccessRequest>(&mut reader, &org.uid).await.expect("counts"), 1);
}
