//! A node that hangs while it holds the write lock of all: its process is stopped, and goes on later.

use std::{
    sync::{Arc, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use client::{
    Client, Token,
    http::{Http, Request},
};
use tempfile::TempDir;
use tokio::{runtime::Runtime, task::JoinHandle};

use crate::{
    ALONE, found,
    known::Known,
    support::{Server, User},
    victims::Place,
    writers::{Shared, Writer},
};

/// On each node.
const WRITERS: usize = 8;
/// PostgreSQL ends a transaction that does nothing after three seconds; the machine may have much to do.
const HELD: Duration = Duration::from_secs(10);
/// How long the test waits for what must happen some time.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long a node that was stopped may take to show that it holds the lock: what it has sent is still answered.
const SHOWS: Duration = Duration::from_secs(1);
/// Connections that do nothing in a transaction which has asked for the write lock and has it: for so long that it is none of
/// a node at work.
const HOLDERS: &str = "SELECT count(*) FROM pg_stat_activity a JOIN pg_locks l USING (pid) \
    WHERE a.state = 'idle in transaction' AND a.state_change < clock_timestamp() - interval '200 ms' \
    AND a.datname = current_database() AND l.granted AND l.relation = 'revision'::regclass AND l.mode = 'RowShareLock'";

/// What a load balancer reads of a node.
#[derive(Debug, Default)]
struct Health {
    asked: usize,
    degraded: usize,
    /// Answers other than 200.
    unready: Vec<String>,
}

/// Asks a node how it is until it is told to stop.
async fn watch(url: String, shared: Arc<Shared>) -> Health {
    let (http, mut health) = (Http::new(&url, None).expect("a client"), Health::default());
    while !shared.stop.load(Ordering::Relaxed) {
        let answer = http.send(Request::get("/readyz")).await.expect("an answer");
        health.asked += 1;
        match answer.status.as_u16() {
            200 => health.degraded += usize::from(answer.json().get("status").is_some_and(|status| status == "degraded")),
            _ => health.unready.push(answer.text()),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    health
}

struct Nodes {
    database: pgcluster::Database,
    place: Place,
    frozen: Server,
    other: Server,
    _folder: TempDir,
    token: Token,
    runtime: Runtime,
}

impl Nodes {
    fn start(database: pgcluster::Database) -> Self {
        let (place, folder) = (Place::new(Some(database.clone())), TempDir::new().expect("a folder"));
        let frozen = place.start("127.0.0.1:0");
        let other = Server::on_postgres(folder.path(), &database.url(), &place.data.path().join("key"), Some(&frozen));
        let token = Token::new(User::admin(&frozen).done(&["auth", "token"]));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        Self { database, place, frozen, other, _folder: folder, token, runtime }
    }

    async fn client(&self, node: &Server) -> Client {
        Client::connect(&node.url, Some(self.token.clone())).await.expect("a server")
    }

    /// Puts writers to work at a node.
    fn write(&self, node: &Server, name: &str, shared: &Arc<Shared>) -> Vec<JoinHandle<Known>> {
        self.runtime.block_on(async {
            let mut writers = Vec::new();
            for number in 0..WRITERS {
                let (client, name) = (self.client(node).await, format!("{name}{number}"));
                let writer = Writer::new(client, &self.frozen.organization, name, false, Arc::clone(shared));
                writers.push(tokio::spawn(writer.write(number)));
            }
            writers
        })
    }

    /// Stops the process while it holds the lock. Answers when.
    fn freeze(&self) -> Instant {
        let begin = Instant::now();
        loop {
            let stopped = Instant::now();
            self.frozen.signal("STOP");
            while stopped.elapsed() < SHOWS {
                if self.database.sql(HOLDERS) == "1" {
                    return stopped;
                }
            }
            assert!(begin.elapsed() < PATIENCE, "the node never holds the lock");
            self.frozen.signal("CONT");
            std::thread::sleep(Duration::from_millis(7));
        }
    }
}

fn wait_for_more(shared: &Shared, most: Duration) {
    let (begin, before) = (Instant::now(), shared.acknowledged.load(Ordering::Relaxed));
    while shared.acknowledged.load(Ordering::Relaxed) < before + 2 * WRITERS {
        assert!(begin.elapsed() < most, "the writers do not get on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_frozen_node_holds_up_the_others_for_seconds() {
    let Some(cluster) = pgcluster::shared() else { return };
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let nodes = Nodes::start(cluster.database());
    let mut known = nodes
        .runtime
        .block_on(async { Known::of(&found::listed(&nodes.client(&nodes.frozen).await, &nodes.frozen.organization).await) });
    let (here, there) = (Arc::<Shared>::default(), Arc::<Shared>::default());
    let mut writers = nodes.write(&nodes.frozen, "frozen", &here);
    writers.extend(nodes.write(&nodes.other, "other", &there));
    let health = nodes.runtime.spawn(watch(nodes.other.url.clone(), Arc::clone(&there)));
    wait_for_more(&here, PATIENCE);
    wait_for_more(&there, PATIENCE);

    let stopped = nodes.freeze();
    wait_for_more(&there, HELD);
    let held = stopped.elapsed();
    // The others go on for good, and not for one turn.
    wait_for_more(&there, PATIENCE);
    nodes.frozen.signal("CONT");
    // Who was told that a write failed has stopped; the node takes new ones.
    let again = Arc::<Shared>::default();
    writers.extend(nodes.write(&nodes.frozen, "thawed", &again));
    wait_for_more(&again, PATIENCE);

    for shared in [&here, &there, &again] {
        shared.stop.store(true, Ordering::Relaxed);
    }
    let health = nodes.runtime.block_on(health).expect("the watcher");
    // Whether they were asked just while writes waited is luck.
    println!("the others wrote again after {held:?}; their /readyz: {health:?}");
    assert_eq!(health.unready, Vec::<String>::new(), "a load balancer goes on asking them");
    for writer in writers {
        known.extend(nodes.runtime.block_on(writer).expect("a writer"));
    }
    nodes.runtime.block_on(async {
        let behind = found::behind_the_api(&nodes.place.store()).await;
        for node in [&nodes.frozen, &nodes.other] {
            let client = nodes.client(node).await;
            known.settle(&found::everything(&client, &nodes.frozen.organization, &behind).await);
        }
    });
}
