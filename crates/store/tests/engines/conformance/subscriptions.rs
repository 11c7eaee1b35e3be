//! Subscriptions: few in each group, and gone with it.

use domain::{Uidp, events::Subscription, iam::Group};
use store::{Store, events::subscriptions::SubscriptionFilter, rows};

use super::{Engine, kit};

async fn get(store: &Store, uid: &Uidp) -> Option<Subscription> {
    rows::get::<Subscription>(&mut store.reader().await.expect("reads"), uid).await.expect("reads")
}

async fn count(store: &Store, group: &Uidp) -> u64 {
    rows::count::<Subscription>(&mut store.reader().await.expect("reads"), group).await.expect("counts")
}

pub(crate) async fn subscriptions_are_kept_and_counted(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let folder = kit::add(&store, kit::group(kit::child(&org.uid, 9), "folder")).await;
    let sink = "https://hooks.example.com/?key=%20";
    let first = kit::add_subscription(&store, &org, kit::subscription(kit::child(&org.uid, 1), sink)).await;
    let second = kit::add_subscription(&store, &org, kit::subscription(kit::child(&org.uid, 2), sink)).await;
    kit::add_subscription(&store, &folder, kit::subscription(kit::child(&folder.uid, 3), sink)).await;
    assert_eq!((get(&store, &first.uid).await, get(&store, &second.uid).await), (Some(first.clone()), Some(second)));
    assert_eq!((count(&store, &org.uid).await, count(&store, &folder.uid).await), (2, 1), "each group has its own");

    let (group, misplaced) = (org.clone(), kit::subscription(kit::child(&folder.uid, 4), sink));
    let refused = kit::write(&store, |tx| Box::pin(async move { rows::insert_in(tx, &group, &misplaced).await })).await;
    assert!(refused.is_err(), "it does not live in that group");

    for existed in [true, false] {
        let uid = first.uid.clone();
        let gone = kit::write(&store, |tx| Box::pin(async move { rows::delete::<Subscription>(tx, &uid).await })).await;
        assert_eq!(gone.expect("is deleted"), existed);
    }
    assert_eq!((get(&store, &first.uid).await, count(&store, &org.uid).await), (None, 1));
}

pub(crate) async fn subscriptions_go_with_their_group(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let folder = kit::add(&store, kit::group(kit::child(&org.uid, 9), "folder")).await;
    for n in 0..3 {
        kit::add_subscription(&store, &folder, kit::subscription(kit::child(&folder.uid, n), "https://a.example")).await;
    }
    let kept = kit::add_subscription(&store, &org, kit::subscription(kit::child(&org.uid, 1), "https://a.example")).await;
    let gone = folder.uid.clone();
    assert!(kit::write(&store, |tx| Box::pin(async move { rows::delete::<Group>(tx, &gone).await })).await.expect("goes"));
    let mut reader = store.reader().await.expect("reads");
    let left = rows::list(&mut reader, &kit::everything(SubscriptionFilter)).await.expect("lists");
    assert_eq!((left.items, left.total), (vec![kept], 1));
}
