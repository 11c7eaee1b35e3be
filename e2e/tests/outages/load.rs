//! Clients who write, and somebody who keeps asking how the server is.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use client::{Options, http::Request};
use contract::chainguard::platform::iam::v2beta1::{CreateGroupRequest, Group, rpc::CreateGroup};
use testkit::{Actor, TestServer, Transport};
use tokio::task::JoinHandle;

const CLIENTS: usize = 32;
/// How long the test waits for what must happen some time.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long an answer may take, whatever the database does: the server's time limit for a request.
const LONGEST: Duration = Duration::from_mins(1);
/// How long the server may take to say how it is, on a machine that has much to do.
const HEALTH: Duration = Duration::from_secs(5);
/// How often in a row a retry is told that the request is under way before the client takes it for applied: the clock of
/// these servers stands still, so none of them ever says that the answer is lost.
const REFUSALS: usize = 40;

/// The clients at work.
pub(crate) struct Load {
    shared: Arc<Shared>,
    clients: Vec<JoinHandle<Vec<Attempt>>>,
    watcher: JoinHandle<Health>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    acknowledged: AtomicUsize,
    failed: AtomicUsize,
    ready: AtomicBool,
    probes: AtomicUsize,
}

/// A client's request for a folder. No other one has its name, unless it is a retry with the same idempotency key.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) name: String,
    pub(crate) outcome: Outcome,
}

/// What a request came to.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The folder's UID.
    Made(String),
    /// The key says that an earlier try was applied, but its answer was lost in the outage.
    Applied,
    /// The error.
    Failed(String),
}

/// What the clients tell when they are done.
pub(crate) struct Told {
    pub(crate) attempts: Vec<Attempt>,
}

impl Told {
    /// The errors that clients saw: code and message.
    pub(crate) fn failures(&self) -> impl Iterator<Item = &str> {
        self.attempts.iter().filter_map(|attempt| match &attempt.outcome {
            Outcome::Failed(error) => Some(error.as_str()),
            Outcome::Made(_) | Outcome::Applied => None,
        })
    }
}

/// What the watcher saw.
#[derive(Debug, Default)]
struct Health {
    ready: usize,
    not_ready: usize,
    other: Vec<String>,
}

impl Load {
    /// Puts the clients to work. Half of them speak JSON; every second pair repeats what failed, with an idempotency key.
    pub(crate) fn start(server: &TestServer) -> Self {
        let shared = Arc::new(Shared::default());
        let organization = server.organization().to_string();
        let clients = (0..CLIENTS).map(|number| {
            let (admin, shared, organization) = (server.admin(), Arc::clone(&shared), organization.clone());
            tokio::spawn(async move { write(number, &admin, &organization, &shared).await })
        });
        let clients = clients.collect();
        let watcher = tokio::spawn(watch(server.nobody(), Arc::clone(&shared)));
        Self { shared, clients, watcher }
    }

    /// Waits until the clients have made a good number of further folders.
    pub(crate) async fn progress(&self) {
        let enough = self.shared.acknowledged.load(Ordering::Relaxed) + 3 * CLIENTS;
        self.until("the clients get on", |shared| shared.acknowledged.load(Ordering::Relaxed) >= enough).await;
    }

    /// Waits until the clients have seen a good number of further errors.
    pub(crate) async fn trouble(&self) {
        let enough = self.shared.failed.load(Ordering::Relaxed) + CLIENTS;
        self.until("the clients are in trouble", |shared| shared.failed.load(Ordering::Relaxed) >= enough).await;
    }

    /// Waits until `/readyz` says so, asked after now.
    pub(crate) async fn ready(&self) {
        self.says(true).await;
    }

    /// Waits until `/readyz` says that the server is not ready, asked after now.
    pub(crate) async fn not_ready(&self) {
        self.says(false).await;
    }

    async fn says(&self, ready: bool) {
        // The one under way may have been answered before.
        let later = self.shared.probes.load(Ordering::Relaxed) + 2;
        let what = if ready { "the server is ready" } else { "the server is not ready" };
        self.until(what, |shared| {
            shared.probes.load(Ordering::Relaxed) >= later && shared.ready.load(Ordering::Relaxed) == ready
        })
        .await;
    }

    async fn until(&self, what: &str, happens: impl Fn(&Shared) -> bool) {
        let begin = Instant::now();
        while !happens(&self.shared) {
            assert!(begin.elapsed() < PATIENCE, "it never comes that {what}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Lets the clients finish. What they saw is checked: nothing but these codes, no answer too late, a server that lives.
    pub(crate) async fn finish(self, story: &str, allowed: &[&str]) -> Told {
        self.shared.stop.store(true, Ordering::Relaxed);
        let mut attempts = Vec::new();
        for client in self.clients {
            attempts.extend(client.await.expect("a client"));
        }
        let health = self.watcher.await.expect("the watcher");
        let mut codes: BTreeMap<String, usize> = BTreeMap::new();
        for attempt in &attempts {
            let code = match &attempt.outcome {
                Outcome::Made(_) => "OK",
                Outcome::Applied => "ABORTED: applied, the answer lost",
                Outcome::Failed(error) => error,
            };
            *codes.entry(code.to_owned()).or_default() += 1;
        }
        println!("{story}: {codes:#?}, /readyz {} times ready, {} times not", health.ready, health.not_ready);
        assert_eq!(health.other, Vec::<String>::new(), "{story}: the server lives, and says so in time");
        for code in codes.keys() {
            let name = code.split(':').next().unwrap_or_default();
            assert!(name == "OK" || allowed.contains(&name), "{story}: nobody may see {code}");
        }
        Told { attempts }
    }
}

async fn write(number: usize, admin: &Actor, organization: &str, shared: &Shared) -> Vec<Attempt> {
    let transport = if number.is_multiple_of(2) { Transport::Grpc } else { Transport::Json };
    let retried = number % 4 >= 2;
    let (mut attempts, mut next, mut refusals) = (Vec::new(), 0, 0);
    loop {
        let name = format!("w{number}-{next}");
        let group = Some(Group { name: name.clone(), ..Group::default() });
        let request = CreateGroupRequest { parent: organization.to_owned(), group };
        let options = Options { idempotency_key: retried.then(|| name.clone()), ..Options::default() };
        let begin = Instant::now();
        let answer = admin.call_with::<CreateGroup>(transport, request, &options).await;
        let took = begin.elapsed();
        assert!(took < LONGEST, "{name} was answered after {took:?}: {}", answer.code);
        refusals = if answer.code == "ABORTED" { refusals + 1 } else { 0 };
        let outcome = if answer.code == "OK" {
            Outcome::Made(answer.ok::<Group>().uid)
        } else if refusals > REFUSALS {
            Outcome::Applied
        } else {
            Outcome::Failed(format!("{}: {}", answer.code, answer.body["message"]))
        };
        let failed = matches!(outcome, Outcome::Failed(_));
        attempts.push(Attempt { name, outcome });
        if failed {
            shared.failed.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(50)).await;
        } else {
            shared.acknowledged.fetch_add(1, Ordering::Relaxed);
        }
        if !failed || !retried {
            (next, refusals) = (next + 1, 0);
            if shared.stop.load(Ordering::Relaxed) {
                return attempts;
            }
        }
    }
}

/// Asks for health until the clients are done. It is always answered, and in time.
async fn watch(nobody: Actor, shared: Arc<Shared>) -> Health {
    let mut health = Health::default();
    while !shared.stop.load(Ordering::Relaxed) {
        let begin = Instant::now();
        let ready = nobody.http(Request::get("/readyz")).await;
        shared.ready.store(ready.status == 200, Ordering::Relaxed);
        shared.probes.fetch_add(1, Ordering::Relaxed);
        match ready.status.as_u16() {
            200 => health.ready += 1,
            503 => health.not_ready += 1,
            other => health.other.push(format!("/readyz {other}: {}", ready.text())),
        }
        let live = nobody.http(Request::get("/livez")).await;
        if live.status != 200 {
            health.other.push(format!("/livez {}: {}", live.status, live.text()));
        }
        if begin.elapsed() > HEALTH {
            health.other.push(format!("the answers took {:?}", begin.elapsed()));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    health
}
