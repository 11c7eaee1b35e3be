//! How an identity stands, and what is told about changes of that.

use domain::{
    Ctx, Grant, Noun, Place, Revision, Uidp,
    iam::{Group, Identity, RoleBinding},
};
use store::{
    Store,
    iam::standings::{self, News, Position, Seen, Standing},
    rows, signing_keys,
};

use super::{Engine, kit};

async fn standing(store: &Store, identity: &Identity) -> (Position, Option<Standing>) {
    let seen = standings::get(&mut store.reader().await.expect("reads"), &identity.uid).await;
    let Seen { at, standing, .. } = seen.expect("reads");
    (at, standing)
}

async fn news(store: &Store, known: Position) -> News {
    standings::news(&mut store.reader().await.expect("reads"), known).await.expect("reads")
}

async fn now(store: &Store) -> Position {
    standings::position(&mut store.reader().await.expect("reads")).await.expect("reads")
}

pub(crate) async fn a_standing_comes_with_its_state(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, binding } = kit::bound(&store).await;
    let grant = Grant { at: Place::At(org.uid.clone()), capabilities: role.spec.capabilities };
    let mut expected = Standing { relationship_revision: 1, grants: vec![grant.clone()], roles: vec![role.uid.clone()] };
    assert_eq!(standing(&store, &identity).await, (now(&store).await, Some(expected.clone())));

    let folder = kit::add(&store, kit::group(kit::child(&org.uid, 50), "folder")).await;
    kit::add(&store, kit::binding(kit::child(&folder.uid, 51), &identity.uid, &role.uid)).await;
    expected.grants.push(Grant { at: Place::At(folder.uid.clone()), ..grant });
    let (at, found) = standing(&store, &identity).await;
    let mut found = found.expect("it exists");
    found.grants.sort_by(|a, b| a.at.cmp(&b.at));
    assert_eq!((at, found), (now(&store).await, expected));

    let uid = binding.uid;
    kit::write(&store, |tx| Box::pin(async move { rows::delete::<RoleBinding>(tx, &uid).await })).await.expect("goes");
    assert_eq!(standing(&store, &identity).await.1.expect("it exists").grants.len(), 1);
    let uid = identity.uid.clone();
    kit::write(&store, |tx| Box::pin(async move { rows::delete::<Identity>(tx, &uid).await })).await.expect("goes");
    assert_eq!(standing(&store, &identity).await, (now(&store).await, None));
}

/// Every write that changes somebody's rights, and no other one, is news about them.
pub(crate) async fn what_changes_rights_is_told(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, binding } = kit::bound(&store).await;
    let other = kit::add(&store, kit::identity(kit::child(&org.uid, 60), "other")).await;
    let known = now(&store).await;
    let told = async || {
        let News { at, more, changes } = news(&store, known).await;
        assert_eq!((at, more), (now(&store).await, false));
        let mut changes = changes.expect("not much");
        changes.sort_by(|a, b| a.1.cmp(&b.1));
        changes.dedup();
        changes
    };
    assert_eq!(told().await, []);
    kit::add(&store, kit::group(kit::child(&org.uid, 61), "folder")).await;
    assert_eq!(told().await, [], "a folder gives nobody a right");

    let (one, two) = ((Noun::Identity, identity.uid.to_string()), (Noun::Identity, other.uid.to_string()));
    let (from, mut moved) = (binding.clone(), binding.clone());
    moved.spec.identity = other.uid.clone();
    kit::write(&store, |tx| Box::pin(async move { rows::update(tx, &from, &moved).await })).await.expect("moves");
    let mut both = vec![one.clone(), two.clone()];
    both.sort_by(|a, b| a.1.cmp(&b.1));
    assert_eq!(told().await, both, "the one that has lost it and the one that has it now");

    let known = now(&store).await;
    let told = async || news(&store, known).await.changes.expect("not much");
    let uid = binding.uid.clone();
    kit::write(&store, |tx| Box::pin(async move { rows::delete::<RoleBinding>(tx, &uid).await })).await.expect("goes");
    assert_eq!(told().await, [two]);
    let (from, mut renamed) = (role.clone(), role.clone());
    renamed.spec.capabilities = domain::CapabilitySet::EMPTY;
    kit::write(&store, |tx| Box::pin(async move { rows::update(tx, &from, &renamed).await })).await.expect("changes");
    assert!(told().await.contains(&(Noun::Role, role.uid.to_string())));

    let known = now(&store).await;
    kit::add(&store, kit::binding(kit::child(&org.uid, 62), &identity.uid, &role.uid)).await;
    assert_eq!(news(&store, known).await.changes, Some(vec![one.clone()]));
    let known = now(&store).await;
    let uid = identity.uid.clone();
    kit::write(&store, |tx| Box::pin(async move { rows::delete::<Identity>(tx, &uid).await })).await.expect("goes");
    assert_eq!(news(&store, known).await.changes, Some(vec![one]));
    let known = now(&store).await;
    kit::write(&store, |tx| Box::pin(async move { signing_keys::delete(tx, "unknown").await })).await.expect("nothing to do");
    assert_eq!(news(&store, known).await.changes, Some(Vec::new()));
}

/// A group takes the bindings at it along, and with them the rights of whoever had them.
pub(crate) async fn a_group_that_goes_is_told_about_its_identities(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, .. } = kit::bound(&store).await;
    let folder = kit::add(&store, kit::group(kit::child(&org.uid, 50), "folder")).await;
    kit::add(&store, kit::binding(kit::child(&folder.uid, 51), &identity.uid, &role.uid)).await;
    let known = now(&store).await;
    kit::write(&store, |tx| Box::pin(async move { rows::delete::<Group>(tx, &folder.uid).await })).await.expect("goes");
    assert_eq!(news(&store, known).await.changes, Some(vec![(Noun::Identity, identity.uid.to_string())]));
}

async fn may_be_given_since(store: &Store, role: &Uidp, since: Position) -> bool {
    standings::may_be_given_since(&mut store.reader().await.expect("reads"), role, since).await.expect("reads")
}

/// Every binding that a role gets is noticed, whoever makes it, and no other one, as long as not too much has changed.
pub(crate) async fn a_role_that_is_bound_is_noticed(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let before = now(&store).await;
    let kit::Bound { org, identity, role, binding } = kit::bound(&store).await;
    let other = kit::add(&store, kit::role(kit::child(&org.uid, 4), "other", &["repo.list"])).await;
    let bound = async |role: &Uidp, since| may_be_given_since(&store, role, since).await;
    assert_eq!((bound(&role.uid, before).await, bound(&other.uid, before).await), (true, false));

    let known = now(&store).await;
    assert_eq!((bound(&role.uid, known).await, bound(&other.uid, known).await), (false, false));
    let elsewhere = Position { server: known.server + 1, ..known };
    assert!(bound(&role.uid, elsewhere).await, "another server may have lost what this one has acknowledged");
    let more = kit::add(&store, kit::binding(kit::child(&org.uid, 5), &identity.uid, &role.uid)).await;
    assert_eq!((bound(&role.uid, known).await, bound(&other.uid, known).await), (true, false));
    kit::write(&store, |tx| Box::pin(async move { rows::delete::<RoleBinding>(tx, &more.uid).await })).await.expect("goes");
    assert!(!bound(&role.uid, known).await, "it is bound nowhere else than before");

    let known = now(&store).await;
    let (from, mut moved) = (binding.clone(), binding.clone());
    moved.spec.role = other.uid.clone();
    kit::write(&store, |tx| Box::pin(async move { rows::update(tx, &from, &moved).await })).await.expect("moves");
    assert_eq!((bound(&role.uid, known).await, bound(&other.uid, known).await), (false, true));

    let known = now(&store).await;
    let provider = kit::identity_provider(kit::child(&org.uid, 6), "login", &role.uid);
    kit::add(&store, provider).await;
    assert_eq!((bound(&role.uid, known).await, bound(&other.uid, known).await), (true, false), "by an identity provider, too");

    // A write sees what it has done itself, and what others of its commit have.
    let known = now(&store).await;
    let tasks: Vec<_> = (0..8)
        .map(|number| {
            let (store, binding) = (store.clone(), kit::binding(kit::child(&org.uid, 100 + number), &identity.uid, &role.uid));
            tokio::spawn(async move {
                let seen = kit::write(&store, move |tx| {
                    Box::pin(async move {
                        let before = standings::may_be_given_since(tx, &binding.spec.role, known).await?;
                        rows::insert(tx, &binding).await?;
                        Ok(before)
                    })
                });
                seen.await.expect("writes")
            })
        })
        .collect();
    let mut unaware = 0;
    for task in tasks {
        unaware += usize::from(!task.await.expect("no panic"));
    }
    assert_eq!(unaware, 1, "the first one alone");

    // With more than is looked through, whatever it is, nothing is certain.
    let known = now(&store).await;
    let add = |first: u64, count: u64| {
        let parent = org.uid.clone();
        kit::write(&store, move |tx| {
            Box::pin(async move {
                for number in first..first + count {
                    rows::insert(tx, &kit::identity(kit::child(&parent, number), "robot")).await?;
                }
                Ok(())
            })
        })
    };
    add(10_000, 2_000).await.expect("written");
    add(20_000, 2_000).await.expect("written");
    assert!(!bound(&role.uid, known).await);
    add(30_000, 1).await.expect("written");
    assert!(bound(&role.uid, known).await);
}

pub(crate) async fn much_news_is_told_in_steps(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let before = now(&store).await;
    let add = |first: u64, count: u64| {
        let parent = org.uid.clone();
        kit::write(&store, move |tx| {
            Box::pin(async move {
                for number in first..first + count {
                    rows::insert(tx, &kit::identity(kit::child(&parent, number), "robot")).await?;
                }
                Ok(())
            })
        })
    };
    let told = |news: &News| (news.more, news.changes.as_ref().map(Vec::len));
    add(100, 600).await.expect("written");
    let first = now(&store).await;
    add(1_000, 400).await.expect("written");
    assert_eq!(told(&news(&store, before).await), (false, Some(1_000)));
    add(2_000, 1).await.expect("written");
    // One more than are told at once: what is told ends with a commit.
    let step = news(&store, before).await;
    assert_eq!(told(&step), (true, Some(1_000)));
    assert_eq!(told(&news(&store, step.at).await), (false, Some(1)));
    add(3_000, 600).await.expect("written");
    let step = news(&store, first).await;
    assert_eq!(told(&step), (true, Some(401)), "the commit that does not fit is not told by half");
    let rest = news(&store, step.at).await;
    assert_eq!((rest.at, told(&rest)), (now(&store).await, (false, Some(600))));

    // More in one commit than is worth telling.
    let known = now(&store).await;
    add(4_000, 1_001).await.expect("written");
    let at = now(&store).await;
    assert_eq!(news(&store, known).await, News { at, more: false, changes: None });
    assert_eq!(news(&store, at).await, News { at, more: false, changes: Some(Vec::new()) });
    // Whoever has missed many commits goes from one to the next.
    let far = Position { revision: Revision(at.revision.0 - 25_000), ..at };
    let step = news(&store, far).await;
    assert_eq!((step.at.revision.0, step.more), (far.revision.0 + 10_000, true));
    // Whoever is ahead of this server, or knows another one, knows nothing.
    let ahead = Position { revision: Revision(at.revision.0 + 1), ..at };
    let elsewhere = Position { server: at.server + 1, ..at };
    for known in [ahead, elsewhere] {
        assert_eq!(news(&store, known).await, News { at, more: false, changes: None }, "{known:?}");
    }
}

/// What is said without asking the database is never behind what was answered, and never ahead of what is durable.
pub(crate) async fn what_is_published_is_the_last_commit(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let Some(first) = store.published() else { return };
    let org = kit::org(&store, 1).await;
    assert!(org.revision > first);
    assert_eq!(store.published(), Some(org.revision));
    let trial = Ctx { validate_only: true, ..kit::ctx() };
    let group = kit::group(kit::root(2), "trial");
    store.write(&trial, move |tx| Box::pin(async move { rows::insert(tx, &group).await })).await.expect("is tried");
    let tried = store.published();
    assert!(tried > Some(org.revision), "the number of a trial is not given again");
    assert_eq!(tried, Some(now(&store).await.revision), "and nobody is behind for it");
    let refused = kit::group(org.uid.clone(), "again");
    kit::write(&store, move |tx| Box::pin(async move { rows::insert(tx, &refused).await })).await.expect_err("it is there");
    assert_eq!(store.published(), tried);
    let next = kit::org(&store, 3).await;
    assert_eq!(store.published(), Some(next.revision));
    assert_eq!(store.published(), Some(now(&store).await.revision));
}
