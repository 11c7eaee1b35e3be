//! Plans are made once, for all values that a statement will be asked with. They must be as good as those that are made for each
//! value: every statement that a store sends is read from the server's log, with its values, and asked again in both ways.

use std::sync::Arc;

use domain::{
    Order, OrderField, Scopes, Uidp, UidpFilter,
    iam::{Group, Identity, Role},
    list::ParentFilter,
};
use pgcluster::{Cluster, Options};
use store::{
    Filter, ListQuery, Listed, Store, audit, changes,
    iam::{groups, identities, role_bindings, roles, standings},
    outbox,
    registry::repos,
    rows,
};

use super::{
    conformance::deep::ranks_stand,
    explained::{Explained, asked, explain},
    kit, open,
    world::{LARGE, World, fill},
};

/// Blocks that a plan for all values may read more than twice those of the plan for its own, and for each value: a list of
/// rows that are not there, or all in one block, may be looked through at once.
const SLACK: [u64; 2] = [24, 4];
/// A list of every shape: scopes, parts of the tree, orders, and how far.
async fn lists<F: Filter + Clone>(store: &Store, world: &World, filters: &[F], fields: &[OrderField]) {
    for scopes in scopes(world) {
        for uidp in parts(world) {
            for &field in fields {
                for (descending, skip) in [(false, 0), (true, 0), (false, 3_000), (true, 300)] {
                    for filter in filters {
                        let (scopes, uidp, order) = (Arc::clone(&scopes), uidp.clone(), Order { field, descending });
                        let all = kit::everything(filter.clone());
                        let mut query = ListQuery { scopes, uidp, order, skip, page_size: 20, ..all };
                        let mut reader = store.reader().await.expect("reads");
                        let Listed { next, .. } = rows::list(&mut reader, &query).await.expect("lists");
                        if let (Some(next), 0) = (next, skip) {
                            query.cursor = Some(next);
                            rows::list(&mut reader, &query).await.expect("goes on");
                        }
                    }
                }
            }
        }
    }
}

fn scopes(world: &World) -> Vec<Arc<Scopes>> {
    let subtrees = [
        vec![world.org.clone()],
        vec![world.large.clone()],
        vec![world.small[3].clone()],
        world.small[..8].to_vec(),
        world.small[..120].to_vec(),
    ];
    let all = std::iter::once(Scopes::All);
    all.chain(subtrees.into_iter().map(Scopes::Subtrees)).map(Arc::new).collect()
}

fn parts(world: &World) -> Vec<UidpFilter> {
    let none = UidpFilter::default;
    let children = |place: &Uidp| UidpFilter { children_of: Some(ParentFilter::At(place.clone())), ..none() };
    vec![
        none(),
        children(&world.large),
        children(&world.small[3]),
        UidpFilter { children_of: Some(ParentFilter::Root), ..none() },
        UidpFilter { descendants_of: Some(world.other.clone()), ..none() },
        UidpFilter { ids: (1..40).map(|n| kit::child(&world.large, n)).collect(), ..none() },
    ]
}

/// What a server asks for: every shape of list, what each request needs, and a write of each kind.
async fn ask(store: &Store, world: &World) {
    const NAMED: [OrderField; 3] = [OrderField::Uid, OrderField::Name, OrderField::CreatedAt];
    const UNNAMED: [OrderField; 2] = [OrderField::Uid, OrderField::CreatedAt];
    let name = |name: &str| Some(name.to_owned());
    let all = repos::RepoFilter::default;
    lists(store, world, &[all(), repos::RepoFilter { name: name("repo7919-1"), source: None }], &NAMED).await;
    let all = groups::GroupFilter::default;
    lists(store, world, &[all(), groups::GroupFilter { name: name("folder7919") }], &NAMED).await;
    let all = identities::IdentityFilter::default;
    lists(store, world, &[all(), identities::IdentityFilter { name: name("robot1"), ..all() }], &NAMED).await;
    lists(store, world, &[roles::RoleFilter::default()], &NAMED).await;
    let robot = kit::child(&world.large, 40_001);
    let all = role_bindings::RoleBindingFilter::default;
    let bound = role_bindings::RoleBindingFilter { identity: Some(robot.clone()), ..all() };
    let at = role_bindings::RoleBindingFilter { group: Some(world.large.clone()), ..all() };
    lists(store, world, &[all(), bound.clone(), at.clone()], &UNNAMED).await;

    let mut reader = store.reader().await.expect("reads");
    let now = standings::position(&mut reader).await.expect("reads");
    for back in [0, 3, 29_000] {
        let known = standings::Position { revision: domain::Revision(now.revision.0 - back), ..now };
        standings::news(&mut reader, known).await.expect("reads");
        changes::since(&mut reader, known.revision, 100).await.expect("reads");
    }
    standings::get(&mut reader, &robot).await.expect("reads");
    identities::find_user(&mut reader, "https://issuer.example", "nobody").await.expect("reads");
    repos::find(&mut reader, &world.large, "repo7919-1").await.expect("reads");
    audit::newest(&mut reader, 20).await.expect("reads");
    outbox::pending(&mut reader, domain::Revision(0), 20).await.expect("reads");
    drop(reader);

    let folder = kit::add(store, kit::group(kit::child(&world.org, 700), "new")).await;
    let identity = kit::add(store, kit::identity(kit::child(&folder.uid, 1), "new")).await;
    let role = kit::add(store, kit::role(kit::child(&folder.uid, 2), "new", &["groups.list"])).await;
    kit::add(store, kit::binding(kit::child(&folder.uid, 3), &identity.uid, &role.uid)).await;
    // More than a part of the ranks has, in a place that has many already.
    for n in 0..40 {
        kit::add(store, kit::repo(kit::child(&world.large, u64::from(LARGE) + 60_000 + n), &format!("new{n}"))).await;
    }
    ranks_stand(store).await;
    kit::write(store, |tx| {
        Box::pin(async move {
            rows::delete::<Identity>(tx, &identity.uid).await?;
            rows::delete::<Role>(tx, &role.uid).await?;
            rows::delete::<Group>(tx, &folder.uid).await
        })
    })
    .await
    .expect("goes");
}

/// How many blocks carrying out the plan has read.
fn blocks(plan: &str) -> u64 {
    let line = plan.lines().take_while(|line| !line.starts_with("Planning")).find(|line| line.trim().starts_with("Buffers:"));
    let number = |word: &str| -> u64 {
        let found = line.and_then(|line| line.split_once(word)?.1.split(' ').next()?.parse().ok());
        found.unwrap_or(0)
    };
    number("hit=") + number("read=")
}

/// The nodes of a plan, without what was counted.
fn shape(plan: &str) -> String {
    plan.lines().filter(|line| line.contains("->") || line.contains(" on ")).map(str::trim).collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plans_for_all_values_are_as_good_as_those_for_each() {
    let options = Options::default().set("log_statement", "all").set("autovacuum", "off");
    let Some(cluster) = Cluster::start(&options) else { return };
    let database = cluster.database();
    // Nobody makes ranks while the rows come: they are not in the feed.
    let store = open(database.url()).await.expect("opens");
    let kit::Bound { org, .. } = kit::bound(&store).await;
    kit::add(&store, kit::repo(kit::child(&org.uid, 9), "one")).await;
    store.close().await;
    let world = fill(&database);
    let store = open(database.url()).await.expect("opens");
    ranks_stand(&store).await;
    store.set_rank_stride(64);
    ranks_stand(&store).await;
    ask(&store, &world).await;
    store.close().await;

    let asked = asked(&cluster.told());
    let compared = explain(&database, &asked);
    println!("{} statements, {} with values", asked.len(), compared.len());
    assert!(asked.len() > 150, "{} statements were collected", asked.len());
    let mut worse = Vec::new();
    for Explained { statement, values, plans: [own, all] } in &compared {
        let (few, many) = (blocks(own), blocks(all));
        let slack = SLACK[0] + SLACK[1] * *values as u64;
        let is_worse = if own.contains("actual") { many > 2 * few + slack } else { shape(own) != shape(all) };
        if is_worse {
            worse.push(format!("{few} and {many} blocks: {statement}\n{own}\n{all}\n"));
        }
    }
    assert!(worse.is_empty(), "{} of {} plans are worse:\n{}", worse.len(), compared.len(), worse.join("\n"));
    // Ranks step from key to key, and read no more than lies between.
    let steps = compared.iter().filter(|one| one.statement.contains("LIMIT 1 OFFSET"));
    let most = steps.clone().map(|one| blocks(&one.plans[1])).max();
    assert!(most.is_some_and(|most| most < 150), "{most:?} blocks for a step of the ranks");
}
