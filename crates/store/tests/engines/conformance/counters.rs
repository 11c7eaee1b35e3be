//! The counters behind the totals equal the rows, whatever happened.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    Noun, Result, Scopes, Uidp, UidpFilter,
    iam::{ExternalGroupRoleMapping, Group, Identity, IdentityProvider, Role, RoleBinding},
    list::ParentFilter,
    registry::{Repo, Tag},
};
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, TestRunner},
};
use store::{
    Filter, ListQuery, Reader, Store,
    iam::{
        external_group_role_mappings::ExternalGroupRoleMappingFilter, groups::GroupFilter, identities::IdentityFilter,
        identity_providers::IdentityProviderFilter, role_bindings::RoleBindingFilter, roles::RoleFilter,
    },
    registry::{repos::RepoFilter, tags::TagFilter},
    rows,
};

use super::{Engine, kit};

/// Takes a database back to its first schema.
pub(crate) const OLDER: &str = "DROP TABLE advisory_feeds; DROP TABLE retention; DROP TABLE spent_events; DROP INDEX audit_goes; ALTER TABLE audit DROP COLUMN goes; DROP TABLE dead_letters; DROP TABLE deliveries; DROP TABLE delivery_mark; DROP TABLE advisory_parts; DROP TABLE advisory_documents; DROP TABLE advisory_rejections; DROP TABLE advisory_imports; \
    DROP TABLE advisory_words; DROP TABLE advisories; DROP TABLE vulnerabilities; DROP INDEX groups_public; \
    DROP TABLE identity_metadata; DROP TABLE terms_acceptances; DROP TABLE sessions; DROP TABLE access_requests; DROP TABLE registry_settings; DROP TABLE deployments; DROP TABLE overlay_bindings; DROP TABLE overlays; \
    DROP INDEX repos_source; ALTER TABLE repos DROP COLUMN public; ALTER TABLE repos DROP COLUMN synced_by; \
    ALTER TABLE groups DROP COLUMN resource_limits; ALTER TABLE groups DROP COLUMN public; \
    ALTER TABLE repos DROP COLUMN source; ALTER TABLE repos DROP COLUMN readme; \
    DROP TABLE external_group_role_mappings; DROP TABLE group_invites; DROP TABLE subscriptions; DROP TABLE account_associations; \
    DROP TABLE identity_providers; DROP TABLE tag_history; DROP TABLE tags; \
    DELETE FROM counts WHERE noun IN ('tag', 'identity_provider', 'external_group_role_mapping', 'account_association', \
    'group_invite', 'access_request', 'subscription', 'overlay', 'overlay_binding', 'deployment', 'registry_settings', \
    'terms_acceptance', 'identity_metadata', 'advisory', 'vulnerability'); \
    ALTER TABLE counts DROP COLUMN children; ALTER TABLE changes DROP COLUMN from_name; \
    ALTER TABLE changes DROP COLUMN from_created_at; ALTER TABLE changes DROP COLUMN to_name; \
    ALTER TABLE changes DROP COLUMN to_created_at; ALTER TABLE changes DROP COLUMN digest; ALTER TABLE audit DROP COLUMN code; ALTER TABLE revision DROP COLUMN head; \
    ALTER TABLE signing_keys DROP COLUMN code; DELETE FROM schema_version WHERE version > 1";

/// What is left of the rows then.
pub(crate) fn older(rows: Rows) -> Rows {
    rows.into_iter()
        .filter(|(_, noun)| !matches!(noun, Noun::Tag | Noun::IdentityProvider | Noun::ExternalGroupRoleMapping))
        .collect()
}

/// What is counted.
const NOUNS: [Noun; 8] = [
    Noun::Group,
    Noun::Identity,
    Noun::Role,
    Noun::RoleBinding,
    Noun::IdentityProvider,
    Noun::ExternalGroupRoleMapping,
    Noun::Repo,
    Noun::Tag,
];

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
        Noun::Group => drop(kit::add(store, kit::group(uid.clone(), &name)).await),
        Noun::Identity => drop(kit::add(store, kit::identity(uid.clone(), &name)).await),
        Noun::Role => drop(kit::add(store, kit::role(uid.clone(), &name, &["groups.list"])).await),
        Noun::Repo => drop(kit::add(store, kit::repo(uid.clone(), &uid.as_str()[uid.as_str().len() - 16..])).await),
        Noun::Tag => drop(kit::add(store, kit::tag(uid.clone(), &uid.as_str()[uid.as_str().len() - 16..])).await),
        _ if people.is_empty() || kinds.is_empty() => return,
        Noun::IdentityProvider => {
            let provider = kit::identity_provider(uid.clone(), &name, step.row.get(&kinds));
            drop(kit::add(store, provider).await);
        }
        Noun::ExternalGroupRoleMapping => {
            let mapping = kit::external_group_role_mapping(uid.clone(), uid.as_str(), step.row.get(&kinds));
            drop(kit::add(store, mapping).await);
        }
        _ => {
            let binding = kit::binding(uid.clone(), step.row.get(&people), step.row.get(&kinds));
            drop(kit::add(store, binding).await);
        }
    }
    rows.insert(uid, step.noun);
}

/// Deletes the row if it may go, with what goes along.
async fn remove(store: &Store, rows: &mut Rows, noun: Noun, uid: &Uidp) {
    let row = uid.clone();
    let gone: Result<bool> = match noun {
        Noun::Group => kit::write(store, |tx| Box::pin(async move { rows::delete::<Group>(tx, &row).await })).await,
        Noun::Identity => kit::write(store, |tx| Box::pin(async move { rows::delete::<Identity>(tx, &row).await })).await,
        Noun::Role => kit::write(store, |tx| Box::pin(async move { rows::delete::<Role>(tx, &row).await })).await,
        Noun::Repo => kit::write(store, |tx| Box::pin(async move { rows::delete::<Repo>(tx, &row).await })).await,
        Noun::Tag => kit::write(store, |tx| Box::pin(async move { rows::delete::<Tag>(tx, &row).await })).await,
        Noun::IdentityProvider => {
            kit::write(store, |tx| Box::pin(async move { rows::delete::<IdentityProvider>(tx, &row).await })).await
        }
        Noun::ExternalGroupRoleMapping => {
            kit::write(store, |tx| Box::pin(async move { rows::delete::<ExternalGroupRoleMapping>(tx, &row).await })).await
        }
        _ => kit::write(store, |tx| Box::pin(async move { rows::delete::<RoleBinding>(tx, &row).await })).await,
    };
    if gone.is_ok() {
        rows.remove(uid);
        // Bindings go with their identity and their group, tags with their repository, mappings with their provider.
        rows.retain(|row, noun| !matches!(noun, Noun::Tag | Noun::ExternalGroupRoleMapping) || !uid.contains(row));
        let mut reader = store.reader().await.expect("reads");
        for binding in of(rows, Noun::RoleBinding) {
            if rows::get::<RoleBinding>(&mut reader, &binding).await.expect("reads").is_none() {
                rows.remove(&binding);
            }
        }
    }
}

/// The totals of lists of that part of the tree, in the order of [`NOUNS`].
async fn totals(reader: &mut Reader, scopes: Scopes, uidp: UidpFilter) -> [u64; NOUNS.len()] {
    let place = (Arc::new(scopes), uidp);
    [
        total::<GroupFilter>(reader, &place).await,
        total::<IdentityFilter>(reader, &place).await,
        total::<RoleFilter>(reader, &place).await,
        total::<RoleBindingFilter>(reader, &place).await,
        total::<IdentityProviderFilter>(reader, &place).await,
        total::<ExternalGroupRoleMappingFilter>(reader, &place).await,
        total::<RepoFilter>(reader, &place).await,
        total::<TagFilter>(reader, &place).await,
    ]
}

async fn total<F: Filter + Default>(reader: &mut Reader, (scopes, uidp): &(Arc<Scopes>, UidpFilter)) -> u64 {
    let (scopes, uidp) = (Arc::clone(scopes), uidp.clone());
    let query = ListQuery { scopes, uidp, page_size: 1, ..kit::everything(F::default()) };
    rows::list(reader, &query).await.expect("lists").total
}

/// Totals come from the counters; the rows are what the test did.
pub(crate) async fn check(store: &Store, rows: &Rows) {
    let mut reader = store.reader().await.expect("reads");
    let places: Vec<_> = [None].into_iter().chain(rows.keys().cloned().map(Some)).collect();
    for place in places {
        let below = |noun| {
            let inside = |uid: &Uidp| place.as_ref().is_none_or(|place| place.contains(uid));
            rows.iter().filter(|(uid, known)| **known == noun && inside(uid)).count() as u64
        };
        let scopes = place.clone().map_or(Scopes::All, |place| Scopes::Subtrees(vec![place]));
        let found = totals(&mut reader, scopes, UidpFilter::default()).await;
        assert_eq!(found, NOUNS.map(below), "below {place:?}");
        let children = |noun| rows.iter().filter(|(uid, known)| **known == noun && uid.parent() == place).count() as u64;
        let of = place.clone().map_or(ParentFilter::Root, ParentFilter::At);
        let directly = UidpFilter { children_of: Some(of), ..UidpFilter::default() };
        assert_eq!(totals(&mut reader, Scopes::All, directly).await, NOUNS.map(children), "children of {place:?}");
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
            let parents = match step.noun {
                Noun::Tag => Noun::Repo,
                Noun::ExternalGroupRoleMapping => Noun::IdentityProvider,
                _ => Noun::Group,
            };
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
