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
    CreateGroupRequest, DeleteGroupRequest, Group, ListGroupsRequest,
    rpc::{CreateGroup, DeleteGroup, ListGroups},
};
use testkit::{Actor, TestServer};
use tokio::task::JoinSet;

use crate::random::Random;

const ORDERS: &[&str] = &["uid", "uid desc", "name", "name desc", "created_at", "created_at desc"];
const STAY: usize = 60;
const WRITERS: usize = 3;
/// Walks through each order.
const WALKS: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_miss_and_repeat_nothing_while_rows_come_and_go() {
    let server = Arc::new(TestServer::start().await);
    let (admin, org) = (server.admin(), server.organization().to_string());
    let mut random = Random::new(7);
    let mut stay = HashSet::new();
    for number in 0..STAY {
        // Few different times, and some names twice.
        server.clock().advance_seconds(i64::from(number % 4 == 0));
        stay.insert(create(&admin, &org, &name(&mut random)).await);
    }
    let (over, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let mut writers = JoinSet::new();
    for seed in 0..WRITERS {
        writers.spawn(come_and_go(Arc::clone(&server), seed as u64, Arc::clone(&over), Arc::clone(&written)));
    }
    for order in ORDERS {
        for _ in 0..WALKS {
            let walked = walk(&admin, order, &written).await;
            let distinct: HashSet<_> = walked.iter().map(|group| group.uid.clone()).collect();
            assert_eq!(distinct.len(), walked.len(), "{order}: nothing comes twice");
            let missed: Vec<_> = stay.difference(&distinct).collect();
            assert!(missed.is_empty(), "{order}: {missed:?} were there all the time and did not come");
            assert!(walked.windows(2).all(|pair| in_order(order, &pair[0], &pair[1])), "{order}: in order");
        }
    }
    over.store(true, Ordering::SeqCst);
    while writers.join_next().await.transpose().expect("the writers succeed").is_some() {}
    Arc::into_inner(server).expect("nobody else has the server").stop().await;
}

/// Creates and deletes folders, at most ten at a time, until it is over.
async fn come_and_go(server: Arc<TestServer>, seed: u64, over: Arc<AtomicBool>, written: Arc<AtomicUsize>) {
    let (admin, org) = (server.admin(), server.organization().to_string());
    let mut random = Random::new(seed);
    let mut mine = Vec::new();
    while !over.load(Ordering::SeqCst) {
        if mine.len() < 10 && random.one_in(2) {
            mine.push(create(&admin, &org, &name(&mut random)).await);
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

/// Walks through a list; between any two pages something comes or goes.
async fn walk(admin: &Actor, order: &str, written: &AtomicUsize) -> Vec<Group> {
    let mut request = ListGroupsRequest { page_size: 7, order_by: order.to_owned(), ..ListGroupsRequest::default() };
    let mut walked = Vec::new();
    loop {
        let before = written.load(Ordering::SeqCst);
        let page = admin.must::<ListGroups>(request.clone()).await;
        let total = usize::try_from(page.total_count()).expect("a count");
        assert!((STAY..=STAY + 1 + 10 * WRITERS).contains(&total), "{order}: {total} is what there was at one moment");
        walked.extend(page.groups);
        if page.next_page_token.is_empty() {
            return walked;
        }
        request.page_token = page.next_page_token;
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
