//! Pages far behind the first, while rows come, go and change places.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::{
    Error, Name, Order, OrderField, Rule, Scopes, Timestamp, Uidp, UidpFilter,
    iam::{Group, Identity},
    list::ParentFilter,
    registry::Repo,
};
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::{Config, TestRunner},
};
use store::{
    ListQuery, Store,
    backup::{Archive, Backup, How, restore},
    iam::identities,
    registry::repos,
    rows,
};

use super::{
    Engine, kit,
    lists::{World, check, grow, wishes},
    metrics::sample,
};

/// Rows between two ranks, where that is the question.
const STRIDE: usize = 4;
/// Rows of one write: the time that a write may take passes on a busy machine as well.
const AT_ONCE: usize = 200;

/// Compares random pages with the naive list.
async fn compare(store: &Store, world: &World, runner: &mut TestRunner, draws: u32) {
    let uids = world.uids();
    for _ in 0..draws {
        let wish = wishes().new_tree(runner).expect("a wish").current();
        let mut reader = store.reader().await.expect("reads");
        check(&mut reader, world, &uids, &wish).await.expect("every page is right");
    }
}

async fn now(store: &Store, identity: &Uidp) -> i64 {
    let mut reader = store.reader().await.expect("reads");
    identities::relationship_revision(&mut reader, identity).await.expect("reads").expect("an identity")
}

async fn rename(store: &Store, repo: &mut Repo, name: &str) {
    let from = repo.clone();
    repo.spec.name = Name::trusted(name);
    let to = repo.clone();
    *repo = kit::write(store, |tx| Box::pin(async move { rows::update(tx, &from, &to).await })).await.expect("is renamed");
}

/// Renames, deletes, a cascade and a large import.
async fn live(store: &Store, world: &mut World, round: u64) {
    for n in 0..10 {
        let at = usize::try_from(round * 31 + n * 7).expect("few") % world.repos.len();
        rename(store, &mut world.repos[at], &format!("renamed{round}-{n}")).await;
        let at = usize::try_from(round * 17 + n * 11).expect("few") % world.repos.len();
        let gone = world.repos.swap_remove(at).uid;
        world.tags.retain(|tag| !gone.contains(&tag.uid));
        kit::write(store, |tx| Box::pin(async move { rows::delete::<Repo>(tx, &gone).await })).await.expect("goes");
    }
    let at = usize::try_from(round).expect("few") % world.groups.len();
    let (from, mut to) = (world.groups[at].clone(), world.groups[at].clone());
    to.spec.name = Name::trusted(format!("round{round}"));
    world.groups[at] =
        kit::write(store, |tx| Box::pin(async move { rows::update(tx, &from, &to).await })).await.expect("changes");
    // Its bindings go along.
    let gone = world.identities.remove(0).uid;
    world.bindings.retain(|binding| binding.spec.identity != gone);
    kit::write(store, |tx| Box::pin(async move { rows::delete::<Identity>(tx, &gone).await })).await.expect("goes");
    // More rows in one place than are kept between two fences.
    let parent = world.groups[at].uid.clone();
    let rows: Vec<_> = (0..60)
        .map(|n| {
            let mut repo = kit::repo(kit::child(&parent, (round << 32) + n), &format!("import{round}-{n}"));
            repo.created_at = Timestamp(2);
            repo
        })
        .collect();
    let added = kit::write(store, |tx| {
        Box::pin(async move {
            let mut added = Vec::new();
            for row in rows {
                added.push(rows::insert(tx, &row).await?);
            }
            Ok(added)
        })
    });
    world.repos.extend(added.await.expect("is imported"));
}

/// What leaves nothing: a write that fails in the end, and one that only validates. Its rows would be the first of their
/// order; a write that is kept follows.
async fn try_in_vain(store: &Store, world: &mut World) {
    for validate_only in [false, true] {
        let mut ctx = kit::ctx();
        ctx.validate_only = validate_only;
        let parent = world.groups[0].uid.clone();
        let tried = store.write(&ctx, |tx| {
            Box::pin(async move {
                // Too few to overfill a part, which would show.
                for n in 0..2 {
                    let mut row = kit::repo(kit::child(&parent, n), &format!("0{n}"));
                    row.created_at = Timestamp(-1);
                    rows::insert(tx, &row).await?;
                }
                if tx.ctx().validate_only { Ok(()) } else { Err(Error::invalid(Rule::Field, "no")) }
            })
        });
        assert_eq!(tried.await.is_ok(), validate_only);
        rename(store, &mut world.repos[0], &format!("kept{validate_only}")).await;
    }
}

/// Every few rows of every order, in the whole table, in an organization and among the children of a folder, all by ranks.
async fn sweep(store: &Store, world: &World) {
    ranks_stand(store).await;
    let [_, by_walk] = skips(store);
    let children = |of: &Uidp| world.repos.iter().filter(|repo| repo.uid.parent().as_ref() == Some(of)).count();
    let below = |of: &Uidp| world.repos.iter().filter(|repo| of.contains(&repo.uid)).count();
    let folder = world.groups.iter().map(|group| &group.uid).max_by_key(|uid| children(uid)).expect("a folder");
    // Rows of its own and others further below.
    let deep = world.groups.iter().map(|group| &group.uid).filter(|uid| !uid.is_root() && children(uid) < below(uid));
    let deep = deep.max_by_key(|uid| below(uid)).expect("a folder with folders");
    assert!(below(deep) > 4 * STRIDE, "{} are few", below(deep));
    let shapes = [
        UidpFilter::default(),
        UidpFilter { descendants_of: Some(folder.root()), ..UidpFilter::default() },
        UidpFilter { children_of: Some(ParentFilter::At(folder.clone())), ..UidpFilter::default() },
        UidpFilter { descendants_of: Some(deep.clone()), ..UidpFilter::default() },
    ];
    for (shape, part) in shapes.into_iter().enumerate() {
        let inside = |repo: &&Repo| match shape {
            0 => true,
            1 => folder.root().contains(&repo.uid),
            2 => repo.uid.parent().as_ref() == Some(folder),
            _ => deep.contains(&repo.uid),
        };
        let ([before, _], mut far) = (skips(store), 0.0);
        for field in [OrderField::Uid, OrderField::Name, OrderField::CreatedAt] {
            let mut expected: Vec<_> = world.repos.iter().filter(inside).collect();
            expected.sort_by_key(|repo| match field {
                OrderField::Uid | OrderField::Own(_) => (String::new(), 0, &repo.uid),
                OrderField::Name => (repo.spec.name.to_string(), 0, &repo.uid),
                OrderField::CreatedAt => (String::new(), repo.created_at.0, &repo.uid),
            });
            for descending in [false, true] {
                let order = Order { field, descending };
                for skip in (5..expected.len()).step_by(19) {
                    far += f64::from(skip > 4 * STRIDE);
                    let query = ListQuery {
                        order,
                        uidp: part.clone(),
                        skip: u32::try_from(skip).expect("few"),
                        page_size: 2,
                        ..kit::everything(repos::RepoFilter::default())
                    };
                    let page = rows::list(&mut store.reader().await.expect("reads"), &query).await.expect("lists");
                    let first = page.items.first().map(|repo| &repo.uid);
                    assert_eq!(first, expected.get(skip).map(|repo| &repo.uid), "{skip} rows into {order:?} of shape {shape}");
                }
                expected.reverse();
            }
        }
        let [after, _] = skips(store);
        assert!(far > 0.0 && after - before >= far, "{} of {far} by ranks of shape {shape}", after - before);
    }
    let [_, now] = skips(store);
    assert!((now - by_walk).abs() < 0.5, "{by_walk} by walking before, {now} now");
}

async fn backup(store: &Store, path: &std::path::Path) -> Archive {
    let mut backup = Backup::begin(store, "1.2.3", kit::NOW).await.expect("a snapshot");
    let mut bytes = Vec::new();
    while let Some(piece) = backup.next().await.expect("reads") {
        bytes.extend(piece);
    }
    std::fs::write(path, bytes).expect("is written");
    Archive::check(path, |_, _| ()).expect("is whole")
}

pub(crate) async fn deep_pages_follow_every_change(engine: &impl Engine) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = engine.open().await.expect("opens");
    store.set_rank_stride(STRIDE);
    let mut world = grow(&store).await;
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    let draws = engine.draws() / 8;
    compare(&store, &world, &mut runner, draws).await;
    sweep(&store, &world).await;
    for round in 1..=3 {
        live(&store, &mut world, round).await;
        try_in_vain(&store, &mut world).await;
        sweep(&store, &world).await;
        compare(&store, &world, &mut runner, draws).await;
    }
    let (archive, before) = (backup(&store, &folder.path().join("backup")).await, world.clone());
    live(&store, &mut world, 4).await;
    compare(&store, &world, &mut runner, draws).await;
    store.close().await;
    restore(&engine.config(), &archive, &kit::ctx(), How { replace: true, ..How::default() }, Arc::new(|_, _| ()))
        .await
        .expect("is restored");
    world = before;
    store = engine.open().await.expect("opens again");
    // No token of before is good any more.
    for identity in &mut world.identities {
        identity.relationship_revision = now(&store, &identity.uid).await;
    }
    store.set_rank_stride(STRIDE);
    compare(&store, &world, &mut runner, draws).await;
    live(&store, &mut world, 5).await;
    compare(&store, &world, &mut runner, draws).await;
    sweep(&store, &world).await;
    live(&store, &mut world, 6).await;
    sweep(&store, &world).await;
}

/// Waits until every order has ranks.
pub(crate) async fn ranks_stand(store: &Store) {
    let stand = async {
        while !store.ranks_stand() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), stand).await.expect("the ranks are made");
}

/// How many skips were made by ranks, and how many by walking although the order has ranks.
pub(crate) fn skips(store: &Store) -> [f64; 2] {
    ["ranks", "walk"].map(|by| sample(store, &format!("store_skips_total{{by=\"{by}\"}}")))
}

/// Pages at several depths of a list over these places, in every order, beside its rows sorted.
async fn compare_scattered(store: &Store, rows: &[Repo], places: &[Uidp]) {
    let scopes = Arc::new(Scopes::Subtrees(places.to_vec()));
    let mut inside: Vec<_> = rows.iter().filter(|row| scopes.contains(&row.uid)).collect();
    for field in [OrderField::Uid, OrderField::Name, OrderField::CreatedAt] {
        inside.sort_by_key(|repo| match field {
            OrderField::Uid | OrderField::Own(_) => (String::new(), 0, &repo.uid),
            OrderField::Name => (repo.spec.name.to_string(), 0, &repo.uid),
            OrderField::CreatedAt => (String::new(), repo.created_at.0, &repo.uid),
        });
        for descending in [false, true] {
            let mut cursor = None;
            for skip in [0, 9, 1100, 1300, 5000] {
                let order = Order { field, descending };
                let skip_from = u32::try_from(skip).expect("few");
                let scopes = Arc::clone(&scopes);
                let query =
                    ListQuery { scopes, order, skip: skip_from, page_size: 20, ..kit::everything(repos::RepoFilter::default()) };
                let page = rows::list(&mut store.reader().await.expect("reads"), &query).await.expect("lists");
                let expected: Vec<_> = inside.iter().skip(skip).take(20).map(|repo| &repo.uid).collect();
                assert_eq!(page.items.iter().map(|repo| &repo.uid).collect::<Vec<_>>(), expected, "{skip} rows into {order:?}");
                assert_eq!(page.total, inside.len() as u64);
                // The same from the end of the first page on.
                let first = cursor.get_or_insert(page.next).clone();
                if skip >= 20 {
                    let onward = ListQuery { cursor: first, skip: skip_from - 20, ..query };
                    let page = rows::list(&mut store.reader().await.expect("reads"), &onward).await.expect("lists");
                    assert_eq!(
                        page.items.iter().map(|repo| &repo.uid).collect::<Vec<_>>(),
                        expected,
                        "{skip} rows on in {order:?}"
                    );
                }
            }
            inside.reverse();
        }
    }
}

pub(crate) async fn scattered_places_are_one_list(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    store.set_rank_stride(16);
    let org = kit::org(&store, 1).await.uid;
    let folders: Vec<_> = (0..80).map(|n| kit::child(&org, n)).collect();
    let row = |n: u64| {
        let folder = &folders[usize::try_from(n % 80).expect("few")];
        let mut repo = kit::repo(kit::child(folder, n), &format!("repo{:05}", n * 7919 % 10_007));
        repo.created_at = Timestamp(i64::try_from(n % 7).expect("few"));
        repo
    };
    for folder in &folders {
        kit::add(&store, kit::group(folder.clone(), "folder")).await;
    }
    let mut rows = Vec::new();
    for some in (0..2800).map(row).collect::<Vec<_>>().chunks(AT_ONCE) {
        let some = some.to_vec();
        let added = kit::write(&store, |tx| {
            Box::pin(async move {
                let mut added = Vec::new();
                for repo in some {
                    added.push(rows::insert(tx, &repo).await?);
                }
                Ok(added)
            })
        });
        rows.extend(added.await.expect("is filled"));
    }
    // Every other folder, few of them, and one with a row of another beside it.
    let (many, few) = (folders.iter().step_by(2).cloned().collect::<Vec<_>>(), folders[3..6].to_vec());
    let odd: Vec<_> = many.iter().chain([&rows[1].uid]).cloned().collect();
    for places in [&many, &few, &odd] {
        compare_scattered(&store, &rows, places).await;
    }
    ranks_stand(&store).await;
    let [by_ranks, by_walk] = skips(&store);
    for round in 0..3 {
        for places in [&many, &few, &odd] {
            compare_scattered(&store, &rows, places).await;
        }
        for n in 0..10 {
            rename(&store, &mut rows[n * 131 + round], &format!("again{round}-{n}")).await;
            let gone = rows.swap_remove(n * 17 + round + 10).uid;
            kit::write(&store, |tx| Box::pin(async move { rows::delete::<Repo>(tx, &gone).await })).await.expect("goes");
            rows.push(kit::add(&store, row(2800 + (round * 10 + n) as u64)).await);
        }
    }
    let now = skips(&store);
    assert!(now[0] > by_ranks && (now[1] - by_walk).abs() < 0.5, "{by_ranks} and {by_walk} before, {now:?} now");
}

/// Folders that come and go leave nothing behind that pages far behind the first would suffer from.
pub(crate) async fn folders_come_and_go(engine: &impl Engine) {
    let store = engine.open().await.expect("opens");
    store.set_rank_stride(STRIDE);
    let org = kit::org(&store, 1).await.uid;
    let place = kit::child(&org, 1);
    kit::add(&store, kit::group(place.clone(), "folder")).await;
    let mut rows = Vec::new();
    for n in 0..60 {
        rows.push(kit::add(&store, kit::repo(kit::child(&place, n), &format!("repo{:02}", n * 7 % 60))).await);
    }
    ranks_stand(&store).await;
    for round in 0..3 {
        let folders: Vec<_> = (0..600).map(|n| kit::child(&org, 1000 + round * 600 + n)).collect();
        for some in folders.chunks(AT_ONCE) {
            let these = some.to_vec();
            kit::write(&store, |tx| {
                Box::pin(async move {
                    for folder in these {
                        rows::insert(tx, &kit::group(folder.clone(), "passing")).await?;
                        rows::insert(tx, &kit::repo(kit::child(&folder, 1), "passing")).await?;
                    }
                    Ok(())
                })
            })
            .await
            .expect("come");
        }
        for some in folders.chunks(AT_ONCE) {
            let these = some.to_vec();
            kit::write(&store, |tx| {
                Box::pin(async move {
                    for folder in these {
                        rows::delete::<Repo>(tx, &kit::child(&folder, 1)).await?;
                        rows::delete::<Group>(tx, &folder).await?;
                    }
                    Ok(())
                })
            })
            .await
            .expect("go");
        }
        compare_scattered(&store, &rows, &[place.clone(), kit::child(&org, 2)]).await;
        // Long enough for some of it to be moved forward.
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    ranks_stand(&store).await;
    compare_scattered(&store, &rows, &[place.clone(), kit::child(&org, 2)]).await;
}

/// Every row of a list in one snapshot, page by page.
async fn all(store: &Store, query: &ListQuery<repos::RepoFilter>) -> (store::Reader, Vec<Uidp>) {
    let mut reader = store.reader().await.expect("reads");
    let (mut query, mut uids) = (query.clone(), Vec::new());
    loop {
        let page = rows::list(&mut reader, &query).await.expect("lists");
        uids.extend(page.items.into_iter().map(|repo| repo.uid));
        query.cursor = page.next;
        if query.cursor.is_none() {
            return (reader, uids);
        }
    }
}

pub(crate) async fn deep_pages_belong_to_their_snapshot(engine: &impl Engine) {
    snapshots_agree(&[engine.open().await.expect("opens")]).await;
}

/// Asks each of the stores of one database for deep pages while all of them write.
pub(crate) async fn snapshots_agree(stores: &[Store]) {
    for store in stores {
        store.set_rank_stride(4);
    }
    let store = &stores[0];
    let org = kit::org(store, 1).await.uid;
    let folders: Arc<[_]> = (0..24).map(|n| kit::child(&org, n)).collect();
    for folder in &*folders {
        kit::add(store, kit::group(folder.clone(), "folder")).await;
    }
    for n in 0..80 {
        kit::add(store, kit::repo(kit::child(&org, n * 10), &format!("steady{:03}", n * 37 % 80))).await;
        let scattered = kit::child(&folders[usize::try_from(n % 24).expect("few")], n * 10);
        kit::add(store, kit::repo(scattered, &format!("steady{:03}-scattered", n * 37 % 80))).await;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let noise: Vec<_> = (0..3_u64)
        .map(|task| {
            let store = stores[usize::try_from(task).expect("few") % stores.len()].clone();
            let (org, folders, stop) = (org.clone(), Arc::clone(&folders), Arc::clone(&stop));
            tokio::spawn(async move {
                let mut n = 0;
                while !stop.load(Ordering::Relaxed) {
                    // No number comes twice in as many rounds as the prime says.
                    let number = n * 7919 % 1_000_003;
                    let folder = folders.get(usize::try_from(number % 48).expect("few"));
                    let uid = kit::child(folder.unwrap_or(&org), number * 10 + 1 + task);
                    let mut repo = kit::add(&store, kit::repo(uid.clone(), &format!("noise{number}-{task}"))).await;
                    rename(&store, &mut repo, &format!("another{number}-{task}")).await;
                    if n % 3 > 0 {
                        kit::write(&store, |tx| Box::pin(async move { rows::delete::<Repo>(tx, &uid).await }))
                            .await
                            .expect("goes");
                    }
                    n += 1;
                }
            })
        })
        .collect();
    let children = UidpFilter { children_of: Some(ParentFilter::At(org.clone())), ..UidpFilter::default() };
    for round in 0..60_usize {
        let store = &stores[round / 2 % stores.len()];
        if round > 12 {
            ranks_stand(store).await;
        }
        let field = [OrderField::Uid, OrderField::Name, OrderField::CreatedAt][round % 3];
        let part = if round / 3 % 3 == 0 { children.clone() } else { UidpFilter::default() };
        let scopes = if round / 3 % 3 == 1 { Scopes::Subtrees(folders[..20].to_vec()) } else { Scopes::All };
        let order = Order { field, descending: round % 4 > 1 };
        let query = ListQuery { scopes: Arc::new(scopes), order, uidp: part, ..kit::everything(repos::RepoFilter::default()) };
        let (mut reader, uids) = all(store, &query).await;
        for skip in [5, 17, 33, 60, 79] {
            let deep = ListQuery { skip: u32::try_from(skip).expect("few"), page_size: 3, ..query.clone() };
            let page = rows::list(&mut reader, &deep).await.expect("lists");
            assert_eq!(page.total, uids.len() as u64);
            let found: Vec<_> = page.items.iter().map(|repo| &repo.uid).collect();
            assert_eq!(found, uids.iter().skip(skip).take(3).collect::<Vec<_>>(), "{skip} rows into {order:?}");
        }
    }
    for store in stores {
        assert!(skips(store)[0] > 40.0, "ranks are of use while rows come and go: {:?}", skips(store));
    }
    stop.store(true, Ordering::Relaxed);
    for task in noise {
        task.await.expect("writes");
    }
}
