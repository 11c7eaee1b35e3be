//! The counters behind the totals equal the rows, whatever happened.

use std::collections::BTreeMap;

use domain::{Noun, Result, Scopes, Uidp, list::ParentFilter};
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, TestRunner},
};
use store::{
    Store,
    iam::{groups, identities, identity_providers, role_bindings, roles},
    registry::{repos, tags},
};

use super::{Engine, kit};

/// Takes a database back to its first schema.
pub(crate) const OLDER: &str = "DROP TABLE subscriptions; DROP TABLE account_associations; DROP TABLE identity_providers; \
    DROP TABLE tag_history; DROP TABLE tags; \
    DELETE FROM counts WHERE noun IN ('tag', 'identity_provider', 'account_association', 'subscription'); \
    ALTER TABLE counts DROP COLUMN children; ALTER TABLE changes DROP COLUMN from_name; \
    ALTER TABLE changes DROP COLUMN from_created_at; ALTER TABLE changes DROP COLUMN to_name; \
    ALTER TABLE changes DROP COLUMN to_created_at; DELETE FROM schema_version WHERE version > 1";

/// What is left of the rows then.
pub(crate) fn older(rows: Rows) -> Rows {
    rows.into_iter().filter(|(_, noun)| !matches!(noun, Noun::Tag | Noun::IdentityProvider)).collect()
}

/// What is counted.
const NOUNS: [Noun; 7] =
    [Noun::Group, Noun::Identity, Noun::Role, Noun::RoleBinding, Noun::IdentityProvider, Noun::Repo, Noun::Tag];

/// Something to do, somewhere: the numbers choose among what is there.
#[derive(Clone, Debug)]
struct Step {
    noun: Noun,
    add: bool,
    place: prop::sample::Index,
    row: prop::sample::Index,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (
        prop::sample::select(NOUNS.to_vec()),
        prop::bool::weighted(0.7),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
    )
        .prop_map(|(noun, add, place, row)| Step { noun, add, place, row });
    prop::collection::vec(step, 60)
}

pub(crate) type Rows = BTreeMap<Uidp, Noun>;

fn of(rows: &Rows, noun: Noun) -> Vec<Uidp> {
    rows.iter().filter(|(_, known)| **known == noun).map(|(uid, _)| uid.clone()).collect()
}

async fn add(store: &Store, rows: &mut Rows, step: &Step, uid: Uidp) {
    let name = format!("n{}", rows.len() % 7);
    let (people, kinds) = (of(rows, Noun::Identity), of(rows, Noun::Role));
    match step.noun {
        Noun::Group => drop(kit::add_group(store, kit::group(uid.clone(), &name)).await),
        Noun::Identity => drop(kit::add_identity(store, kit::identity(uid.clone(), &name)).await),
        Noun::Role => drop(kit::add_role(store, kit::role(uid.clone(), &name, &["groups.list"])).await),
        Noun::Repo => drop(kit::add_repo(store, kit::repo(uid.clone(), &uid.as_str()[uid.as_str().len() - 16..])).await),
        Noun::Tag => drop(kit::add_tag(store, kit::tag(uid.clone(), &uid.as_str()[uid.as_str().len() - 16..])).await),
        _ if people.is_empty() || kinds.is_empty() => return,
        Noun::IdentityProvider => {
            let provider = kit::identity_provider(uid.clone(), &name, step.row.get(&kinds));
            drop(kit::add_identity_provider(store, provider).await);
        }
        _ => {
            let binding = kit::binding(uid.clone(), step.row.get(&people), step.row.get(&kinds));
            drop(kit::add_binding(store, binding).await);
        }
    }
    rows.insert(uid, step.noun);
}

/// Deletes the row if it may go, with what goes along.
async fn remove(store: &Store, rows: &mut Rows, noun: Noun, uid: &Uidp) {
    let row = uid.clone();
    let gone: Result<bool> = match noun {
        Noun::Group => kit::write(store, |tx| Box::pin(async move { groups::delete(tx, &row).await })).await,
        Noun::Identity => kit::write(store, |tx| Box::pin(async move { identities::delete(tx, &row).await })).await,
        Noun::Role => kit::write(store, |tx| Box::pin(async move { roles::delete(tx, &row).await })).await,
        Noun::Repo => kit::write(store, |tx| Box::pin(async move { repos::delete(tx, &row).await })).await,
        Noun::Tag => kit::write(store, |tx| Box::pin(async move { tags::delete(tx, &row).await })).await,
        Noun::IdentityProvider => {
            kit::write(store, |tx| Box::pin(async move { identity_providers::delete(tx, &row).await })).await
        }
        _ => kit::write(store, |tx| Box::pin(async move { role_bindings::delete(tx, &row).await })).await,
    };
    if gone.is_ok() {
        rows.remove(uid);
        // Bindings go with their identity and their group, tags with their repository.
        rows.retain(|row, noun| *noun != Noun::Tag || !uid.contains(row));
        let mut reader = store.reader().await.expect("reads");
        for binding in of(rows, Noun::RoleBinding) {
            if role_bindings::get(&mut reader, &binding).await.expect("reads").is_none() {
                rows.remove(&binding);
            }
        }
    }
}

/// The total of the children of a place.
macro_rules! children_total {
    ($reader:ident, $module:ident, $filter:expr, $of:ident) => {{
        let mut query = store::ListQuery { page_size: 1, ..kit::everything($filter) };
        query.uidp.children_of = Some($of.clone());
        $module::list(&mut $reader, &query).await.expect("lists").total
    }};
}

/// Totals come from the counters; the rows are what the test did.
pub(crate) async fn check(store: &Store, rows: &Rows) {
    let mut reader = store.reader().await.expect("reads");
    let places: Vec<_> = [None].into_iter().chain(rows.keys().cloned().map(Some)).collect();
    for place in places {
        let scopes = || place.clone().map_or(Scopes::All, |place| Scopes::Subtrees(vec![place]));
        let below = |noun| {
            let inside = |uid: &Uidp| place.as_ref().is_none_or(|place| place.contains(uid));
            rows.iter().filter(|(uid, known)| **known == noun && inside(uid)).count() as u64
        };
        macro_rules! total {
            ($module:ident, $filter:expr) => {{
                let query = store::ListQuery { scopes: scopes().into(), page_size: 1, ..kit::everything($filter) };
                $module::list(&mut reader, &query).await.expect("lists").total
            }};
        }
        let totals = [
            total!(groups, groups::GroupFilter::default()),
            total!(identities, identities::IdentityFilter::default()),
            total!(roles, roles::RoleFilter::default()),
            total!(role_bindings, role_bindings::RoleBindingFilter::default()),
            total!(identity_providers, identity_providers::IdentityProviderFilter::default()),
            total!(repos, repos::RepoFilter::default()),
            total!(tags, tags::TagFilter::default()),
        ];
        assert_eq!(totals, NOUNS.map(below), "below {place:?}");
        let children = |noun| rows.iter().filter(|(uid, known)| **known == noun && uid.parent() == place).count() as u64;
        let of = place.clone().map_or(ParentFilter::Root, ParentFilter::At);
        assert_eq!(
            [
                children_total!(reader, groups, groups::GroupFilter::default(), of),
                children_total!(reader, identities, identities::IdentityFilter::default(), of),
                children_total!(reader, roles, roles::RoleFilter::default(), of),
                children_total!(reader, role_bindings, role_bindings::RoleBindingFilter::default(), of),
                children_total!(reader, identity_providers, identity_providers::IdentityProviderFilter::default(), of),
                children_total!(reader, repos, repos::RepoFilter::default(), of),
                children_total!(reader, tags, tags::TagFilter::default(), of),
            ],
            NOUNS.map(children),
            "children of {place:?}"
        );
    }
}

pub(crate) async fn counters_equal_the_rows(engine: &impl Engine) {
    grow(&engine.open().await.expect("opens")).await;
}

/// Random rows of every noun, checked as they come and go.
pub(crate) async fn grow(store: &Store) -> Rows {
    let mut next = 0;
    let mut rows = Rows::new();
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    for _ in 0..8 {
        let steps = steps().new_tree(&mut runner).expect("steps").current();
        for step in &steps {
            next += 1;
            let parents = if step.noun == Noun::Tag { Noun::Repo } else { Noun::Group };
            let (parents, there) = (of(&rows, parents), of(&rows, step.noun));
            let may_be_root = matches!(step.noun, Noun::Group | Noun::Identity | Noun::Role);
            if !step.add {
                if !there.is_empty() {
                    remove(store, &mut rows, step.noun, step.row.get(&there)).await;
                }
            } else if may_be_root && (parents.is_empty() || next % 5 == 0) {
                add(store, &mut rows, step, kit::root(next)).await;
            } else if !parents.is_empty() {
                add(store, &mut rows, step, kit::child(step.place.get(&parents), next)).await;
            }
        }
        check(store, &rows).await;
    }
    assert!(rows.len() > 20, "the test has done something");
    rows
}
