//! The list engine against a naive one.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use domain::{
    Kind, Order, OrderField, Rule, Scopes, Timestamp, Uidp, UidpFilter,
    events::Subscription,
    iam::{
        ExternalGroupRoleMapping, Group, GroupInvite, Identity, IdentityProvider, Relationship, RelationshipType, Role,
        RoleBinding, identity::ServicePrincipal,
    },
    list::ParentFilter,
    registry::{Repo, Tag, TagForms},
};
use proptest::{
    prelude::*,
    sample::{Index, select},
    test_runner::{Config, TestRunner},
};
use store::{
    Cursor, CursorKey, ListQuery, Listed, Reader, Store,
    events::subscriptions::SubscriptionFilter,
    iam::{external_group_role_mappings, group_invites, groups, identities, identity_providers, role_bindings, roles},
    registry::{repos, tags},
    rows,
};

use super::{Engine, deep::ranks_stand, kit};

/// Everything in the store.
#[derive(Clone, Default)]
pub(crate) struct World {
    pub(crate) groups: Vec<Group>,
    pub(crate) identities: Vec<Identity>,
    pub(crate) roles: Vec<Role>,
    pub(crate) bindings: Vec<RoleBinding>,
    pub(crate) providers: Vec<IdentityProvider>,
    pub(crate) mappings: Vec<ExternalGroupRoleMapping>,
    pub(crate) repos: Vec<Repo>,
    pub(crate) tags: Vec<Tag>,
    pub(crate) invites: Vec<GroupInvite>,
    pub(crate) subscriptions: Vec<Subscription>,
}

/// What a naive list needs to know about a row.
struct Flat<'a> {
    uid: &'a Uidp,
    name: &'a str,
    created_at: Timestamp,
}

const NAMES: [&str; 6] = ["a", "b", "a b", "a-b", "zz", "m.m"];

/// Names of tags: of none of the forms, of one, and of two.
const FORMS: [&str; 6] = ["vN", "N-plain", "sha256-N", "N-20240131", "N-rN", "sha256-N-r0"];

/// A tree of some hundred rows with few names and few times, so that there are many ties. Organization 0 has a folder that
/// holds most of its rows, so that every way through the indexes is taken.
pub(crate) async fn grow(store: &Store) -> World {
    let mut world = World::default();
    let mut next: u64 = 0;
    let mut number = || {
        // Scatters the identifiers, so that their order is not the order of insertion.
        next += 1;
        next.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    let time = |n: u64| Timestamp(i64::try_from(n % 5).unwrap_or(0));
    let name = |n: u64| NAMES[usize::try_from(n >> 8).unwrap_or(0) % NAMES.len()];
    for n in 0..4 {
        let mut org = kit::group(kit::root(number()), name(number()));
        org.created_at = time(n);
        world.groups.push(kit::add(store, org).await);
    }
    for _ in 0..40 {
        let (n, at) = (number(), number());
        let parent = world.groups[usize::try_from(at >> 16).unwrap_or(0) % world.groups.len()].uid.clone();
        let mut folder = kit::group(kit::child(&parent, n), name(n));
        folder.created_at = time(n >> 4);
        world.groups.push(kit::add(store, folder).await);
    }
    let large = world.groups.iter().find(|group| !group.uid.is_root()).expect("a folder").uid.clone();
    for m in 0..220 {
        let (n, at) = (number(), number());
        let parent =
            if m < 120 { &large } else { &world.groups[usize::try_from(at >> 16).unwrap_or(0) % world.groups.len()].uid };
        let mut repo = kit::repo(kit::child(parent, n), &format!("{}{m}", name(n)));
        repo.created_at = time(n >> 4);
        world.repos.push(kit::add(store, repo).await);
    }
    for m in 0..160 {
        let (n, at) = (number(), number());
        let repo = if m < 60 { 0 } else { usize::try_from(at >> 16).unwrap_or(0) % world.repos.len() };
        let form = FORMS[usize::try_from(n >> 12).unwrap_or(0) % FORMS.len()].replace('N', &format!("{m}"));
        let mut tag = kit::tag(kit::child(&world.repos[repo].uid, n), &form);
        (tag.created_at, tag.updated_at) = (time(n >> 4), time(n >> 8));
        tag.spec.digest = Some(kit::digest(n % 20)).filter(|_| n % 9 > 0);
        world.tags.push(kit::add(store, tag).await);
    }
    for m in 0..60 {
        let (n, at) = (number(), number());
        let parent = &world.groups[usize::try_from(at >> 16).unwrap_or(0) % world.groups.len()].uid;
        let uid = if m % 4 == 0 { kit::root(n) } else { kit::child(parent, n) };
        let mut identity = kit::identity(uid.clone(), name(n));
        identity.created_at = time(n >> 4);
        if m % 3 == 0 {
            identity.spec.relationship = Relationship::ServicePrincipal { principal: ServicePrincipal(1) };
        }
        world.identities.push(kit::add(store, identity).await);
        let uid = if m % 4 == 0 { kit::root(number()) } else { kit::child(parent, number()) };
        let mut role = kit::role(uid, name(n), &["groups.list"]);
        role.created_at = time(n >> 4);
        world.roles.push(kit::add(store, role).await);
        let (identity, role) = (&world.identities[m / 3].uid, &world.roles[m / 2].uid);
        let mut binding = kit::binding(kit::child(parent, number()), identity, role);
        binding.created_at = time(n >> 4);
        world.bindings.push(kit::add(store, binding).await);
        let mut provider = kit::identity_provider(kit::child(parent, number()), name(n), role);
        provider.created_at = time(n >> 4);
        world.providers.push(kit::add(store, provider).await);
    }
    for m in 0..90 {
        let (n, at) = (number(), number());
        let provider = if m < 40 { 0 } else { usize::try_from(at >> 16).unwrap_or(0) % world.providers.len() };
        let (provider, role) = (&world.providers[provider], &world.roles[m % world.roles.len()].uid);
        let mut mapping = kit::external_group_role_mapping(kit::child(&provider.uid, n), &format!("g{m}"), role);
        mapping.created_at = time(n >> 4);
        world.mappings.push(kit::add(store, mapping).await);
    }
    for m in 0..90 {
        let (n, at) = (number(), number());
        let large = world.groups.iter().find(|group| group.uid == large).filter(|_| m < 40);
        let parent = large.unwrap_or(&world.groups[usize::try_from(at >> 16).unwrap_or(0) % world.groups.len()]);
        let mut subscription = kit::subscription(kit::child(&parent.uid, n), "https://hooks.example.com");
        subscription.created_at = time(n >> 4);
        world.subscriptions.push(kit::add_subscription(store, parent, subscription).await);
        let mut invite = kit::group_invite(kit::child(&parent.uid, number()), &kit::root(8));
        (invite.created_at, invite.check.key_id) = (time(n >> 4), name(n).to_owned());
        world.invites.push(kit::add(store, invite).await);
    }
    world
}

/// Where children are asked for.
#[derive(Clone, Debug)]
enum Parent {
    Root,
    At(Index),
}

/// A random request: indices choose among the identifiers of the world.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    scopes: Option<Vec<Index>>,
    /// Scopes in which nothing lives.
    phantoms: u64,
    include_roots: bool,
    ancestors_of: Option<Index>,
    descendants_of: Option<Index>,
    children_of: Option<Parent>,
    in_root: bool,
    ids: Vec<Index>,
    order: Order,
    page_size: u32,
    skips: Vec<u32>,
    filtered: bool,
    filter: Index,
}

fn seldom<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>) -> impl Strategy<Value = Option<T>> {
    prop::option::weighted(0.2, strategy)
}

pub(crate) fn wishes() -> impl Strategy<Value = Wish> {
    let index = any::<Index>;
    let scopes = prop::option::weighted(
        0.7,
        prop_oneof![
            3 => prop::collection::vec(index(), 0..4),
            1 => prop::collection::vec(index(), 4..90),
        ],
    );
    let fields = select(vec![OrderField::Uid, OrderField::Name, OrderField::CreatedAt]);
    let order = (fields, any::<bool>()).prop_map(|(field, descending)| Order { field, descending });
    let part = (
        seldom(index()),
        seldom(index()),
        seldom(prop_oneof![1 => Just(Parent::Root), 4 => index().prop_map(Parent::At)]),
        prop::bool::weighted(0.1),
        prop_oneof![5 => Just(Vec::new()), 1 => prop::collection::vec(index(), 1..30)],
    );
    let page = (order, select(vec![1, 3, 7, 50, 50, 200]), prop::collection::vec(select(vec![0, 0, 0, 1, 5, 40, 1000]), 1..4));
    let extra = (select(vec![0, 0, 0, 300]), any::<bool>(), prop::bool::weighted(0.3), index());
    (scopes, part, page, extra).prop_map(
        |(scopes, (ancestors_of, descendants_of, children_of, in_root, ids), (order, page_size, skips), extra)| {
            let (phantoms, include_roots, filtered, filter) = extra;
            Wish {
                scopes,
                phantoms,
                include_roots,
                ancestors_of,
                descendants_of,
                children_of,
                in_root,
                ids,
                order,
                page_size,
                skips,
                filtered,
                filter,
            }
        },
    )
}

impl Wish {
    fn query<F>(&self, uids: &[Uidp], filter: F) -> ListQuery<F> {
        let uid = |index: &Index| index.get(uids).clone();
        let scopes = self.scopes.as_ref().map_or(Scopes::All, |places| {
            let phantoms = (0..self.phantoms).map(|n| kit::child(&kit::root(1), n));
            Scopes::Subtrees(places.iter().map(uid).chain(phantoms).collect())
        });
        ListQuery {
            scopes: Arc::new(scopes),
            include_roots: self.include_roots,
            uidp: UidpFilter {
                ancestors_of: self.ancestors_of.as_ref().map(uid),
                descendants_of: self.descendants_of.as_ref().map(uid),
                children_of: self.children_of.as_ref().map(|parent| match parent {
                    Parent::Root => ParentFilter::Root,
                    Parent::At(parent) => ParentFilter::At(uid(parent)),
                }),
                in_root: self.in_root,
                ids: self.ids.iter().map(uid).collect(),
            },
            order: self.order,
            page_size: self.page_size,
            skip: 0,
            cursor: None,
            filter,
        }
    }
}

/// The list as the rules say it, row by row.
fn naive<'a, T, F>(rows: &'a [T], query: &ListQuery<F>, flat: impl Fn(&T) -> Flat<'_>, fits: impl Fn(&T) -> bool) -> Vec<&'a T> {
    let UidpFilter { ancestors_of, descendants_of, children_of, in_root, ids } = &query.uidp;
    let mut found: Vec<_> = rows
        .iter()
        .filter(|row| {
            let uid = flat(row).uid;
            (query.scopes.contains(uid) || (query.include_roots && uid.is_root()))
                && ancestors_of.as_ref().is_none_or(|of| of.ancestors().any(|above| above == uid.as_str()))
                && descendants_of.as_ref().is_none_or(|of| of == uid || uid.as_str().starts_with(&format!("{of}/")))
                && children_of.as_ref().is_none_or(|of| match of {
                    ParentFilter::Root => uid.is_root(),
                    ParentFilter::At(of) => uid.parent().as_ref() == Some(of),
                })
                && (!in_root || uid.is_root())
                && (ids.is_empty() || ids.contains(uid))
                && fits(row)
        })
        .collect();
    found.sort_by_key(|row| {
        let Flat { uid, name, created_at } = flat(row);
        match query.order.field {
            OrderField::Uid | OrderField::Own(_) => (String::new(), 0, uid.clone()),
            OrderField::Name => (name.to_owned(), 0, uid.clone()),
            OrderField::CreatedAt => (String::new(), created_at.0, uid.clone()),
        }
    });
    if query.order.descending {
        found.reverse();
    }
    found
}

/// Walks all pages and compares each with the naive list.
macro_rules! compare {
    ($reader:expr, $rows:expr, $wish:expr, $query:expr, $flat:expr, $fits:expr) => {{
        let mut query = $query;
        let expected = naive(&$rows, &query, $flat, $fits);
        let (mut position, mut skips) = (0, $wish.skips.iter().cycle());
        loop {
            query.skip = *skips.next().unwrap_or(&0);
            let Listed { items, next, total, skipped } = rows::list($reader, &query).await.expect("lists");
            prop_assert_eq!(total, expected.len() as u64, "the total of {:?}", query);
            prop_assert_eq!(skipped, query.skip);
            position = (position + query.skip as usize).min(expected.len());
            let end = (position + query.page_size as usize).min(expected.len());
            let page: Vec<_> = expected[position..end].iter().map(|row| flat_uid(&$flat, *row)).collect();
            let got: Vec<_> = items.iter().map(|row| flat_uid(&$flat, row)).collect();
            prop_assert_eq!(got, page, "a page of {:?}", query);
            prop_assert!(items.iter().eq(expected[position..end].iter().copied()), "whole rows");
            position = end;
            prop_assert_eq!(next.is_some(), position < expected.len(), "the cursor of {:?}", query);
            query.cursor = next;
            if query.cursor.is_none() {
                break;
            }
        }
    }};
}

fn flat_uid<T>(flat: impl Fn(&T) -> Flat<'_>, row: &T) -> Uidp {
    flat(row).uid.clone()
}

/// The view of a noun for the naive list.
macro_rules! flat {
    ($row:ident, $name:expr) => {
        Flat { uid: &$row.uid, name: $name, created_at: $row.created_at }
    };
}

fn group(row: &Group) -> Flat<'_> {
    flat!(row, row.spec.name.as_str())
}

fn identity(row: &Identity) -> Flat<'_> {
    flat!(row, row.spec.name.as_str())
}

fn role(row: &Role) -> Flat<'_> {
    flat!(row, row.spec.name.as_str())
}

fn binding(row: &RoleBinding) -> Flat<'_> {
    flat!(row, "")
}

fn provider(row: &IdentityProvider) -> Flat<'_> {
    flat!(row, row.spec.name.as_str())
}

fn mapping(row: &ExternalGroupRoleMapping) -> Flat<'_> {
    flat!(row, "")
}

fn repo(row: &Repo) -> Flat<'_> {
    flat!(row, row.spec.name.as_str())
}

fn invite(row: &GroupInvite) -> Flat<'_> {
    flat!(row, "")
}

fn subscription(row: &Subscription) -> Flat<'_> {
    flat!(row, "")
}

fn tag(row: &Tag) -> Flat<'_> {
    flat!(row, row.spec.name.as_str())
}

pub(crate) async fn check(reader: &mut Reader, world: &World, uids: &[Uidp], wish: &Wish) -> Result<(), TestCaseError> {
    let name = wish.filtered.then(|| (*wish.filter.get(&NAMES)).to_owned());
    let named = |have: &str| name.as_deref().is_none_or(|name| name == have);

    let query = wish.query(uids, groups::GroupFilter { name: name.clone() });
    compare!(reader, world.groups, wish, query, group, |row: &Group| named(row.spec.name.as_str()));

    // Several subtrees one after the other, with skips from the middle of one into another.
    let plain = Wish {
        include_roots: false,
        ancestors_of: None,
        descendants_of: None,
        children_of: None,
        in_root: false,
        ids: Vec::new(),
        order: Order { field: OrderField::Uid, ..wish.order },
        ..wish.clone()
    };
    let query = plain.query(uids, repos::RepoFilter::default());
    compare!(reader, world.repos, plain, query, repo, |_: &Repo| true);

    let query = wish.query(uids, roles::RoleFilter { name: name.clone() });
    compare!(reader, world.roles, wish, query, role, |row: &Role| named(row.spec.name.as_str()));

    let query = wish.query(uids, identity_providers::IdentityProviderFilter { name: name.clone() });
    let fits = |row: &IdentityProvider| named(row.spec.name.as_str());
    compare!(reader, world.providers, wish, query, provider, fits);

    let kind = wish.filtered.then_some(RelationshipType::ServicePrincipal).filter(|_| wish.in_root || wish.page_size > 2);
    let query = wish.query(uids, identities::IdentityFilter { name: name.clone(), relationship_type: kind });
    let fits = |row: &Identity| named(row.spec.name.as_str()) && kind.is_none_or(|kind| row.spec.relationship.kind() == kind);
    compare!(reader, world.identities, wish, query, identity, fits);
    let query = wish.query(uids, identities::IdentityFilter { name: None, relationship_type: kind });
    let fits = |row: &Identity| kind.is_none_or(|kind| row.spec.relationship.kind() == kind);
    compare!(reader, world.identities, wish, query, identity, fits);

    let query = wish.query(uids, repos::RepoFilter { name: name.as_ref().map(|name| format!("{name}7")), source: None });
    let fits = |row: &Repo| name.as_ref().is_none_or(|name| row.spec.name.as_str() == format!("{name}7"));
    compare!(reader, world.repos, wish, query, repo, fits);

    let some = wish.filter.get(&world.tags);
    let picks = |bit: u32| wish.filtered && wish.page_size & bit > 0;
    let filter = tags::TagFilter {
        name: picks(1).then(|| some.spec.name.to_string()).filter(|_| wish.include_roots),
        digest: some.spec.digest.as_ref().map(ToString::to_string).filter(|_| picks(2)),
        updated_since: picks(1).then_some(some.updated_at),
        forms: (!wish.in_root).then(|| TagForms { epoch: picks(4), date: picks(2), ..some.spec.name.forms() }),
    };
    let fits = |row: &Tag| {
        filter.name.as_ref().is_none_or(|name| name == row.spec.name.as_str())
            && filter.digest.as_ref().is_none_or(|digest| row.spec.digest.as_ref().is_some_and(|is| is.as_str() == digest))
            && filter.updated_since.is_none_or(|since| row.updated_at >= since)
            && filter.forms.is_none_or(|forms| row.spec.name.forms().bits() & !forms.bits() == 0)
    };
    compare!(reader, world.tags, wish, wish.query(uids, filter.clone()), tag, fits);
    compare!(reader, world.tags, wish, wish.query(uids, tags::TagFilter::default()), tag, |_: &Tag| true);

    if wish.order.field != OrderField::Name {
        let some = wish.filter.get(&world.bindings);
        let filter = role_bindings::RoleBindingFilter {
            identity: wish.filtered.then(|| some.spec.identity.clone()).filter(|_| wish.page_size < 50),
            group: wish.filtered.then(|| some.uid.parent()).flatten().filter(|_| wish.include_roots),
            role: wish.filtered.then(|| some.spec.role.clone()),
        };
        let fits = |row: &RoleBinding| {
            filter.identity.as_ref().is_none_or(|identity| *identity == row.spec.identity)
                && filter.group.as_ref().is_none_or(|group| Some(group) == row.uid.parent().as_ref())
                && filter.role.as_ref().is_none_or(|role| *role == row.spec.role)
        };
        let query = wish.query(uids, filter.clone());
        compare!(reader, world.bindings, wish, query, binding, fits);

        let some = wish.filter.get(&world.mappings);
        let filter = external_group_role_mappings::ExternalGroupRoleMappingFilter {
            identity_provider: wish.filtered.then(|| some.uid.parent()).flatten(),
        };
        let fits = |row: &ExternalGroupRoleMapping| {
            filter.identity_provider.as_ref().is_none_or(|provider| Some(provider) == row.uid.parent().as_ref())
        };
        let query = wish.query(uids, filter.clone());
        compare!(reader, world.mappings, wish, query, mapping, fits);
        let query = wish.query(uids, group_invites::GroupInviteFilter { key_id: name.clone() });
        let fits = |row: &GroupInvite| named(&row.check.key_id);
        compare!(reader, world.invites, wish, query, invite, fits);

        let query = wish.query(uids, SubscriptionFilter);
        compare!(reader, world.subscriptions, wish, query, subscription, |_: &Subscription| true);
    }
    Ok(())
}

pub(crate) async fn pages_equal_the_naive_list(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    // Most skips go by ranks, where there are any and they have been built.
    store.set_rank_stride(4);
    let world = grow(&store).await;
    let uids = world.uids();
    let mut runner =
        TestRunner::new(Config { cases: engine.draws(), failure_persistence: None, max_shrink_iters: 200, ..Config::default() });
    let outcome = runner.run(&wishes(), |wish| {
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                let mut reader = store.reader().await.expect("reads");
                check(&mut reader, &world, &uids, &wish).await
            })
        })
    });
    outcome.expect("every page is right");
    ranks_stand(&store).await;
}

impl World {
    /// What lists ask about: mostly groups, where callers have rights; some of every other noun, and some of nothing.
    pub(crate) fn uids(&self) -> Vec<Uidp> {
        let mut uids: Vec<_> = self.groups.iter().flat_map(|group| [group.uid.clone(), group.uid.clone()]).collect();
        uids.extend(self.roles.iter().take(10).map(|role| role.uid.clone()));
        uids.extend(self.identities.iter().take(10).map(|identity| identity.uid.clone()));
        uids.extend(self.repos.iter().take(10).map(|repo| repo.uid.clone()));
        uids.extend(self.tags.iter().take(3).map(|tag| tag.uid.clone()));
        uids.extend(self.invites.iter().take(3).map(|invite| invite.uid.clone()));
        uids.extend(self.subscriptions.iter().take(3).map(|subscription| subscription.uid.clone()));
        uids.extend(self.mappings.iter().take(3).flat_map(|mapping| [mapping.uid.clone(), mapping.uid.parent().expect("one")]));
        uids.push(kit::root(5));
        uids.push(kit::child(&self.groups[0].uid, 5));
        uids
    }
}

pub(crate) async fn pages_are_stable_while_rows_come_and_go(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let steady: Vec<_> = (0..60).map(|n| kit::child(&org.uid, n * 10)).collect();
    for (n, uid) in steady.iter().enumerate() {
        let mut repo = kit::repo(uid.clone(), &format!("steady{:03}", (n * 37) % 60));
        repo.created_at = Timestamp(i64::try_from(n % 7).unwrap_or(0));
        kit::add(&store, repo).await;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let noise: Vec<_> = (0..4_u64)
        .map(|task| {
            let (store, org, stop) = (store.clone(), org.uid.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                let mut n = task;
                while !stop.load(Ordering::Relaxed) {
                    let uid = kit::child(&org, (n * 7919) % 600 * 10 + 1 + task);
                    let mut repo = kit::repo(uid.clone(), &format!("steady{:03}-{task}", n % 60));
                    repo.created_at = Timestamp(i64::try_from(n % 7).unwrap_or(0));
                    kit::add(&store, repo).await;
                    kit::write(&store, |tx| Box::pin(async move { rows::delete::<Repo>(tx, &uid).await })).await.expect("goes");
                    n += 4;
                }
            })
        })
        .collect();
    for field in [OrderField::Uid, OrderField::Name, OrderField::CreatedAt] {
        for descending in [false, true] {
            let order = Order { field, descending };
            let mut query = ListQuery { order, page_size: 7, ..kit::everything(repos::RepoFilter::default()) };
            let mut seen = Vec::new();
            loop {
                let page = rows::list(&mut store.reader().await.expect("reads"), &query).await.expect("lists");
                assert!(page.total >= steady.len() as u64);
                seen.extend(page.items);
                query.cursor = page.next;
                if query.cursor.is_none() {
                    break;
                }
            }
            let uids: std::collections::HashSet<_> = seen.iter().map(|repo| repo.uid.clone()).collect();
            assert!(steady.iter().all(|uid| uids.contains(uid)), "nothing is missing in {order:?}");
            assert_eq!(uids.len(), seen.len(), "nothing comes twice in {order:?}");
        }
    }
    stop.store(true, Ordering::Relaxed);
    for task in noise {
        task.await.expect("writes");
    }
}

pub(crate) async fn bad_queries_are_refused(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    let mut reader = store.reader().await.expect("reads");
    let mut query = kit::everything(role_bindings::RoleBindingFilter::default());
    query.order.field = OrderField::Name;
    let refused = rows::list(&mut reader, &query).await.expect_err("bindings have no name");
    assert_eq!((refused.kind(), refused.rule()), (Kind::InvalidArgument, Rule::OrderBy));

    let mut query = kit::everything(groups::GroupFilter::default());
    query.cursor = Some(Cursor { key: CursorKey::Name("a".to_owned()), uid: kit::root(1) });
    let refused = rows::list(&mut reader, &query).await.expect_err("the cursor is of another order");
    assert_eq!((refused.kind(), refused.rule()), (Kind::InvalidArgument, Rule::PageTokenMismatch));

    let mut query = kit::everything(groups::GroupFilter::default());
    query.uidp.ids = (0..1001).map(kit::root).collect();
    let refused = rows::list(&mut reader, &query).await.expect_err("too many");
    assert_eq!((refused.kind(), refused.rule()), (Kind::InvalidArgument, Rule::Field));
}
