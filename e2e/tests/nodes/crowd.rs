//! Grants and revocations at one node while many call at all of them: no answer is older than the write before it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use contract::chainguard::platform::iam::v2beta1::{
    DeleteRoleBindingRequest, GetGroupRequest,
    rpc::{DeleteRoleBinding, GetGroup},
};
use testkit::{Actor, Line, Proxy, Setup, TestServer, Transport};

use crate::{Nodes, at, bind, make_folder};

/// Those whose rights change, each again and again.
const ROBOTS: usize = 4;
const ROUNDS: usize = 20;
/// Those who only call, at every node.
const CALLERS: usize = 4;
/// How much later than at the others the database's answers arrive at one node: longer than a write at another one takes.
const LATE: Duration = Duration::from_millis(50);

async fn code(actor: &Actor, uid: &str) -> String {
    actor.call::<GetGroup>(Transport::Grpc, GetGroupRequest { uid: uid.to_owned() }).await.code
}

async fn at_once([a, b, c, d]: &[Actor; 4], uid: &str) -> [String; 4] {
    tokio::join!(code(a, uid), code(b, uid), code(c, uid), code(d, uid)).into()
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_an_old_right() {
    let Some(cluster) = pgcluster::shared() else { return };
    let database = cluster.database();
    let proxy = Proxy::start(cluster.address()).await;
    let through = cluster.url_at(proxy.address(), database.name());
    let one = TestServer::start_with(Setup { database: Some(database), ..Setup::default() }).await;
    let nodes = Nodes { other: one.second_node().await, one };
    let third = nodes.one.second_node_at(through).await;
    // What this node is told is old when it arrives, if it was asked for before the write.
    proxy.set(Line::Slow(LATE));
    let org = nodes.one.organization().to_string();
    let everywhere = [&nodes.one, &nodes.other, &third];

    let (stop, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let mut background = Vec::new();
    for number in 0..CALLERS {
        let viewer = nodes.one.workload(nodes.one.organization(), &format!("viewer-{number}"), Some("viewer")).await;
        for node in everywhere {
            let (viewer, org, stop, calls) = (at(node, &viewer), org.clone(), Arc::clone(&stop), Arc::clone(&calls));
            background.push(tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    assert_eq!(code(&viewer, &org).await, "OK");
                    calls.fetch_add(1, Ordering::Relaxed);
                }
            }));
        }
    }
    let (owner, parent, ends) = (nodes.one.admin(), org.clone(), Arc::clone(&stop));
    background.push(tokio::spawn(async move {
        while !ends.load(Ordering::Relaxed) {
            make_folder(&owner, &parent, "busy").await;
        }
    }));

    let mut robots = Vec::new();
    for number in 0..ROBOTS {
        let robot = nodes.one.workload(nodes.one.organization(), &format!("robot-{number}"), None).await;
        // One node writes; the others are asked, both at once and twice each.
        let asked = [&nodes.other, &third, &nodes.other, &third].map(|node| at(node, &robot));
        let (admin, org) = (nodes.one.admin(), org.clone());
        robots.push(tokio::spawn(async move {
            for round in 0..ROUNDS {
                let binding = bind(&admin, &org, robot.uid().as_str(), "viewer").await;
                let granted = at_once(&asked, &org).await;
                assert_eq!(granted, ["OK"; 4], "robot {number}, round {round}: after the grant");
                admin.must::<DeleteRoleBinding>(DeleteRoleBindingRequest { uid: binding }).await;
                let revoked = at_once(&asked, &org).await;
                assert_eq!(revoked, ["PERMISSION_DENIED"; 4], "robot {number}, round {round}: after the revocation");
            }
        }));
    }
    for robot in robots {
        robot.await.expect("no old answer");
    }
    stop.store(true, Ordering::Relaxed);
    for task in background {
        task.await.expect("everybody else was served");
    }
    println!("{} changes; {} other calls meanwhile", 2 * ROBOTS * ROUNDS, calls.load(Ordering::Relaxed));
    third.stop().await;
    nodes.stop().await;
}
