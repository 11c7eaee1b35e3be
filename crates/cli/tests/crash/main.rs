//! A server, or its database, that is killed while many write: what was acknowledged is there, nothing is there by half, and
//! everything agrees with everything else.
//!
//! A program of its own, so that nothing else runs while the restart is timed. `PROVOST_TEST_KILLS` says how many times.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]
#![expect(clippy::disallowed_methods, reason = "PATH and PROVOST_TEST_KILLS come from the environment")]

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Stdio,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use cli::{clock::SystemClock, entropy::SystemEntropy};
use client::{Client, Token};
use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{
        BatchCreateRoleBindingsRequest, CreateGroupRequest, CreateIdentityRequest, CreateRoleBindingRequest, Group, Identity,
        ListGroupsRequest, ListIdentitiesRequest, ListRoleBindingsRequest, RoleBinding,
        identity::{ClaimMatch, Relationship, claim_match},
        rpc::{BatchCreateRoleBindings, CreateGroup, CreateIdentity, ListGroups, ListIdentities, ListRoleBindings},
    },
};
use domain::{Entropy as _, Noun, Op, Revision, iam::role::built_in_uid};
use store::{Store, StoreConfig, audit, changes, check::check};
use tempfile::TempDir;

mod disk;
#[path = "../program/support.rs"]
#[expect(dead_code, reason = "this test needs only some of it")]
mod support;

use support::{Server, User};

/// Both engines are tried here, whatever the test run is on: the place knows its database.
mod engine {
    use std::{path::Path, process::Command};

    pub(crate) fn on_data<'a>(command: &'a mut Command, data: &Path) -> &'a mut Command {
        command.arg("--data").arg(data)
    }
}

/// Rounds on the same data: each checks everything that came before it.
const TOGETHER: u32 = 20;

/// How many rounds: 20, or what `PROVOST_TEST_KILLS` says.
fn rounds() -> u32 {
    std::env::var("PROVOST_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

/// What is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    Server,
    Database,
}

/// What a writer knows to be stored.
#[derive(Default)]
struct Acknowledged {
    groups: BTreeSet<String>,
    identities: BTreeSet<String>,
    /// Groups with a whole batch of bindings.
    bound: BTreeSet<String>,
}

/// Bindings of a batch: the most that one may have.
const BATCH: usize = 25;

/// Where the server keeps its data, and how it is told so.
struct Place {
    data: TempDir,
    database: Option<pgcluster::Database>,
}

impl Place {
    fn start(&self, listen: &str) -> Server {
        let mut command = Server::command(self.data.path(), listen);
        if let Some(database) = &self.database {
            command.args(["--database", &database.url(), "--key-file"]).arg(self.data.path().join("key"));
        }
        command.stderr(Stdio::null());
        Server::of(command)
    }

    fn store(&self) -> StoreConfig {
        let sqlite = StoreConfig::sqlite(self.data.path());
        let Some(database) = &self.database else { return sqlite };
        let database = store::Database::Postgres(store::Postgres::parse(&database.url()).expect("a URL"));
        StoreConfig { database, ..sqlite }
    }
}

/// Held by the test that runs: a restart is timed.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn what_was_acknowledged_survives_kill_9() {
    kill_again_and_again(|| None, rounds(), Victim::Server);
}

/// PostgreSQL goes on; what the killed server had begun there ends with its connections.
#[test]
fn what_was_acknowledged_survives_kill_9_on_postgresql() {
    let Some(cluster) = pgcluster::shared() else { return };
    kill_again_and_again(|| Some(cluster.database()), rounds(), Victim::Server);
}

/// Every process of PostgreSQL at once, as if its machine were lost. The server goes on by itself.
#[test]
fn what_was_acknowledged_survives_kill_9_of_the_database() {
    let Some(cluster) = pgcluster::Cluster::start(&pgcluster::Options::default()) else { return };
    kill_again_and_again(|| Some(cluster.database()), rounds().div_ceil(4), Victim::Database);
}

fn kill_again_and_again(database: impl Fn() -> Option<pgcluster::Database>, rounds: u32, victim: Victim) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut left = rounds;
    while left > 0 {
        let place = Place { data: TempDir::new().expect("a folder"), database: database() };
        kill_for_some_rounds(&place, left.min(TOGETHER), victim);
        left = left.saturating_sub(TOGETHER);
    }
}

fn kill_for_some_rounds(place: &Place, rounds: u32, victim: Victim) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let mut server = place.start("127.0.0.1:0");
    let listen = server.listen().to_owned();
    let mut known = Acknowledged::default();
    for round in 0..rounds {
        let token = Token::new(User::admin(&server).done(&["auth", "token"]));
        let (url, organization) = (server.url.clone(), server.organization.clone());
        let survivors = runtime.block_on(async {
            let (acknowledged, stop) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
            let writers = (0..32).map(|writer| {
                let (url, token, organization, count) =
                    (url.clone(), token.clone(), organization.clone(), Arc::clone(&acknowledged));
                let stop = Arc::clone(&stop);
                tokio::spawn(
                    async move { write(&url, token, &organization, &format!("r{round}-w{writer}"), &count, &stop).await },
                )
            });
            let writers: Vec<_> = writers.collect();
            // Once all are at work, and never at the same point of it.
            let enough = 100 + 37 * usize::try_from(round).expect("a small number");
            let begin = Instant::now();
            while acknowledged.load(Ordering::Relaxed) < enough {
                assert!(begin.elapsed() < Duration::from_mins(1), "the writers do not get on");
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            tokio::time::sleep(Duration::from_micros(any_below(20_000))).await;
            match (victim, &place.database) {
                (Victim::Database, Some(database)) => tokio::task::block_in_place(|| {
                    database.cluster().kill();
                    database.cluster().start_again();
                }),
                _ => server.kill(),
            }
            // A server whose database comes back soon goes on as if nothing had been.
            stop.store(true, Ordering::Relaxed);
            let mut all = Acknowledged::default();
            for writer in writers {
                let one = writer.await.expect("a writer");
                all.groups.extend(one.groups);
                all.identities.extend(one.identities);
                all.bound.extend(one.bound);
            }
            all
        });
        known.groups.extend(survivors.groups);
        known.identities.extend(survivors.identities);
        known.bound.extend(survivors.bound);

        let begin = Instant::now();
        match victim {
            // As a service manager does it: what was torn is the next start's to mend.
            Victim::Server => server = place.start(&listen),
            Victim::Database => wait_for(&server),
        }
        let ready = begin.elapsed();
        assert!(ready < Duration::from_secs(2), "ready after {ready:?}");
        if victim == Victim::Server {
            // At any point behind its start, too; and nobody else may look while it has its folder.
            std::thread::sleep(Duration::from_micros(any_below(200_000)));
            server.kill();
        }
        let written = runtime.block_on(behind_the_api(&place.store()));
        if victim == Victim::Server {
            server = place.start(&listen);
        }
        let token = Token::new(User::admin(&server).done(&["auth", "token"]));
        runtime.block_on(verify(&server, token, &known, &written));
    }
}

/// A number that nobody foresees.
fn any_below(limit: u64) -> u64 {
    let mut bytes = [0; 8];
    SystemEntropy::default().fill(&mut bytes).expect("random bytes");
    u64::from_le_bytes(bytes) % limit
}

/// Waits until a server whose database was lost says that it is ready.
fn wait_for(server: &Server) {
    let begin = Instant::now();
    loop {
        let asked =
            std::process::Command::new("curl").args(["-sf", "-o", "/dev/null", &format!("{}/readyz", server.url)]).status();
        if asked.expect("curl runs").success() {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "the server does not come back");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Writes until the server is gone, or it is told to stop.
async fn write(url: &str, token: Token, organization: &str, name: &str, count: &AtomicUsize, stop: &AtomicBool) -> Acknowledged {
    let mut acknowledged = Acknowledged::default();
    let Ok(client) = Client::connect(url, Some(token)).await else { return acknowledged };
    for number in (0..).take_while(|_| !stop.load(Ordering::Relaxed)) {
        let group = Some(Group { name: format!("{name}-{number}"), ..Group::default() });
        let Ok(group) = client.call::<CreateGroup>(CreateGroupRequest { parent: organization.to_owned(), group }).await else {
            break;
        };
        let rule = ClaimMatch {
            iss: Some(claim_match::Iss::Issuer("https://issuer.example".into())),
            sub: Some(claim_match::Sub::Subject(name.into())),
            ..ClaimMatch::default()
        };
        let identity =
            Some(Identity { name: name.to_owned(), relationship: Some(Relationship::ClaimMatch(rule)), ..Identity::default() });
        let request = CreateIdentityRequest { parent: group.uid.clone(), identity };
        acknowledged.groups.insert(group.uid.clone());
        count.fetch_add(1, Ordering::Relaxed);
        let Ok(identity) = client.call::<CreateIdentity>(request).await else { break };
        acknowledged.identities.insert(identity.uid.clone());
        // A batch is as much work as many others, so it is what a kill often hits.
        if number % 8 == 0 {
            let Ok(_) = client.call::<BatchCreateRoleBindings>(batch(&group.uid, &identity.uid)).await else { break };
            acknowledged.bound.insert(group.uid);
        }
    }
    acknowledged
}

fn batch(group: &str, identity: &str) -> BatchCreateRoleBindingsRequest {
    let binding = RoleBinding { identity_uid: identity.to_owned(), ..RoleBinding::default() };
    let entry = CreateRoleBindingRequest { parent: String::new(), role_binding: Some(binding) };
    let viewer = built_in_uid("viewer");
    BatchCreateRoleBindingsRequest { parent: group.to_owned(), requests: vec![entry; BATCH], role_uid: viewer.to_string() }
}

/// What the feed of changes says was created. Every commit in it has its audit row, and nothing disagrees with anything.
async fn behind_the_api(config: &StoreConfig) -> BTreeSet<(&'static str, String)> {
    let store = Store::open(config, Arc::new(SystemClock), Arc::new(SystemEntropy::default())).await.expect("the folder is free");
    assert_eq!(check(&store, |_, _| ()).await.expect("looks").findings, []);
    let mut reader = store.reader().await.expect("a snapshot");
    let entries = audit::newest(&mut reader, u32::MAX).await.expect("the audit log");
    let audited: BTreeSet<_> = entries.into_iter().filter_map(|entry| entry.revision).collect();
    let changes = changes::since(&mut reader, Revision(0), u32::MAX).await.expect("the feed");
    for change in &changes {
        assert!(audited.contains(&change.revision), "{change:?} has no audit row");
    }
    drop(reader);
    store.close().await;
    changes.into_iter().filter(|change| change.op == Op::Created).map(|change| (change.noun.as_str(), change.uid)).collect()
}

/// Everything acknowledged is listed, and the kept totals equal what is there.
async fn verify(server: &Server, token: Token, known: &Acknowledged, written: &BTreeSet<(&'static str, String)>) {
    let client = Client::connect(&server.url, Some(token)).await.expect("a server");
    let (mut groups, mut identities) = (BTreeSet::new(), BTreeSet::new());
    let below = || Some(UidpFilter { descendants_of: server.organization.clone(), ..UidpFilter::default() });
    let (mut token, mut total) = (String::new(), 0);
    loop {
        let request = ListGroupsRequest { uidp: below(), page_size: 200, page_token: token, ..ListGroupsRequest::default() };
        let page = client.call::<ListGroups>(request).await.expect("a page");
        groups.extend(page.groups.into_iter().map(|group| group.uid));
        total = total.max(page.total_count.unwrap_or(-1));
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(usize::try_from(total), Ok(groups.len()), "the counter of groups agrees with the rows");
    let (mut token, mut total) = (String::new(), 0);
    loop {
        let request =
            ListIdentitiesRequest { uidp: below(), page_size: 200, page_token: token, ..ListIdentitiesRequest::default() };
        let page = client.call::<ListIdentities>(request).await.expect("a page");
        identities.extend(page.identities.into_iter().map(|identity| identity.uid));
        total = total.max(page.total_count.unwrap_or(-1));
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(usize::try_from(total), Ok(identities.len()), "the counter of identities agrees with the rows");
    let fed = |noun| {
        written.iter().filter(move |(of, _)| *of == Noun::as_str(noun)).map(|(_, uid)| uid).filter(|uid| uid.contains('/'))
    };
    assert!(fed(Noun::Group).eq(groups.iter().filter(|uid| uid.contains('/'))), "the feed and the groups agree");
    assert!(fed(Noun::Identity).eq(&identities), "the feed and the identities agree");
    assert_eq!(known.groups.difference(&groups).collect::<Vec<_>>(), Vec::<&String>::new(), "acknowledged groups are missing");
    assert_eq!(
        known.identities.difference(&identities).collect::<Vec<_>>(),
        Vec::<&String>::new(),
        "acknowledged identities are missing"
    );
    for identity in &identities {
        let parent = identity.rsplit_once('/').map(|(parent, _)| parent.to_owned()).expect("a parent");
        assert!(groups.contains(&parent), "{identity} has no group");
    }
    let mut bound = bound(&client, below()).await;
    assert_eq!(bound.remove(&server.organization), Some(1), "the owner's binding, once");
    let halves: Vec<_> = bound.iter().filter(|(_, count)| **count != BATCH).collect();
    assert_eq!(halves, [], "a batch is there as a whole or not at all");
    let lost: Vec<_> = known.bound.iter().filter(|group| !bound.contains_key(*group)).collect();
    assert_eq!(lost, Vec::<&String>::new(), "acknowledged batches are missing");
}

/// How many bindings there are at each place; the kept total equals the rows.
async fn bound(client: &Client, below: Option<UidpFilter>) -> BTreeMap<String, usize> {
    let (mut found, mut token, mut rows) = (BTreeMap::new(), String::new(), 0);
    loop {
        let request = ListRoleBindingsRequest {
            uidp: below.clone(),
            page_size: 200,
            page_token: token,
            ..ListRoleBindingsRequest::default()
        };
        let page = client.call::<ListRoleBindings>(request).await.expect("a page");
        for binding in page.role_bindings {
            let (place, _) = binding.uid.rsplit_once('/').expect("a place");
            *found.entry(place.to_owned()).or_default() += 1;
            rows += 1;
        }
        token = page.next_page_token;
        if token.is_empty() {
            assert_eq!(page.total_count, Some(rows), "the counter of bindings agrees with the rows");
            return found;
        }
    }
}
