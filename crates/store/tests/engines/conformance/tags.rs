//! Tags: which digest each stands for, and stood for.

use domain::{
    Error, Kind, Rule, Timestamp,
    registry::{Repo, Tag, TagForms},
};
use store::{Store, registry::tags, rows};

use super::{Engine, kit};

async fn with_repo(engine: &impl Engine) -> (Store, domain::registry::Repo) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let repo = kit::add(&store, kit::repo(kit::child(&org.uid, 1), "nginx")).await;
    (store, repo)
}

async fn get(store: &Store, uid: &domain::Uidp) -> Option<Tag> {
    rows::get::<Tag>(&mut store.reader().await.expect("reads"), uid).await.expect("reads")
}

async fn change(store: &Store, seconds: i64, from: &Tag, to: Tag) -> Result<Tag, Error> {
    let from = from.clone();
    store.write(&kit::at(seconds), move |tx| Box::pin(async move { rows::update(tx, &from, &to).await })).await
}

pub(crate) async fn tags_are_kept(engine: &impl Engine) {
    let (store, repo) = with_repo(engine).await;
    let tag = kit::add(&store, kit::tag(kit::child(&repo.uid, 1), "latest")).await;
    assert_eq!(get(&store, &tag.uid).await, Some(tag.clone()));
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(tags::find(&mut reader, &repo.uid, "latest").await.expect("reads"), Some(tag.clone()));
    assert_eq!(tags::find(&mut reader, &repo.uid, "other").await.expect("reads"), None);
    drop(reader);

    let mut wish = tag.clone();
    (wish.spec.digest, wish.spec.deprecated, wish.spec.bundles) = (None, false, Vec::new());
    let changed = change(&store, 60, &tag, wish.clone()).await.expect("is changed");
    assert_eq!((&changed.spec, changed.updated_at), (&wish.spec, kit::at(60).now));
    assert_eq!(get(&store, &tag.uid).await, Some(changed));

    let again = kit::tag(kit::child(&repo.uid, 2), "latest");
    let refused = kit::write(&store, |tx| Box::pin(async move { rows::insert(tx, &again).await })).await.expect_err("is taken");
    assert_eq!((refused.kind(), refused.rule()), (Kind::AlreadyExists, Rule::NameTaken));
    let nowhere = kit::tag(kit::child(&kit::child(&repo.uid, 9), 1), "latest");
    let refused = kit::write(&store, |tx| Box::pin(async move { rows::insert(tx, &nowhere).await })).await.expect_err("no repo");
    assert_eq!(refused.message(), format!("repo {} not found", kit::child(&repo.uid, 9)));

    let uid = tag.uid.clone();
    assert!(kit::write(&store, |tx| Box::pin(async move { rows::delete::<Tag>(tx, &uid).await })).await.expect("goes"));
    assert_eq!(get(&store, &tag.uid).await, None);
}

pub(crate) async fn what_a_tag_stood_for_is_remembered(engine: &impl Engine) {
    let (store, repo) = with_repo(engine).await;
    let mut tag = kit::add(&store, kit::tag(kit::child(&repo.uid, 1), "latest")).await;
    let uid = tag.uid.clone();
    for (seconds, digest, deprecated) in [(1, 1, false), (2, 2, false), (3, 2, true), (4, 1, true)] {
        let mut wish = tag.clone();
        (wish.spec.digest, wish.spec.deprecated) = (Some(kit::digest(digest)), deprecated);
        tag = change(&store, seconds, &tag, wish).await.expect("is changed");
    }
    let at = |seconds: i64| -> Timestamp { kit::at(seconds).now };
    let expected = [(at(0), kit::digest(1)), (at(2), kit::digest(2)), (at(4), kit::digest(1))];
    let history = async || tags::history(&mut store.reader().await.expect("reads"), &uid).await.expect("reads");
    assert_eq!(history().await, expected);
    let mut bare = kit::tag(kit::child(&repo.uid, 2), "announced");
    bare.spec.digest = None;
    let bare = kit::add(&store, bare).await;
    let other = kit::add(&store, kit::tag(kit::child(&repo.uid, 3), "other")).await;
    kit::write(&store, |tx| Box::pin(async move { rows::delete::<Tag>(tx, &tag.uid).await })).await.expect("goes");
    assert_eq!(history().await, [], "it goes with the tag");
    kit::write(&store, |tx| Box::pin(async move { rows::delete::<Repo>(tx, &repo.uid).await })).await.expect("goes");
    for uid in [bare.uid, other.uid] {
        assert_eq!(tags::history(&mut store.reader().await.expect("reads"), &uid).await.expect("reads"), []);
    }
}

pub(crate) async fn a_history_has_an_end(engine: &impl Engine) {
    let (store, repo) = with_repo(engine).await;
    let tag = kit::add(&store, kit::tag(kit::child(&repo.uid, 1), "latest")).await;
    let last = tags::DIGESTS + 10;
    let mut from = tag;
    for n in 2..=last {
        let mut wish = from.clone();
        wish.spec.digest = Some(kit::digest(n.cast_unsigned()));
        from = change(&store, n, &from, wish).await.expect("is changed");
    }
    let history = tags::history(&mut store.reader().await.expect("reads"), &from.uid).await.expect("reads");
    assert_eq!(history.len(), usize::try_from(tags::DIGESTS).expect("few"));
    assert_eq!(history.last(), Some(&(kit::at(last).now, kit::digest(last.cast_unsigned()))), "the newest are kept");
    assert_eq!(history.first(), Some(&(kit::at(11).now, kit::digest(11))));
}

pub(crate) async fn tags_go_with_their_repository(engine: &impl Engine) {
    let (store, repo) = with_repo(engine).await;
    let other = kit::add(&store, kit::repo(kit::child(&repo.uid.parent().expect("a group"), 2), "other")).await;
    for n in 0..20 {
        kit::add(&store, kit::tag(kit::child(&repo.uid, n), &format!("v{n}"))).await;
    }
    let stays = kit::add(&store, kit::tag(kit::child(&other.uid, 1), "latest")).await;
    let uid = repo.uid.clone();
    kit::write(&store, |tx| Box::pin(async move { rows::delete::<Repo>(tx, &uid).await })).await.expect("goes");
    let listed = rows::list(&mut store.reader().await.expect("reads"), &kit::everything(tags::TagFilter::default())).await;
    let listed = listed.expect("lists");
    assert_eq!((listed.items, listed.total), (vec![stays], 1));
}

pub(crate) async fn too_many_tags_keep_their_repository(engine: &impl Engine) {
    let (store, repo) = with_repo(engine).await;
    let numbers: Vec<_> = (0..=tags::GO_TOGETHER).collect();
    for some in numbers.chunks(500) {
        let (repo, some) = (repo.clone(), some.to_vec());
        let fill = kit::write(&store, |tx| {
            Box::pin(async move {
                for n in some {
                    rows::insert_in(tx, &repo, &kit::tag(kit::child(&repo.uid, n), &format!("v{n}"))).await?;
                }
                Ok(())
            })
        });
        fill.await.expect("is filled");
    }
    let uid = repo.uid.clone();
    let refused =
        kit::write(&store, |tx| Box::pin(async move { rows::delete::<Repo>(tx, &uid).await })).await.expect_err("is refused");
    assert_eq!((refused.kind(), refused.rule()), (Kind::FailedPrecondition, Rule::NotEmpty));
    assert!(refused.message().contains("cannot delete repo with more than 5000 tags"), "{refused}");
    let (uid, one) = (repo.uid.clone(), kit::child(&repo.uid, 1));
    kit::write(&store, |tx| Box::pin(async move { rows::delete::<Tag>(tx, &one).await })).await.expect("goes");
    assert!(kit::write(&store, |tx| Box::pin(async move { rows::delete::<Repo>(tx, &uid).await })).await.expect("goes"));
}

pub(crate) async fn tags_are_summed_up(engine: &impl Engine) {
    let (store, repo) = with_repo(engine).await;
    let none = tags::summary(&mut store.reader().await.expect("reads"), &repo.uid, TagForms::ALL).await.expect("reads");
    assert_eq!(none, tags::Summary { count: 0, latest: None });
    for (n, name) in (1..).zip(["latest", "1-r1", "1-20240131", "sha256-0a"]) {
        let mut tag = kit::tag(kit::child(&repo.uid, n), name);
        tag.updated_at = kit::at(n.cast_signed()).now;
        kit::add(&store, tag).await;
    }
    let plain = TagForms::default();
    for (forms, expected) in [
        (TagForms::ALL, (4, "sha256-0a")),
        (TagForms { referrer: false, ..TagForms::ALL }, (3, "1-20240131")),
        (TagForms { epoch: true, ..plain }, (2, "1-r1")),
        (plain, (1, "latest")),
    ] {
        let found = tags::summary(&mut store.reader().await.expect("reads"), &repo.uid, forms).await.expect("reads");
        let latest = found.latest.expect("there is one");
        assert_eq!((found.count, latest.spec.name.as_str()), expected, "{forms:?}");
    }
}
