//! A server that is killed between a commit and its deliveries: nothing is lost, the order holds, and what comes twice has one id.

use std::{collections::HashMap, sync::PoisonError, thread::sleep, time::Duration};

use testkit::{Delivered, Sink};
use tokio::runtime::Runtime;

use crate::{
    ALONE,
    support::{Server, User},
};

/// Kills.
const ROUNDS: usize = 4;
/// Folders that each server makes.
const FOLDERS: usize = 8;

#[test]
fn events_survive_kill_9() {
    let data = tempfile::tempdir().expect("a folder");
    let start = || Server::start_with(data.path(), "127.0.0.1:0", &["--events-first-retry", "200ms"]);
    survive(start);
}

#[test]
fn events_survive_kill_9_on_postgresql() {
    let Some(cluster) = pgcluster::shared() else { return };
    let (data, database) = (tempfile::tempdir().expect("a folder"), cluster.database());
    let key = data.path().join("key");
    let start = || {
        let (url, key) = (database.url(), key.to_string_lossy().into_owned());
        // A lease outlives its node by the longest request.
        let further = ["--database", &url, "--key-file", &key, "--events-first-retry", "200ms", "--events-timeout", "1s"];
        Server::start_with(&data.path().join("data"), "127.0.0.1:0", &further)
    };
    survive(start);
}

fn survive(start: impl Fn() -> Server) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = Runtime::new().expect("a runtime");
    let sink = runtime.block_on(Sink::start());
    let mut server = start();
    let mut user = User::admin(&server);
    let org = server.organization.clone();
    user.done(&["events", "subscriptions", "create", &sink.url(), "--parent", &org]);
    let mut made = Vec::new();
    for round in 0..ROUNDS {
        // The sink is away in every other round, so that all is left to the next server.
        sink.answer(if round % 2 == 0 { 503 } else { 200 });
        for n in 0..FOLDERS {
            let name = format!("f{round}-{n}");
            user.done(&["iam", "folders", "create", &name, "--parent", &org]);
            made.push(name);
        }
        sleep(Duration::from_millis(70 * round as u64));
        server.kill();
        server = start();
        user = User::admin(&server);
    }
    sink.answer(200);
    let patience = Duration::from_mins(3);
    let begin = std::time::Instant::now();
    let first = loop {
        let first = in_order(&runtime.block_on(sink.taken_within(0, patience)));
        if first.len() >= made.len() {
            break first;
        }
        assert!(begin.elapsed() < patience, "{} of {} have come", first.len(), made.len());
        sleep(Duration::from_millis(200));
    };
    let names: Vec<_> = first.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(names, made, "all have come, in order");
    let times = runtime.block_on(sink.taken_within(0, patience)).len();
    assert!(times >= made.len(), "{times} deliveries");
    server.kill();
}

/// The folders in the order in which they came first, with the ids of their events. What comes again has the id that it had.
fn in_order(taken: &[Delivered]) -> Vec<(String, String)> {
    let (mut first, mut ids) = (Vec::new(), HashMap::new());
    for event in taken.iter().filter(|event| event.header("ce-type").ends_with("iam.group.created.v1")) {
        let name = event.json().pointer("/body/name").and_then(|name| name.as_str()).unwrap_or_default().to_owned();
        let id = event.id().to_owned();
        if let Some(known) = ids.get(&name) {
            assert_eq!(*known, id, "{name} came again with another id");
        } else {
            ids.insert(name.clone(), id.clone());
            first.push((name, id));
        }
    }
    first
}
