//! Every function of every noun.

use std::{collections::BTreeSet, ops::ControlFlow};

use domain::{
    Description, Error, Grant, Kind, Name, Noun, Place, Revision, Rule, Timestamp, Uidp,
    iam::{OrgKind, OrgStatus, RelationshipType, RoleBindingView},
    registry::{CustomOverlay, SyncConfig},
};
use store::{
    Store,
    iam::{account_associations, groups, identities, identity_providers, role_bindings, roles, standings},
    registry::{repos, tags},
    signing_keys::{self, SigningKey},
};

use super::{Engine, kit};

macro_rules! get {
    ($store:expr, $module:ident, $uid:expr) => {
        $module::get(&mut $store.reader().await.expect("reads"), $uid).await.expect("reads")
    };
}

macro_rules! change {
    ($store:expr, $module:ident :: update, $row:expr) => {{
        let row = $row.clone();
        $store
            .write(&kit::at(60), move |tx| {
                Box::pin(async move {
                    let from = $module::get(tx, &row.uid).await?.unwrap_or_else(|| row.clone());
                    $module::update(tx, &from, &row).await
                })
            })
            .await
    }};
    ($store:expr, $module:ident :: $verb:ident, $row:expr) => {{
        let row = $row.clone();
        $store.write(&kit::at(60), move |tx| Box::pin(async move { $module::$verb(tx, &row).await })).await
    }};
}

fn refused<T: std::fmt::Debug>(outcome: Result<T, Error>) -> (Kind, Rule) {
    let error = outcome.expect_err("is refused");
    (error.kind(), error.rule())
}

pub(crate) async fn groups_are_kept(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    assert!(org.revision > Revision(0));
    assert_eq!(get!(store, groups, &org.uid), Some(org.clone()));
    assert_eq!(get!(store, groups, &kit::root(9)), None);

    let mut wish = org.clone();
    wish.spec.name = Name::trusted("renamed");
    wish.spec.description = Description::trusted("Ünïcode 'quoted'");
    wish.created_at = Timestamp(0);
    let changed = change!(store, groups::update, wish).expect("is changed");
    assert_eq!((changed.created_at, changed.updated_at), (kit::NOW, kit::NOW.plus_seconds(60)));
    assert!(changed.revision > org.revision);
    assert_eq!(changed.spec, wish.spec);
    assert_eq!(get!(store, groups, &org.uid), Some(changed));

    assert!(change!(store, groups::delete, org.uid).expect("goes"));
    assert!(!change!(store, groups::delete, org.uid).expect("is gone"));
    assert_eq!(get!(store, groups, &org.uid), None);
}

pub(crate) async fn folders_show_their_organizations_kind_and_status(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let mut org = kit::group(kit::root(1), "org");
    org.spec.kind = OrgKind::Customer;
    let mut org = kit::add_group(&store, org).await;
    let folder = kit::add_group(&store, kit::group(kit::child(&org.uid, 1), "folder")).await;
    let below = kit::add_group(&store, kit::group(kit::child(&folder.uid, 1), "below")).await;
    assert_eq!([folder.spec.kind, below.spec.kind], [OrgKind::Customer; 2]);

    (org.spec.kind, org.status) = (OrgKind::Infra, OrgStatus::Suspended);
    let org = change!(store, groups::update, org).expect("is changed");
    for uid in [&folder.uid, &below.uid] {
        let shown = get!(store, groups, uid).expect("is there");
        assert_eq!((shown.spec.kind, shown.status, shown.revision), (OrgKind::Infra, OrgStatus::Suspended, org.revision));
    }

    let mut wish = folder.clone();
    (wish.spec.kind, wish.status) = (OrgKind::Dev, OrgStatus::Initializing);
    let kept = change!(store, groups::update, wish).expect("is changed");
    assert_eq!((kept.spec.kind, kept.status), (OrgKind::Infra, OrgStatus::Suspended));
}

pub(crate) async fn verified_organizations_have_names_of_their_own(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let mut verified = kit::group(kit::root(1), "example.com");
    verified.spec.verified = true;
    kit::add_group(&store, verified.clone()).await;
    let other = kit::add_group(&store, kit::group(kit::root(2), "example.com")).await;

    let mut wish = other.clone();
    wish.spec.verified = true;
    assert_eq!(refused(change!(store, groups::update, wish)), (Kind::AlreadyExists, Rule::NameTaken));
    wish.uid = kit::root(3);
    assert_eq!(refused(change!(store, groups::insert, wish)), (Kind::AlreadyExists, Rule::NameTaken));
    assert_eq!(get!(store, groups, &other.uid), Some(other));
}

pub(crate) async fn groups_with_something_inside_stay(engine: &impl Engine) {
    async fn blocker(store: &Store, uid: &domain::Uidp) -> Option<String> {
        let trial = domain::Ctx { validate_only: true, ..kit::at(60) };
        let uid = uid.clone();
        let error = store.write(&trial, move |tx| Box::pin(async move { groups::delete(tx, &uid).await })).await.err()?;
        assert_eq!((error.kind(), error.rule()), (Kind::FailedPrecondition, Rule::NotEmpty));
        error.message().strip_prefix("Precondition failed: cannot delete group with ").map(str::to_owned)
    }
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, .. } = kit::bound(&store).await;
    let folder = kit::add_group(&store, kit::group(kit::child(&org.uid, 9), "folder")).await;
    let repo = kit::add_repo(&store, kit::repo(kit::child(&org.uid, 10), "repo")).await;
    let provider = kit::identity_provider(kit::child(&org.uid, 12), "login", &role.uid);
    let provider = kit::add_identity_provider(&store, provider).await;

    assert_eq!(blocker(&store, &org.uid).await.as_deref(), Some("child groups"));
    assert_eq!(blocker(&store, &folder.uid).await, None);
    assert!(change!(store, groups::delete, folder.uid).expect("goes"));
    assert_eq!(blocker(&store, &org.uid).await.as_deref(), Some("child repos"));
    assert!(change!(store, repos::delete, repo.uid).expect("goes"));
    assert_eq!(blocker(&store, &org.uid).await.as_deref(), Some("child identities"));
    assert!(change!(store, identities::delete, identity.uid).expect("goes"));
    assert_eq!(blocker(&store, &org.uid).await.as_deref(), Some("child roles"));
    assert_eq!(refused(change!(store, roles::delete, role.uid)), (Kind::FailedPrecondition, Rule::RoleBound));
    assert!(change!(store, identity_providers::delete, provider.uid).expect("goes"));
    assert!(change!(store, roles::delete, role.uid).expect("goes"));
    // What remains goes with it: the binding of a user, who lives elsewhere, to a built-in role.
    let user = kit::add_identity(&store, kit::identity(kit::root(7), "user")).await;
    let built_in = kit::add_role(&store, kit::role(kit::root(8), "viewer", &["groups.list"])).await;
    let binding = kit::add_binding(&store, kit::binding(kit::child(&org.uid, 11), &user.uid, &built_in.uid)).await;
    assert_eq!(blocker(&store, &org.uid).await, None);
    assert!(change!(store, groups::delete, org.uid).expect("goes"));
    assert_eq!(get!(store, role_bindings, &binding.uid), None);
}

pub(crate) async fn identities_are_kept(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let uid = domain::iam::identity::user_uid("https://issuer.example", "someone");
    let user = kit::add_identity(&store, kit::identity(uid, "user")).await;
    let mut reader = store.reader().await.expect("reads");
    let found = identities::find_user(&mut reader, "https://issuer.example", "someone").await.expect("reads");
    assert_eq!(found, Some(user.clone()));
    assert_eq!(identities::find_user(&mut reader, "https://issuer.example", "else").await.expect("reads"), None);
    drop(reader);
    assert_eq!(refused(change!(store, identities::insert, user)).0, Kind::AlreadyExists);

    let mut wish = user.clone();
    wish.spec.name = Name::trusted("other");
    (wish.email, wish.email_unverified) = (None, Some("b@example.com".to_owned()));
    wish.last_seen_at = Timestamp(1);
    let changed = change!(store, identities::update, wish).expect("is changed");
    assert_eq!(changed.last_seen_at, user.last_seen_at);
    assert_eq!(changed.email_unverified.as_deref(), Some("b@example.com"));
    assert_eq!(get!(store, identities, &user.uid), Some(changed));
    assert!(change!(store, identities::delete, user.uid).expect("goes"));
    assert!(!change!(store, identities::delete, user.uid).expect("is gone"));
}

pub(crate) async fn a_new_relationship_counts_up(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let robot = kit::add_identity(&store, kit::identity(kit::child(&org.uid, 1), "robot")).await;
    let renamed = change!(store, identities::update, robot).expect("is changed");
    assert_eq!(renamed.relationship_revision, 1);
    let mut wish = renamed;
    wish.spec.relationship = kit::claim_match("https://issuer.example", "another");
    let changed = change!(store, identities::update, wish).expect("is changed");
    assert_eq!(changed.relationship_revision, 2);
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(identities::relationship_revision(&mut reader, &robot.uid).await.expect("reads"), Some(2));
    assert_eq!(identities::relationship_revision(&mut reader, &kit::root(5)).await.expect("reads"), None);
    let filter = |kind| kit::everything(identities::IdentityFilter { name: None, relationship_type: Some(kind) });
    let total = async |reader: &mut _, kind| identities::list(reader, &filter(kind)).await.expect("lists").total;
    assert_eq!(total(&mut reader, RelationshipType::ClaimMatch).await, 1);
    assert_eq!(total(&mut reader, RelationshipType::StaticKeys).await, 0);
}

pub(crate) async fn identities_take_their_bindings_along(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { identity, role, binding, .. } = kit::bound(&store).await;
    assert!(change!(store, identities::delete, identity.uid).expect("goes"));
    assert_eq!(get!(store, role_bindings, &binding.uid), None);
    let mut reader = store.reader().await.expect("reads");
    assert!(!roles::is_bound(&mut reader, &role.uid).await.expect("reads"));
    let left = role_bindings::list(&mut reader, &kit::everything(role_bindings::RoleBindingFilter::default())).await;
    assert_eq!(left.expect("lists").total, 0);
}

pub(crate) async fn roles_are_kept(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let role = kit::add_role(&store, kit::role(kit::child(&org.uid, 1), "reader", &["groups.list"])).await;
    assert_eq!(get!(store, roles, &role.uid), Some(role.clone()));
    let mut wish = role.clone();
    wish.spec.capabilities = domain::CapabilitySet::from_names(["repo.list", "repo.create"]);
    let changed = change!(store, roles::update, wish).expect("is changed");
    assert_eq!(changed.spec.capabilities.names(), ["repo.create", "repo.list"]);
    assert_eq!(get!(store, roles, &role.uid), Some(changed));
    assert!(change!(store, roles::delete, role.uid).expect("goes"));
    assert!(!change!(store, roles::delete, role.uid).expect("is gone"));
}

pub(crate) async fn bound_roles_stay(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, binding } = kit::bound(&store).await;
    assert_eq!(refused(change!(store, roles::delete, role.uid)), (Kind::FailedPrecondition, Rule::RoleBound));
    let folder = kit::add_group(&store, kit::group(kit::child(&org.uid, 9), "folder")).await;
    for n in [1, 2] {
        kit::add_binding(&store, kit::binding(kit::child(&folder.uid, n), &identity.uid, &role.uid)).await;
    }
    assert_eq!(bound_at(&store, &role.uid, usize::MAX).await, [org.uid], "which has the folder in it");
    assert!(change!(store, role_bindings::delete, binding.uid).expect("goes"));
    assert_eq!(bound_at(&store, &role.uid, usize::MAX).await, [folder.uid], "once for both");
    assert!(change!(store, identities::delete, identity.uid).expect("goes"));
    assert!(change!(store, roles::delete, role.uid).expect("goes"));
}

pub(crate) async fn identity_providers_are_kept(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, role, .. } = kit::bound(&store).await;
    let provider = kit::identity_provider(kit::child(&org.uid, 9), "login", &role.uid);
    let made = kit::add_identity_provider(&store, provider).await;
    assert_eq!(get!(store, identity_providers, &made.uid), Some(made.clone()), "with its secret, as it was sealed");
    let default_at = async |role: &Uidp| roles::default_at(&mut store.reader().await.expect("reads"), role).await.expect("reads");
    assert_eq!(default_at(&role.uid).await, Some(org.uid.clone()));

    let other = kit::add_role(&store, kit::role(kit::child(&org.uid, 4), "other", &["repo.list"])).await;
    let mut wish = made.clone();
    (wish.spec.default_role, wish.spec.oidc.client_secret) = (other.uid.clone(), None);
    wish.spec.oidc.additional_scopes.reverse();
    let changed = change!(store, identity_providers::update, wish).expect("is changed");
    assert_eq!(changed.spec, wish.spec);
    assert_eq!(get!(store, identity_providers, &made.uid), Some(changed));
    assert_eq!((default_at(&role.uid).await, default_at(&other.uid).await), (None, Some(org.uid.clone())));

    wish.spec.default_role = kit::child(&org.uid, 99);
    assert_eq!(refused(change!(store, identity_providers::update, wish)), (Kind::FailedPrecondition, Rule::NoSuchResource));
    wish.uid = kit::child(&org.uid, 10);
    assert_eq!(refused(change!(store, identity_providers::insert, wish)), (Kind::FailedPrecondition, Rule::NoSuchResource));
    assert!(change!(store, identity_providers::delete, made.uid).expect("goes"));
    assert!(!change!(store, identity_providers::delete, made.uid).expect("is gone"));
}

/// Where the role is bound, up to so many places.
async fn bound_at(store: &Store, role: &Uidp, most: usize) -> Vec<Uidp> {
    let (mut reader, mut places) = (store.reader().await.expect("reads"), Vec::new());
    let visit = |place| {
        places.push(place);
        if places.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break("enough") }
    };
    let broken = roles::bound_at(&mut reader, role, visit).await.expect("reads");
    assert_eq!(broken.is_some(), places.len() >= most);
    assert!(roles::get(&mut reader, role).await.expect("reads on").is_some());
    places
}

/// Each group where a role is bound is shown, or is below one that is.
pub(crate) async fn a_role_is_bound_at_or_below_what_is_shown(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, .. } = kit::bound(&store).await;
    let other = kit::add_role(&store, kit::role(kit::child(&org.uid, 4), "other", &["repo.list"])).await;
    let mut folders = vec![org.uid.clone()];
    // Twelve in each of the first sixteen, with bindings before, between and behind them in byte order.
    for number in 0..16 * 12_u64 {
        let parent = folders[usize::try_from(number / 12).expect("few")].clone();
        folders.push(kit::add_group(&store, kit::group(kit::child(&parent, 100 + number * 7), "folder")).await.uid);
    }
    for step in [3_usize, 5, 17, 40] {
        let bound = kit::add_role(&store, kit::role(kit::child(&org.uid, step as u64 + 10_000), "bound", &["repo.list"])).await;
        assert_eq!(bound_at(&store, &bound.uid, usize::MAX).await, []);
        let places: Vec<Uidp> = folders.iter().skip(step).step_by(step).cloned().collect();
        for (number, place) in (0_u64..).zip(&places) {
            for twice in 0..2 {
                let uid = kit::child(place, 20_000 * (number % 2) + number * 2 + twice + step as u64 * 1_000);
                kit::add_binding(&store, kit::binding(uid, &identity.uid, &bound.uid)).await;
            }
        }
        let shown = bound_at(&store, &bound.uid, usize::MAX).await;
        let each: BTreeSet<&Uidp> = shown.iter().collect();
        assert_eq!(each.len(), shown.len(), "each once: {shown:?}");
        assert!(shown.iter().all(|place| places.contains(place)), "where it is bound: {shown:?}");
        for place in &places {
            assert!(shown.iter().any(|shown| shown.contains(place)), "{place} is missing in {shown:?}");
        }
        assert_eq!(bound_at(&store, &bound.uid, 1).await, shown[..1]);
    }
    assert_eq!(bound_at(&store, &role.uid, usize::MAX).await, [org.uid]);
    assert_eq!(bound_at(&store, &other.uid, usize::MAX).await, []);
}

pub(crate) async fn built_in_roles_follow_the_server(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let mut viewer = kit::role(kit::root(1), "viewer", &["groups.list"]);
    assert!(change!(store, roles::upsert_built_in, viewer).expect("is added"));
    let first = get!(store, roles, &viewer.uid).expect("is there");
    assert!(!change!(store, roles::upsert_built_in, viewer).expect("is the same"));
    assert_eq!(get!(store, roles, &viewer.uid), Some(first.clone()));
    viewer.spec.capabilities = domain::CapabilitySet::from_names(["groups.list", "repo.list"]);
    assert!(change!(store, roles::upsert_built_in, viewer).expect("is changed"));
    let second = get!(store, roles, &viewer.uid).expect("is there");
    assert_eq!((second.spec, second.created_at), (viewer.spec, first.created_at));
    assert!(second.revision > first.revision);
}

pub(crate) async fn bindings_are_kept_and_hydrated(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, binding } = kit::bound(&store).await;
    assert_eq!(get!(store, role_bindings, &binding.uid), Some(binding.clone()));
    let whole = RoleBindingView { binding: binding.clone(), identity: identity.clone(), group: org.clone(), role: role.clone() };
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(role_bindings::view(&mut reader, &binding.uid).await.expect("reads"), Some(whole.clone()));
    let uids = [kit::child(&org.uid, 99), binding.uid.clone()];
    assert_eq!(role_bindings::views(&mut reader, &uids).await.expect("reads"), vec![whole.clone()]);
    let filter = role_bindings::RoleBindingFilter { identity: Some(identity.uid.clone()), group: None, role: None };
    let listed = role_bindings::list_views(&mut reader, &kit::everything(filter)).await.expect("lists");
    assert_eq!((listed.items, listed.total), (vec![whole], 1));
    drop(reader);

    let other = kit::add_role(&store, kit::role(kit::child(&org.uid, 20), "other", &["repo.list"])).await;
    let mut wish = binding.clone();
    wish.spec.role = other.uid.clone();
    let changed = change!(store, role_bindings::update, wish).expect("is changed");
    assert_eq!((&changed.spec.role, changed.updated_at), (&other.uid, kit::NOW.plus_seconds(60)));
    assert_eq!(get!(store, role_bindings, &binding.uid), Some(changed));
    assert!(change!(store, role_bindings::delete, binding.uid).expect("goes"));
    assert!(!change!(store, role_bindings::delete, binding.uid).expect("is gone"));
}

pub(crate) async fn bindings_to_nothing_are_refused(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, binding } = kit::bound(&store).await;
    let nowhere = (Kind::FailedPrecondition, Rule::NoSuchResource);
    let uid = kit::child(&org.uid, 30);
    assert_eq!(refused(change!(store, role_bindings::insert, kit::binding(uid.clone(), &kit::root(9), &role.uid))), nowhere);
    assert_eq!(refused(change!(store, role_bindings::insert, kit::binding(uid, &identity.uid, &kit::root(9)))), nowhere);
    let mut wish = binding.clone();
    wish.spec.role = kit::root(9);
    assert_eq!(refused(change!(store, role_bindings::update, wish)), nowhere);
    assert_eq!(get!(store, role_bindings, &binding.uid), Some(binding));
}

pub(crate) async fn grants_follow_bindings(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, binding } = kit::bound(&store).await;
    let grants =
        async || role_bindings::grants_of(&mut store.reader().await.expect("reads"), &identity.uid).await.expect("reads");
    let grant = Grant { at: Place::At(org.uid.clone()), capabilities: role.spec.capabilities };
    assert_eq!(grants().await, [grant]);
    assert!(change!(store, role_bindings::delete, binding.uid).expect("goes"));
    assert_eq!(grants().await, []);
}

pub(crate) async fn repos_are_kept(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let mut repo = kit::repo(kit::child(&org.uid, 1), "repo");
    repo.spec.sync_config = Some(SyncConfig {
        source: kit::child(&org.uid, 2),
        unique_tags: true,
        expires_at: kit::NOW,
        google: String::new(),
        amazon: "a".to_owned(),
        azure: String::new(),
        apko_overlay: String::new(),
        grace_period: false,
    });
    let repo = kit::add_repo(&store, repo).await;
    assert_eq!(get!(store, repos, &repo.uid), Some(repo.clone()));
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(repos::find(&mut reader, &org.uid, "repo").await.expect("reads"), Some(repo.clone()));
    assert_eq!(repos::find(&mut reader, &org.uid, "other").await.expect("reads"), None);
    drop(reader);
    let mut wish = repo.clone();
    wish.spec.sync_config = None;
    wish.spec.custom_overlay =
        Some(CustomOverlay { environment: [("A".to_owned(), "b".to_owned())].into(), ..CustomOverlay::default() });
    let changed = change!(store, repos::update, wish).expect("is changed");
    assert_eq!(changed.spec, wish.spec);
    assert_eq!(get!(store, repos, &repo.uid), Some(changed));
    assert!(change!(store, repos::delete, repo.uid).expect("goes"));
    assert!(!change!(store, repos::delete, repo.uid).expect("is gone"));
}

pub(crate) async fn repo_names_are_unique_within_their_group(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let (a, b) = (kit::org(&store, 1).await, kit::org(&store, 2).await);
    kit::add_repo(&store, kit::repo(kit::child(&a.uid, 1), "repo")).await;
    kit::add_repo(&store, kit::repo(kit::child(&b.uid, 1), "repo")).await;
    let taken = (Kind::AlreadyExists, Rule::NameTaken);
    assert_eq!(refused(change!(store, repos::insert, kit::repo(kit::child(&a.uid, 2), "repo"))), taken);
    let mut other = kit::add_repo(&store, kit::repo(kit::child(&a.uid, 2), "other")).await;
    other.spec.name = Name::trusted("repo");
    assert_eq!(refused(change!(store, repos::update, other)), taken);
    assert_eq!(get!(store, repos, &other.uid).map(|repo| repo.spec.name), Some(Name::trusted("other")));
}

pub(crate) async fn signing_keys_are_kept(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let key = |kid: &str, at: i64| SigningKey {
        kid: kid.to_owned(),
        algorithm: "ES256".to_owned(),
        private_key: vec![0, 255, 7],
        public_jwk: "{}".to_owned(),
        created_at: Timestamp(at),
        not_before_at: Timestamp(at),
        retired_at: None,
        revision: Revision(0),
    };
    let list = async || signing_keys::list(&mut store.reader().await.expect("reads")).await.expect("reads");
    // Which keys there are is told with anybody's standing.
    let marks = async || {
        let told = get!(store, standings, &kit::root(9)).keys;
        assert_eq!(told, list().await.into_iter().map(|key| (key.kid, key.revision)).collect());
        told
    };
    assert!(marks().await.is_empty());
    let old = change!(store, signing_keys::insert, key("old", 1)).expect("is added");
    let new = change!(store, signing_keys::insert, key("new", 2)).expect("is added");
    assert!(new.revision > old.revision);
    assert_eq!(list().await, [new.clone(), old.clone()]);
    let before = marks().await;
    assert!(kit::write(&store, |tx| Box::pin(signing_keys::retire(tx, "old", Timestamp(5)))).await.expect("retires"));
    assert_eq!(list().await[1].retired_at, Some(Timestamp(5)));
    assert_ne!(marks().await, before);
    assert!(kit::write(&store, |tx| Box::pin(signing_keys::delete(tx, "old"))).await.expect("goes"));
    assert!(!kit::write(&store, |tx| Box::pin(signing_keys::delete(tx, "old"))).await.expect("is gone"));
    assert!(!kit::write(&store, |tx| Box::pin(signing_keys::retire(tx, "old", Timestamp(5)))).await.expect("is gone"));
    assert_eq!(list().await, [new]);
    assert_eq!(marks().await.len(), 1);
}

pub(crate) async fn nothing_lives_below_a_missing_group(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, .. } = kit::bound(&store).await;
    let below = kit::child(&kit::child(&org.uid, 77), 1);
    let missing = (Kind::NotFound, Rule::NoSuchResource);
    assert_eq!(refused(change!(store, groups::insert, kit::group(below.clone(), "a"))), missing);
    assert_eq!(refused(change!(store, identities::insert, kit::identity(below.clone(), "a"))), missing);
    assert_eq!(refused(change!(store, roles::insert, kit::role(below.clone(), "a", &[]))), missing);
    assert_eq!(refused(change!(store, repos::insert, kit::repo(below.clone(), "a"))), missing);
    assert_eq!(refused(change!(store, role_bindings::insert, kit::binding(below, &identity.uid, &role.uid))), missing);
}

/// Indexes hold two identifiers and a name in a row, and engines limit the length of that.
pub(crate) async fn the_deepest_level_takes_every_noun(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    // Nothing that could be compressed.
    let odd = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(29);
    let name = (1000..1016).map(|n| format!("{:016x}", odd(n))).collect::<Vec<_>>().concat();
    let name = &name[..Name::MAX_LEN];
    let mut group = kit::org(&store, odd(1)).await;
    while group.uid.as_str().len() + 2 * (1 + Uidp::CHILD_LEN) <= Uidp::MAX_LEN {
        group = kit::add_group(&store, kit::group(kit::child(&group.uid, odd(group.uid.as_str().len() as u64)), name)).await;
    }
    kit::add_group(&store, kit::group(kit::child(&group.uid, odd(2)), name)).await;
    let identity = kit::add_identity(&store, kit::identity(kit::child(&group.uid, odd(3)), name)).await;
    let role = kit::add_role(&store, kit::role(kit::child(&group.uid, odd(4)), name, &["groups.list"])).await;
    kit::add_binding(&store, kit::binding(kit::child(&group.uid, odd(5)), &identity.uid, &role.uid)).await;
    kit::add_repo(&store, kit::repo(kit::child(&group.uid, odd(6)), name)).await;
    kit::add_account_association(&store, kit::account_association(kit::child(&group.uid, odd(2)), name)).await;
}

pub(crate) async fn updates_of_what_is_not_there_are_refused(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let uid = kit::child(&kit::root(1), 1);
    for (noun, outcome) in [
        (Noun::Group, change!(store, groups::update, kit::group(uid.clone(), "a")).map(|_| ())),
        (Noun::Identity, change!(store, identities::update, kit::identity(uid.clone(), "a")).map(|_| ())),
        (Noun::Role, change!(store, roles::update, kit::role(uid.clone(), "a", &[])).map(|_| ())),
        (Noun::RoleBinding, change!(store, role_bindings::update, kit::binding(uid.clone(), &uid, &uid)).map(|_| ())),
        (
            Noun::IdentityProvider,
            change!(store, identity_providers::update, kit::identity_provider(uid.clone(), "a", &uid)).map(|_| ()),
        ),
        (
            Noun::AccountAssociation,
            change!(store, account_associations::update, kit::account_association(uid.clone(), "a")).map(|_| ()),
        ),
        (Noun::Repo, change!(store, repos::update, kit::repo(uid.clone(), "a")).map(|_| ())),
        (Noun::Tag, change!(store, tags::update, kit::tag(uid.clone(), "a")).map(|_| ())),
    ] {
        let error = outcome.expect_err("is refused");
        assert_eq!(error.kind(), Kind::NotFound);
        assert_eq!(error.message(), format!("{} {uid} not found", noun.title()));
    }
}
