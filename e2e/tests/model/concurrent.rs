//! Lists while rows come and go: what is there throughout comes exactly once.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use contract::chainguard::platform::iam::v2beta1::{
    CreateGroupRequest, CreateRoleBindingRequest, DeleteGroupRequest, Group, ListGroupsRequest, RoleBinding,
    rpc::{CreateGroup, CreateRoleBinding, DeleteGroup, ListGroups},
};
use domain::iam::role::built_in_uid;
use testkit::{Actor, TestServer};
use tokio::task::JoinSet;

use crate::model::random::Random;

const ORDERS: &[&str] = &["uid", "uid desc", "name", "name desc", "created_at", "created_at desc"];
/// Places of the rows; a caller with scattered bindings sees every other one.
const PLACES: usize = 6;
const STAY: usize = 60;
const WRITERS: usize = 3;
/// Walks through each order.
const WALKS: usize = 2;

/// Somebody who lists, and what is there for them.
struct Caller {
    actor: Actor,
    stay: HashSet<String>,
    /// How many rows they see at most when the writers have made as many as they may.
    most: usize,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_miss_and_repeat_nothing_while_rows_come_and_go() {
    let server = Arc::new(TestServer::start().await);
    let (admin, org) = (server.admin(), server.organization().to_string());
    let (mut random, mut places) = (Random::new(7), Vec::new());
    for number in 0..PLACES {
        places.push(create(&admin, &org, &format!("place{number}")).await);
    }
    let mut stay: HashSet<_> = places.iter().cloned().chain([org]).collect();
    for number in 0..STAY {
        // Few different times, and some names twice.
        server.clock().advance_seconds(i64::from(number % 4 == 0));
        stay.insert(create(&admin, &random.pick(&places[..]), &name(&mut random)).await);
    }
    let scattered = scattered(&server, &places).await;
    let seen = |uid: &&String| places.iter().step_by(2).any(|place| uid.starts_with(place.as_str()));
    let seen: HashSet<_> = stay.iter().filter(seen).cloned().collect();
    let callers = [(admin, stay), (scattered, seen)].map(|(actor, stay)| Caller { actor, most: stay.len() + 10 * WRITERS, stay });
    let (over, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (mut writers, places) = (JoinSet::new(), Arc::new(places));
    for seed in 0..WRITERS {
        let (server, places) = (Arc::clone(&server), Arc::clone(&places));
        writers.spawn(come_and_go(server, places, seed as u64, Arc::clone(&over), Arc::clone(&written)));
    }
    for caller in &callers {
        for (order, skip) in ORDERS.iter().flat_map(|order| (0..WALKS).map(move |walk| (*order, walk * 5))) {
            let walked = walk(caller, order, skip, &written).await;
            let distinct: HashSet<_> = walked.iter().map(|group| group.uid.clone()).collect();
            assert_eq!(distinct.len(), walked.len(), "{order}: nothing comes twice");
            let missed = caller.stay.difference(&distinct).count();
            assert!(missed <= skip, "{order}: {missed} were there all the time and did not come, {skip} were to be passed over");
            assert!(walked.windows(2).all(|pair| in_order(order, &pair[0], &pair[1])), "{order}: in order");
        }
    }
    over.store(true, Ordering::SeqCst);
    while writers.join_next().await.transpose().expect("the writers succeed").is_some() {}
    Arc::into_inner(server).expect("nobody else has the server").stop().await;
}

/// A workload that may read in every other place, and is bound at each of them.
async fn scattered(server: &TestServer, places: &[String]) -> Actor {
    let [first, others @ ..] = places else { panic!("no places") };
    let actor = server.workload(&first.parse().expect("a UIDP"), "scattered", Some("viewer")).await;
    for place in others.iter().skip(1).step_by(2) {
        let (identity_uid, role_uid) = (actor.uid().to_string(), built_in_uid("viewer").to_string());
        let binding = RoleBinding { identity_uid, role_uid, ..RoleBinding::default() };
        let request = CreateRoleBindingRequest { parent: place.clone(), role_binding: Some(binding) };
        server.admin().must::<CreateRoleBinding>(request).await;
    }
    actor
}

/// Creates and deletes folders, at most ten at a time, until it is over.
async fn come_and_go(
    server: Arc<TestServer>,
    places: Arc<Vec<String>>,
    seed: u64,
    over: Arc<AtomicBool>,
    written: Arc<AtomicUsize>,
) {
    let admin = server.admin();
    let mut random = Random::new(seed);
    let mut mine = Vec::new();
    while !over.load(Ordering::SeqCst) {
        if mine.len() < 10 && random.one_in(2) {
            mine.push(create(&admin, &random.pick(&places[..]), &name(&mut random)).await);
        } else if !mine.is_empty() {
            let uid = mine.swap_remove(random.below(mine.len()));
            admin.must::<DeleteGroup>(DeleteGroupRequest { uid }).await;
        }
        written.fetch_add(1, Ordering::SeqCst);
    }
}

async fn create(admin: &Actor, parent: &str, name: &str) -> String {
    let group = Group { name: name.to_owned(), ..Group::default() };
    admin.must::<CreateGroup>(CreateGroupRequest { parent: parent.to_owned(), group: Some(group) }).await.uid
}

/// Walks through a list behind its first rows; between any two pages something comes or goes.
async fn walk(caller: &Caller, order: &str, skip: usize, written: &AtomicUsize) -> Vec<Group> {
    let skip = i32::try_from(skip).expect("few");
    let mut request = ListGroupsRequest { page_size: 7, order_by: order.to_owned(), skip, ..ListGroupsRequest::default() };
    let mut walked = Vec::new();
    loop {
        let before = written.load(Ordering::SeqCst);
        let page = caller.actor.must::<ListGroups>(request.clone()).await;
        let total = usize::try_from(page.total_count()).expect("a count");
        assert!((caller.stay.len()..=caller.most).contains(&total), "{order}: {total} is what there was at one moment");
        walked.extend(page.groups);
        if page.next_page_token.is_empty() {
            return walked;
        }
        (request.page_token, request.skip) = (page.next_page_token, 0);
        while written.load(Ordering::SeqCst) == before {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

/// One of few names.
fn name(random: &mut Random) -> String {
    format!("{}{}", random.pick(&["a", "k", "m", "z"]), random.below(20))
}

fn in_order(order: &str, first: &Group, second: &Group) -> bool {
    let (by, descending) = order.split_once(' ').map_or((order, false), |(by, _)| (by, true));
    let key = |group: &Group| {
        let created = group.create_time.as_ref().map(|at| (at.seconds, at.nanos));
        match by {
            "name" => (group.name.clone(), None, group.uid.clone()),
            "created_at" => (String::new(), created, group.uid.clone()),
            _ => (String::new(), None, group.uid.clone()),
        }
    };
    if descending { key(first) > key(second) } else { key(first) < key(second) }
}
