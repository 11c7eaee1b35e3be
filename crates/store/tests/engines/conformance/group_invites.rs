//! Group invites: few in each group, gone with it, and with the role that they offer as long as there is one.

use domain::{
    Uidp,
    iam::{Group, GroupInvite, GroupInviteView, InviteCheck, Role},
};
use store::{
    Store,
    iam::{
        group_invites::{self, GroupInviteFilter},
        roles, standings,
    },
    rows,
};

use super::{Engine, kit};

async fn view(store: &Store, uid: &Uidp) -> Option<GroupInviteView> {
    group_invites::view(&mut store.reader().await.expect("reads"), uid).await.expect("reads")
}

async fn count(store: &Store, group: &Uidp) -> u64 {
    rows::count::<GroupInvite>(&mut store.reader().await.expect("reads"), group).await.expect("counts")
}

pub(crate) async fn group_invites_are_kept_and_show_their_role(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let role = kit::add(&store, kit::role(kit::child(&org.uid, 4), "newcomer", &["repo.list"])).await;
    let before = standings::position(&mut store.reader().await.expect("reads")).await.expect("reads");
    let made = kit::add(&store, kit::group_invite(kit::child(&org.uid, 1), &role.uid)).await;
    let mut lasting = kit::group_invite(kit::child(&org.uid, 2), &kit::child(&org.uid, 99));
    (lasting.spec.email, lasting.spec.single_use) = (String::new(), false);
    let lasting: GroupInvite = kit::add(&store, lasting).await;
    assert_eq!(count(&store, &org.uid).await, 2);
    let shown = GroupInviteView { invite: made.clone(), role: Some(role.clone()) };
    assert_eq!(view(&store, &made.uid).await, Some(shown.clone()));
    let without = GroupInviteView { invite: lasting.clone(), role: None };
    assert_eq!(view(&store, &lasting.uid).await, Some(without.clone()), "its role is gone");
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(group_invites::by_check(&mut reader, &made.check).await.expect("reads"), Some(made.clone()));
    let guessed = InviteCheck { digest: "0b".repeat(32), ..made.check.clone() };
    assert_eq!(group_invites::by_check(&mut reader, &guessed).await.expect("reads"), None);
    let page = group_invites::list_views(&mut reader, &kit::everything(GroupInviteFilter::default())).await.expect("lists");
    assert_eq!((page.items, page.total), (vec![shown, without], 2));
    assert!(standings::may_be_given_since(&mut reader, &role.uid, before).await.expect("reads"), "it is offered");
    let unknown = kit::child(&org.uid, 98);
    assert!(!standings::may_be_given_since(&mut reader, &unknown, before).await.expect("reads"));
    let place = roles::bound_at(&mut reader, &role.uid, std::ops::ControlFlow::Break).await.expect("reads");
    assert_eq!(place, Some(org.uid.clone()), "where it is offered it is as good as bound");
    drop(reader);

    let gone = role.uid.clone();
    assert!(kit::write(&store, |tx| Box::pin(async move { rows::delete::<Role>(tx, &gone).await })).await.expect("goes"));
    assert_eq!(view(&store, &made.uid).await.map(|view| view.role), Some(None));
    for existed in [true, false] {
        let uid = made.uid.clone();
        let gone = kit::write(&store, |tx| Box::pin(async move { rows::delete::<GroupInvite>(tx, &uid).await })).await;
        assert_eq!(gone.expect("is deleted"), existed);
    }
    assert_eq!((view(&store, &made.uid).await, count(&store, &org.uid).await), (None, 1));
}

pub(crate) async fn group_invites_go_with_their_group(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let folder = kit::add(&store, kit::group(kit::child(&org.uid, 9), "folder")).await;
    for n in 0..3 {
        kit::add(&store, kit::group_invite(kit::child(&folder.uid, n), &kit::root(7))).await;
    }
    let kept = kit::add(&store, kit::group_invite(kit::child(&org.uid, 1), &kit::root(7))).await;
    let gone = folder.uid.clone();
    assert!(kit::write(&store, |tx| Box::pin(async move { rows::delete::<Group>(tx, &gone).await })).await.expect("goes"));
    let mut reader = store.reader().await.expect("reads");
    let left = rows::list(&mut reader, &kit::everything(GroupInviteFilter::default())).await.expect("lists");
    assert_eq!((left.items, left.total), (vec![kept], 1));
}
