//! Every function of every noun.

use std::{collections::BTreeSet, ops::ControlFlow};

use domain::{
    Description, Error, Grant, Kind, Name, Noun, Place, Revision, Rule, Timestamp, Uidp,
    iam::{
        Group, Identity, IdentityProvider, OrgKind, OrgStatus, PreviousToken, RelationshipType, Role, RoleBinding,
        RoleBindingView, Scim, ScimDigest,
    },
    registry::{CustomOverlay, Repo, SyncConfig},
};
use store::{
    Store, Stored,
    iam::{identities, identity_providers, role_bindings, roles, standings},
    registry::repos,
    rows,
    signing_keys::{self, SigningKey},
};

use super::{Engine, kit};

async fn get<T: Stored>(store: &Store, uid: &Uidp) -> Option<T> {
    rows::get(&mut store.reader().await.expect("reads"), uid).await.expect("reads")
}

async fn insert<T: Stored>(store: &Store, row: &T) -> Result<T, Error> {
    let row = row.clone();
    store.write(&kit::at(60), move |tx| Box::pin(async move { rows::insert(tx, &row).await })).await
}

async fn update<T: Stored>(store: &Store, uid: &Uidp, row: &T) -> Result<T, Error> {
    let (uid, row) = (uid.clone(), row.clone());
    store
        .write(&kit::at(60), move |tx| {
            Box::pin(async move {
                let from = rows::get(tx, &uid).await?.unwrap_or_else(|| row.clone());
                rows::update(tx, &from, &row).await
            })
        })
        .await
}

async fn delete<T: Stored>(store: &Store, uid: &Uidp) -> Result<bool, Error> {
    let uid = uid.clone();
    store.write(&kit::at(60), move |tx| Box::pin(async move { rows::delete::<T>(tx, &uid).await })).await
}

async fn upsert_built_in(store: &Store, role: &Role) -> bool {
    let role = role.clone();
    kit::write(store, |tx| Box::pin(async move { roles::upsert_built_in(tx, &role).await })).await.expect("is stored")
}

async fn insert_key(store: &Store, key: SigningKey) -> SigningKey {
    kit::write(store, |tx| Box::pin(async move { signing_keys::insert(tx, &key).await })).await.expect("is added")
}

fn refused<T: std::fmt::Debug>(outcome: Result<T, Error>) -> (Kind, Rule) {
    let error = outcome.expect_err("is refused");
    (error.kind(), error.rule())
}

pub(crate) async fn groups_are_kept(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    assert!(org.revision > Revision(0));
    assert_eq!(get::<Group>(&store, &org.uid).await, Some(org.clone()));
    assert_eq!(get::<Group>(&store, &kit::root(9)).await, None);

    let mut wish = org.clone();
    wish.spec.name = Name::trusted("renamed");
    wish.spec.description = Description::trusted("Ünïcode 'quoted'");
    wish.created_at = Timestamp(0);
    let changed = update(&store, &wish.uid, &wish).await.expect("is changed");
    assert_eq!((changed.created_at, changed.updated_at), (kit::NOW, kit::NOW.plus_seconds(60)));
    assert!(changed.revision > org.revision);
    assert_eq!(changed.spec, wish.spec);
    assert_eq!(get::<Group>(&store, &org.uid).await, Some(changed));

    assert!(delete::<Group>(&store, &org.uid).await.expect("goes"));
    assert!(!delete::<Group>(&store, &org.uid).await.expect("is gone"));
    assert_eq!(get::<Group>(&store, &org.uid).await, None);
}

pub(crate) async fn folders_show_their_organizations_kind_and_status(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let mut org = kit::group(kit::root(1), "org");
    org.spec.kind = OrgKind::Customer;
    let mut org = kit::add(&store, org).await;
    let folder = kit::add(&store, kit::group(kit::child(&org.uid, 1), "folder")).await;
    let below = kit::add(&store, kit::group(kit::child(&folder.uid, 1), "below")).await;
    assert_eq!([folder.spec.kind, below.spec.kind], [OrgKind::Customer; 2]);

    (org.spec.kind, org.status) = (OrgKind::Infra, OrgStatus::Suspended);
    let org = update(&store, &org.uid, &org).await.expect("is changed");
    for uid in [&folder.uid, &below.uid] {
        let shown = get::<Group>(&store, uid).await.expect("is there");
        assert_eq!((shown.spec.kind, shown.status, shown.revision), (OrgKind::Infra, OrgStatus::Suspended, org.revision));
    }

    let mut wish = folder.clone();
    (wish.spec.kind, wish.status) = (OrgKind::Dev, OrgStatus::Initializing);
    let kept = update(&store, &wish.uid, &wish).await.expect("is changed");
    assert_eq!((kept.spec.kind, kept.status), (OrgKind::Infra, OrgStatus::Suspended));
}

pub(crate) async fn verified_organizations_have_names_of_their_own(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let mut verified = kit::group(kit::root(1), "example.com");
    verified.spec.verified = true;
    kit::add(&store, verified.clone()).await;
    let other = kit::add(&store, kit::group(kit::root(2), "example.com")).await;

    let mut wish = other.clone();
    wish.spec.verified = true;
    assert_eq!(refused(update(&store, &wish.uid, &wish).await), (Kind::AlreadyExists, Rule::NameTaken));
    wish.uid = kit::root(3);
    assert_eq!(refused(insert(&store, &wish).await), (Kind::AlreadyExists, Rule::NameTaken));
    assert_eq!(get::<Group>(&store, &other.uid).await, Some(other));
}

pub(crate) async fn groups_with_something_inside_stay(engine: &impl Engine) {
    async fn blocker(store: &Store, uid: &domain::Uidp) -> Option<String> {
        let trial = domain::Ctx { validate_only: true, ..kit::at(60) };
        let uid = uid.clone();
        let error = store.write(&trial, move |tx| Box::pin(async move { rows::delete::<Group>(tx, &uid).await })).await.err()?;
        assert_eq!((error.kind(), error.rule()), (Kind::FailedPrecondition, Rule::NotEmpty));
        error.message().strip_prefix("Precondition failed: cannot delete group with ").map(str::to_owned)
    }
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, .. } = kit::bound(&store).await;
    let folder = kit::add(&store, kit::group(kit::child(&org.uid, 9), "folder")).await;
    let repo = kit::add(&store, kit::repo(kit::child(&org.uid, 10), "repo")).await;
    let provider = kit::identity_provider(kit::child(&org.uid, 12), "login", &role.uid);
    let provider = kit::add(&store, provider).await;

    assert_eq!(blocker(&store, &org.uid).await.as_deref(), Some("child groups"));
    assert_eq!(blocker(&store, &folder.uid).await, None);
    assert!(delete::<Group>(&store, &folder.uid).await.expect("goes"));
    assert_eq!(blocker(&store, &org.uid).await.as_deref(), Some("child repos"));
    assert!(delete::<Repo>(&store, &repo.uid).await.expect("goes"));
    assert_eq!(blocker(&store, &org.uid).await.as_deref(), Some("child identities"));
    assert!(delete::<Identity>(&store, &identity.uid).await.expect("goes"));
    assert_eq!(blocker(&store, &org.uid).await.as_deref(), Some("child roles"));
    assert_eq!(refused(delete::<Role>(&store, &role.uid).await), (Kind::FailedPrecondition, Rule::RoleBound));
    assert!(delete::<IdentityProvider>(&store, &provider.uid).await.expect("goes"));
    assert!(delete::<Role>(&store, &role.uid).await.expect("goes"));
    // What remains goes with it: the binding of a user, who lives elsewhere, to a built-in role.
    let user = kit::add(&store, kit::identity(kit::root(7), "user")).await;
    let built_in = kit::add(&store, kit::role(kit::root(8), "viewer", &["groups.list"])).await;
    let binding = kit::add(&store, kit::binding(kit::child(&org.uid, 11), &user.uid, &built_in.uid)).await;
    assert_eq!(blocker(&store, &org.uid).await, None);
    assert!(delete::<Group>(&store, &org.uid).await.expect("goes"));
    assert_eq!(get::<RoleBinding>(&store, &binding.uid).await, None);
}

pub(crate) async fn identities_are_kept(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let uid = domain::iam::identity::user_uid("https://issuer.example", "someone");
    let user = kit::add(&store, kit::identity(uid, "user")).await;
    let mut reader = store.reader().await.expect("reads");
    let found = identities::find_user(&mut reader, "https://issuer.example", "someone").await.expect("reads");
    assert_eq!(found, Some(user.clone()));
    assert_eq!(identities::find_user(&mut reader, "https://issuer.example", "else").await.expect("reads"), None);
    drop(reader);
    assert_eq!(refused(insert(&store, &user).await).0, Kind::AlreadyExists);

    let mut wish = user.clone();
    wish.spec.name = Name::trusted("other");
    (wish.email, wish.email_unverified) = (None, Some("b@example.com".to_owned()));
    wish.last_seen_at = Timestamp(1);
    let changed = update(&store, &wish.uid, &wish).await.expect("is changed");
    assert_eq!(changed.last_seen_at, user.last_seen_at);
    assert_eq!(changed.email_unverified.as_deref(), Some("b@example.com"));
    assert_eq!(get::<Identity>(&store, &user.uid).await, Some(changed));
    assert!(delete::<Identity>(&store, &user.uid).await.expect("goes"));
    assert!(!delete::<Identity>(&store, &user.uid).await.expect("is gone"));
}

pub(crate) async fn a_new_relationship_draws_a_new_mark(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let robot = kit::add(&store, kit::identity(kit::child(&org.uid, 1), "robot")).await;
    let renamed = update(&store, &robot.uid, &robot).await.expect("is changed");
    assert_eq!(renamed.relationship_revision, 1);
    let mut wish = renamed;
    wish.spec.relationship = kit::claim_match("https://issuer.example", "another");
    let changed = update(&store, &wish.uid, &wish).await.expect("is changed");
    let drawn = changed.relationship_revision;
    assert_ne!(drawn, 1);
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(identities::relationship_revision(&mut reader, &robot.uid).await.expect("reads"), Some(drawn));
    assert_eq!(identities::relationship_revision(&mut reader, &kit::root(5)).await.expect("reads"), None);
    let filter = |kind| kit::everything(identities::IdentityFilter { name: None, relationship_type: Some(kind) });
    let total = async |reader: &mut _, kind| rows::list(reader, &filter(kind)).await.expect("lists").total;
    assert_eq!(total(&mut reader, RelationshipType::ClaimMatch).await, 1);
    assert_eq!(total(&mut reader, RelationshipType::StaticKeys).await, 0);
}

pub(crate) async fn identities_take_their_bindings_along(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { identity, role, binding, .. } = kit::bound(&store).await;
    assert!(delete::<Identity>(&store, &identity.uid).await.expect("goes"));
    assert_eq!(get::<RoleBinding>(&store, &binding.uid).await, None);
    let mut reader = store.reader().await.expect("reads");
    assert!(!roles::is_bound(&mut reader, &role.uid).await.expect("reads"));
    let left = rows::list(&mut reader, &kit::everything(role_bindings::RoleBindingFilter::default())).await;
    assert_eq!(left.expect("lists").total, 0);
}

pub(crate) async fn roles_are_kept(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let role = kit::add(&store, kit::role(kit::child(&org.uid, 1), "reader", &["groups.list"])).await;
    assert_eq!(get::<Role>(&store, &role.uid).await, Some(role.clone()));
    let mut wish = role.clone();
    wish.spec.capabilities = domain::CapabilitySet::from_names(["repo.list", "repo.create"]);
    let changed = update(&store, &wish.uid, &wish).await.expect("is changed");
    assert_eq!(changed.spec.capabilities.names(), ["repo.create", "repo.list"]);
    assert_eq!(get::<Role>(&store, &role.uid).await, Some(changed));
    assert!(delete::<Role>(&store, &role.uid).await.expect("goes"));
    assert!(!delete::<Role>(&store, &role.uid).await.expect("is gone"));
}

pub(crate) async fn bound_roles_stay(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, binding } = kit::bound(&store).await;
    assert_eq!(refused(delete::<Role>(&store, &role.uid).await), (Kind::FailedPrecondition, Rule::RoleBound));
    let folder = kit::add(&store, kit::group(kit::child(&org.uid, 9), "folder")).await;
    for n in [1, 2] {
        kit::add(&store, kit::binding(kit::child(&folder.uid, n), &identity.uid, &role.uid)).await;
    }
    assert_eq!(bound_at(&store, &role.uid, usize::MAX).await, [org.uid], "which has the folder in it");
    assert!(delete::<RoleBinding>(&store, &binding.uid).await.expect("goes"));
    assert_eq!(bound_at(&store, &role.uid, usize::MAX).await, [folder.uid], "once for both");
    assert!(delete::<Identity>(&store, &identity.uid).await.expect("goes"));
    assert!(delete::<Role>(&store, &role.uid).await.expect("goes"));
}

pub(crate) async fn identity_providers_are_kept(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, role, .. } = kit::bound(&store).await;
    let provider = kit::identity_provider(kit::child(&org.uid, 9), "login", &role.uid);
    let made = kit::add(&store, provider).await;
    assert_eq!(get::<IdentityProvider>(&store, &made.uid).await, Some(made.clone()), "with its secret, as it was sealed");
    let default_at = async |role: &Uidp| roles::default_at(&mut store.reader().await.expect("reads"), role).await.expect("reads");
    assert_eq!(default_at(&role.uid).await, Some(org.uid.clone()));
    let login = async |issuer: &str, client: &str, at: &Uidp| {
        let mut reader = store.reader().await.expect("reads");
        let any = identity_providers::any_of(&mut reader, issuer).await.expect("reads");
        let client_of = identity_providers::is_client_of(&mut reader, at, issuer, client).await.expect("reads");
        let vouching = identity_providers::vouching(&mut reader, issuer, client).await.expect("reads");
        if let Some(uid) = &vouching {
            for (issuer, still) in [(issuer, true), ("https://another.example.com", false)] {
                let found = identity_providers::still_vouches(&mut reader, uid, issuer, client).await.expect("reads");
                assert_eq!(found, still, "{issuer}");
            }
        }
        (any, vouching.is_some(), client_of)
    };
    let issuer = "https://login.example.com";
    assert_eq!(login(issuer, "provost", &org.uid).await, (true, true, true));
    assert_eq!(login(issuer, "provost", &kit::root(77)).await, (true, true, false), "of another organization");
    assert_eq!(login(issuer, "other", &org.uid).await, (true, false, false));
    assert_eq!(login("https://other.example.com", "provost", &org.uid).await, (false, false, false));

    let other = kit::add(&store, kit::role(kit::child(&org.uid, 4), "other", &["repo.list"])).await;
    let mut wish = made.clone();
    (wish.spec.default_role, wish.spec.oidc.client_secret) = (other.uid.clone(), None);
    wish.spec.oidc.additional_scopes.reverse();
    wish.scim = Some(Scim {
        enabled: true,
        token: ScimDigest::of("cgscim_1"),
        expires_at: None,
        previous: Some(PreviousToken { token: ScimDigest::of("cgscim_0"), ends_at: kit::NOW }),
        revoked_at: Some(kit::NOW),
        revision: made.revision,
    });
    let changed = update(&store, &wish.uid, &wish).await.expect("is changed");
    assert_eq!((&changed.spec, &changed.scim), (&wish.spec, &wish.scim));
    assert_eq!(get::<IdentityProvider>(&store, &made.uid).await, Some(changed));
    assert_eq!((default_at(&role.uid).await, default_at(&other.uid).await), (None, Some(org.uid.clone())));

    wish.spec.default_role = kit::child(&org.uid, 99);
    assert_eq!(refused(update(&store, &wish.uid, &wish).await), (Kind::FailedPrecondition, Rule::NoSuchResource));
    wish.uid = kit::child(&org.uid, 10);
    assert_eq!(refused(insert(&store, &wish).await), (Kind::FailedPrecondition, Rule::NoSuchResource));
    assert!(delete::<IdentityProvider>(&store, &made.uid).await.expect("goes"));
    assert!(!delete::<IdentityProvider>(&store, &made.uid).await.expect("is gone"));
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
    assert!(rows::get::<Role>(&mut reader, role).await.expect("reads on").is_some());
    places
}

/// Each group where a role is bound is shown, or is below one that is.
pub(crate) async fn a_role_is_bound_at_or_below_what_is_shown(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, .. } = kit::bound(&store).await;
    let other = kit::add(&store, kit::role(kit::child(&org.uid, 4), "other", &["repo.list"])).await;
    let mut folders = vec![org.uid.clone()];
    // Twelve in each of the first sixteen, with bindings before, between and behind them in byte order.
    for number in 0..16 * 12_u64 {
        let parent = folders[usize::try_from(number / 12).expect("few")].clone();
        folders.push(kit::add(&store, kit::group(kit::child(&parent, 100 + number * 7), "folder")).await.uid);
    }
    for step in [3_usize, 5, 17, 40] {
        let bound = kit::add(&store, kit::role(kit::child(&org.uid, step as u64 + 10_000), "bound", &["repo.list"])).await;
        assert_eq!(bound_at(&store, &bound.uid, usize::MAX).await, []);
        let places: Vec<Uidp> = folders.iter().skip(step).step_by(step).cloned().collect();
        for (number, place) in (0_u64..).zip(&places) {
            for twice in 0..2 {
                let uid = kit::child(place, 20_000 * (number % 2) + number * 2 + twice + step as u64 * 1_000);
                kit::add(&store, kit::binding(uid, &identity.uid, &bound.uid)).await;
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
    assert!(upsert_built_in(&store, &viewer).await);
    let first = get::<Role>(&store, &viewer.uid).await.expect("is there");
    assert!(!upsert_built_in(&store, &viewer).await);
    assert_eq!(get::<Role>(&store, &viewer.uid).await, Some(first.clone()));
    viewer.spec.capabilities = domain::CapabilitySet::from_names(["groups.list", "repo.list"]);
    assert!(upsert_built_in(&store, &viewer).await);
    let second = get::<Role>(&store, &viewer.uid).await.expect("is there");
    assert_eq!((second.spec, second.created_at), (viewer.spec, first.created_at));
    assert!(second.revision > first.revision);
}

pub(crate) async fn bindings_are_kept_and_hydrated(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, binding } = kit::bound(&store).await;
    assert_eq!(get::<RoleBinding>(&store, &binding.uid).await, Some(binding.clone()));
    let whole =
        RoleBindingView { binding: binding.clone(), identity: Some(identity.clone()), group: org.clone(), role: role.clone() };
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(role_bindings::view(&mut reader, &binding.uid).await.expect("reads"), Some(whole.clone()));
    let uids = [kit::child(&org.uid, 99), binding.uid.clone()];
    assert_eq!(role_bindings::views(&mut reader, &uids).await.expect("reads"), vec![whole.clone()]);
    let filter = role_bindings::RoleBindingFilter { identity: Some(identity.uid.clone()), group: None, role: None };
    let listed = role_bindings::list_views(&mut reader, &kit::everything(filter)).await.expect("lists");
    assert_eq!((listed.items, listed.total), (vec![whole], 1));
    drop(reader);

    let other = kit::add(&store, kit::role(kit::child(&org.uid, 20), "other", &["repo.list"])).await;
    let mut wish = binding.clone();
    wish.spec.role = other.uid.clone();
    let changed = update(&store, &wish.uid, &wish).await.expect("is changed");
    assert_eq!((&changed.spec.role, changed.updated_at), (&other.uid, kit::NOW.plus_seconds(60)));
    assert_eq!(get::<RoleBinding>(&store, &binding.uid).await, Some(changed));
    assert!(delete::<RoleBinding>(&store, &binding.uid).await.expect("goes"));
    assert!(!delete::<RoleBinding>(&store, &binding.uid).await.expect("is gone"));
}

pub(crate) async fn bindings_to_nothing_are_refused(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, binding } = kit::bound(&store).await;
    let nowhere = (Kind::FailedPrecondition, Rule::NoSuchResource);
    let uid = kit::child(&org.uid, 30);
    assert_eq!(refused(insert(&store, &kit::binding(uid.clone(), &kit::root(9), &role.uid)).await), nowhere);
    assert_eq!(refused(insert(&store, &kit::binding(uid, &identity.uid, &kit::root(9))).await), nowhere);
    let mut wish = binding.clone();
    wish.spec.role = kit::root(9);
    assert_eq!(refused(update(&store, &wish.uid, &wish).await), nowhere);
    assert_eq!(get::<RoleBinding>(&store, &binding.uid).await, Some(binding));
}

pub(crate) async fn grants_follow_bindings(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let kit::Bound { org, identity, role, binding } = kit::bound(&store).await;
    let grants =
        async || role_bindings::grants_of(&mut store.reader().await.expect("reads"), &identity.uid).await.expect("reads");
    let grant = Grant { at: Place::At(org.uid.clone()), capabilities: role.spec.capabilities };
    assert_eq!(grants().await, [grant]);
    let exists = async |at: &Uidp| {
        role_bindings::exists(&mut store.reader().await.expect("reads"), at, &binding.spec).await.expect("reads")
    };
    assert_eq!((exists(&org.uid).await, exists(&kit::child(&org.uid, 77)).await), (true, false), "at this very group");
    assert!(delete::<RoleBinding>(&store, &binding.uid).await.expect("goes"));
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
    let repo = kit::add(&store, repo).await;
    assert_eq!(get::<Repo>(&store, &repo.uid).await, Some(repo.clone()));
    let mut reader = store.reader().await.expect("reads");
    assert_eq!(repos::find(&mut reader, &org.uid, "repo").await.expect("reads"), Some(repo.clone()));
    assert_eq!(repos::find(&mut reader, &org.uid, "other").await.expect("reads"), None);
    drop(reader);
    let mut wish = repo.clone();
    wish.spec.sync_config = None;
    wish.spec.custom_overlay =
        Some(CustomOverlay { environment: [("A".to_owned(), "b".to_owned())].into(), ..CustomOverlay::default() });
    let changed = update(&store, &wish.uid, &wish).await.expect("is changed");
    assert_eq!(changed.spec, wish.spec);
    assert_eq!(get::<Repo>(&store, &repo.uid).await, Some(changed));
    assert!(delete::<Repo>(&store, &repo.uid).await.expect("goes"));
    assert!(!delete::<Repo>(&store, &repo.uid).await.expect("is gone"));
}

pub(crate) async fn repo_names_are_unique_within_their_group(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let (a, b) = (kit::org(&store, 1).await, kit::org(&store, 2).await);
    kit::add(&store, kit::repo(kit::child(&a.uid, 1), "repo")).await;
    kit::add(&store, kit::repo(kit::child(&b.uid, 1), "repo")).await;
    let taken = (Kind::AlreadyExists, Rule::NameTaken);
    assert_eq!(refused(insert(&store, &kit::repo(kit::child(&a.uid, 2), "repo")).await), taken);
    let mut other = kit::add(&store, kit::repo(kit::child(&a.uid, 2), "other")).await;
    other.spec.name = Name::trusted("repo");
    assert_eq!(refused(update(&store, &other.uid, &other).await), taken);
    assert_eq!(get::<Repo>(&store, &other.uid).await.map(|repo| repo.spec.name), Some(Name::trusted("other")));
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
        code: Vec::new(),
    };
    let list = async || signing_keys::list(&mut store.reader().await.expect("reads")).await.expect("reads");
    // Which keys there are is told with anybody's standing.
    let marks = async || {
        let mut reader = store.reader().await.expect("reads");
        let told = standings::get(&mut reader, &kit::root(9)).await.expect("reads").keys;
        assert_eq!(told, list().await.into_iter().map(|key| (key.kid, key.revision)).collect());
        told
    };
    assert!(marks().await.is_empty());
    let old = insert_key(&store, key("old", 1)).await;
    let new = insert_key(&store, key("new", 2)).await;
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
    assert_eq!(refused(insert(&store, &kit::group(below.clone(), "a")).await), missing);
    assert_eq!(refused(insert(&store, &kit::identity(below.clone(), "a")).await), missing);
    assert_eq!(refused(insert(&store, &kit::role(below.clone(), "a", &[])).await), missing);
    assert_eq!(refused(insert(&store, &kit::repo(below.clone(), "a")).await), missing);
    assert_eq!(refused(insert(&store, &kit::binding(below, &identity.uid, &role.uid)).await), missing);
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
        group = kit::add(&store, kit::group(kit::child(&group.uid, odd(group.uid.as_str().len() as u64)), name)).await;
    }
    kit::add(&store, kit::group(kit::child(&group.uid, odd(2)), name)).await;
    let identity = kit::add(&store, kit::identity(kit::child(&group.uid, odd(3)), name)).await;
    let role = kit::add(&store, kit::role(kit::child(&group.uid, odd(4)), name, &["groups.list"])).await;
    kit::add(&store, kit::binding(kit::child(&group.uid, odd(5)), &identity.uid, &role.uid)).await;
    kit::add(&store, kit::repo(kit::child(&group.uid, odd(6)), name)).await;
    kit::add(&store, kit::account_association(kit::child(&group.uid, odd(2)), name)).await;
}

pub(crate) async fn updates_of_what_is_not_there_are_refused(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let uid = kit::child(&kit::root(1), 1);
    for (noun, outcome) in [
        (Noun::Group, update(&store, &uid, &kit::group(uid.clone(), "a")).await.map(|_| ())),
        (Noun::Identity, update(&store, &uid, &kit::identity(uid.clone(), "a")).await.map(|_| ())),
        (Noun::Role, update(&store, &uid, &kit::role(uid.clone(), "a", &[])).await.map(|_| ())),
        (Noun::RoleBinding, update(&store, &uid, &kit::binding(uid.clone(), &uid, &uid)).await.map(|_| ())),
        (Noun::IdentityProvider, update(&store, &uid, &kit::identity_provider(uid.clone(), "a", &uid)).await.map(|_| ())),
        (Noun::AccountAssociation, update(&store, &uid, &kit::account_association(uid.clone(), "a")).await.map(|_| ())),
        (Noun::Repo, update(&store, &uid, &kit::repo(uid.clone(), "a")).await.map(|_| ())),
        (Noun::Tag, update(&store, &uid, &kit::tag(uid.clone(), "a")).await.map(|_| ())),
    ] {
        let error = outcome.expect_err("is refused");
        assert_eq!(error.kind(), Kind::NotFound);
        assert_eq!(error.message(), format!("{} {uid} not found", noun.title()));
    }
}
