//! Overlays, their bindings, and what else a repository or group has one of.

use domain::{
    Kind, Rule,
    iam::Group,
    registry::{Deployment, Overlay, RegistrySettings, Repo},
};
use store::{
    registry::{
        overlay_bindings::{self, OverlayBindingFilter},
        overlays::OverlayFilter,
    },
    rows,
};

use super::{Engine, kit};

pub(crate) async fn overlays_are_bound_and_bindings_go_with_their_repository(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let overlay = kit::add(&store, kit::overlay(kit::child(&org.uid, 1), "tools")).await;
    let twin = kit::overlay(kit::child(&org.uid, 2), "tools");
    let refused = kit::write(&store, |tx| Box::pin(async move { rows::insert(tx, &twin).await })).await;
    assert_eq!(refused.expect_err("is refused").rule(), Rule::NameTaken);
    let mut repos = Vec::new();
    for n in 3..5 {
        let repo = kit::add(&store, kit::repo(kit::child(&org.uid, n), &format!("r{n}"))).await;
        kit::add(&store, kit::overlay_binding(kit::child(&repo.uid, 1), &overlay.uid)).await;
        repos.push(repo.uid);
    }
    let uid = overlay.uid.clone();
    let kept = kit::write(&store, |tx| Box::pin(async move { rows::delete::<Overlay>(tx, &uid).await })).await;
    assert_eq!(kept.expect_err("is refused").rule(), Rule::NotEmpty, "it is bound");
    let mut reader = store.reader().await.expect("reads");
    let of = |overlay| kit::everything(OverlayBindingFilter { overlay: Some(overlay) });
    let bound = overlay_bindings::list_views(&mut reader, &of(overlay.uid.clone())).await.expect("lists");
    assert_eq!((bound.total, bound.items.iter().filter(|view| view.overlay == overlay).count()), (2, 2));
    let other = overlay_bindings::list_views(&mut reader, &of(org.uid.clone())).await.expect("lists");
    assert_eq!((other.total, other.items.len()), (0, 0));
    let named = kit::everything(OverlayFilter { name: Some("tools".to_owned()) });
    assert_eq!(rows::list(&mut reader, &named).await.expect("lists").items, std::slice::from_ref(&overlay));
    drop(reader);
    for repo in repos {
        assert!(kit::write(&store, |tx| Box::pin(async move { rows::delete::<Repo>(tx, &repo).await })).await.expect("goes"));
    }
    assert!(
        kit::write(&store, |tx| Box::pin(async move { rows::delete::<Overlay>(tx, &overlay.uid).await })).await.expect("goes")
    );
}

pub(crate) async fn a_repository_has_one_deployment_and_a_group_one_set_of_settings(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let repo = kit::add(&store, kit::repo(kit::child(&org.uid, 3), "app")).await.uid;
    let made = kit::add(&store, kit::deployment(repo.clone())).await;
    let again = made.clone();
    let refused = kit::write(&store, |tx| Box::pin(async move { rows::insert(tx, &again).await })).await;
    let refused = refused.expect_err("is refused");
    assert_eq!((refused.kind(), refused.rule()), (Kind::AlreadyExists, Rule::OnePerGroup));
    let settings = kit::add(&store, kit::registry_settings(org.uid.clone())).await;
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(rows::get::<Deployment>(&mut reader, &repo).await.expect("reads"), Some(made));
    assert_eq!(rows::get::<RegistrySettings>(&mut reader, &org.uid).await.expect("reads"), Some(settings));
    drop(reader);
    let gone = repo.clone();
    assert!(kit::write(&store, |tx| Box::pin(async move { rows::delete::<Repo>(tx, &gone).await })).await.expect("goes"));
    let group = org.uid.clone();
    let gone = kit::write(&store, |tx| Box::pin(async move { rows::delete::<Group>(tx, &group).await })).await;
    assert!(gone.expect("goes"), "settings keep no group");
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(rows::get::<Deployment>(&mut reader, &repo).await.expect("reads"), None);
    assert_eq!(rows::get::<RegistrySettings>(&mut reader, &org.uid).await.expect("reads"), None);
}
