//! Everybody who works on the server at once.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::task::JoinHandle;

use super::stage::{Stage, any};
use crate::{
    Error, Result,
    load::{
        Clients,
        http::{self, Connection},
    },
    world::spread,
};

/// What somebody does again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// Reads a folder as one of many callers.
    Read,
    /// Reads pages of every order and depth as one of many callers.
    List,
    /// Exchanges a workload's token for one that others use from then on.
    Exchange,
    /// Makes a folder, changes it and removes it.
    Write,
    /// Is refused: with a token that nobody signed, and without the right.
    Refuse,
    /// Makes an identity of an issuer that nobody has heard of, exchanges its token, and removes it.
    Introduce,
}

/// How many do what.
const CROWD: [(Work, usize); 6] =
    [(Work::Read, 8), (Work::List, 4), (Work::Exchange, 4), (Work::Write, 4), (Work::Refuse, 2), (Work::Introduce, 1)];
/// After so many rounds of work each goes on with a new connection.
const ROUNDS: u64 = 500;
/// How many wrong answers are told in full.
const TOLD: u64 = 3;

/// All of them at work.
#[derive(Debug)]
pub(super) struct Crowd {
    counts: Arc<Counts>,
    tasks: Vec<JoinHandle<()>>,
}

/// How far they have come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub(super) answers: u64,
    pub(super) tokens: u64,
}

#[derive(Debug, Default)]
struct Counts {
    numbers: AtomicU64,
    answers: AtomicU64,
    tokens: AtomicU64,
    unexpected: AtomicU64,
    told: Mutex<Vec<String>>,
}

impl Crowd {
    /// Lets all of them work on the clients' thread for `time`.
    pub(super) async fn begin(clients: &Clients, stage: Arc<Stage>, time: Duration) -> Result<Self> {
        let (counts, end) = (Arc::new(Counts::default()), Instant::now() + time);
        let shared = Arc::clone(&counts);
        let tasks = clients.run(async move {
            let works = CROWD.iter().flat_map(|(work, count)| std::iter::repeat_n(*work, *count));
            Ok(works.map(|work| tokio::spawn(go_on(work, Arc::clone(&stage), Arc::clone(&shared), end))).collect())
        });
        Ok(Self { tasks: tasks.await?, counts })
    }

    /// How far they have come by now.
    pub(super) fn progress(&self) -> Progress {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Progress { answers: read(&self.counts.answers), tokens: read(&self.counts.tokens) }
    }

    /// How many answers were not those that were due, and the first of them.
    pub(super) fn unexpected(&self) -> (u64, Vec<String>) {
        let told = self.counts.told.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (self.counts.unexpected.load(Ordering::Relaxed), told)
    }

    /// Waits until everybody has stopped.
    pub(super) async fn end(self) {
        for task in self.tasks {
            // One that has panicked has stopped as well.
            let _ = task.await;
        }
    }
}

async fn go_on(work: Work, stage: Arc<Stage>, counts: Arc<Counts>, end: Instant) {
    while Instant::now() < end {
        if let Err(error) = with_one_connection(work, &stage, &counts, end).await {
            let before = counts.unexpected.fetch_add(1, Ordering::Relaxed);
            if before < TOLD {
                counts.told.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{work:?}: {error}"));
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

async fn with_one_connection(work: Work, stage: &Stage, counts: &Counts, end: Instant) -> Result<()> {
    let mut connection = Connection::open(stage.address, Vec::new()).await?;
    for _ in 0..ROUNDS {
        if Instant::now() >= end {
            break;
        }
        let number = counts.numbers.fetch_add(1, Ordering::Relaxed);
        let answers = work.round(&mut connection, stage, counts, number).await?;
        counts.answers.fetch_add(answers, Ordering::Relaxed);
    }
    Ok(())
}

impl Work {
    /// One round, told by a number that no other has; how many answers there were.
    async fn round(self, connection: &mut Connection, stage: &Stage, counts: &Counts, number: u64) -> Result<u64> {
        match self {
            Self::Read => read(connection, stage, number).await,
            Self::List => list(connection, stage, number).await,
            Self::Exchange => {
                let (identity, token) = any(&stage.workloads, spread(number))?;
                let exchanged = connection.json(http::exchange(identity, token)).await?;
                stage.keep(http::text(&exchanged, "/token")?);
                counts.tokens.fetch_add(1, Ordering::Relaxed);
                Ok(1)
            }
            Self::Write => write(connection, stage, number).await,
            Self::Refuse => refuse(connection, stage, number).await,
            Self::Introduce => introduce(connection, stage, number).await,
        }
    }
}

async fn read(connection: &mut Connection, stage: &Stage, number: u64) -> Result<u64> {
    let folder = any(&stage.folders, spread(number))?;
    connection.set(http::get(&format!("/iam/v2beta1/groups/{folder}"), &stage.token(spread(!number))));
    connection.body().await?;
    Ok(1)
}

async fn list(connection: &mut Connection, stage: &Stage, number: u64) -> Result<u64> {
    let (order, skip) = (any(&["uid", "name", "created_at"], number)?, spread(number) % 200);
    let path = format!("/iam/v2beta1/groups?uidp.descendantsOf={}&orderBy={order}&skip={skip}", stage.organization);
    connection.set(http::get(&path, &stage.token(spread(!number))));
    connection.body().await?;
    Ok(1)
}

async fn write(connection: &mut Connection, stage: &Stage, number: u64) -> Result<u64> {
    let made = connection.json(stage.new_folder(&format!("new folder {number}"))).await?;
    let path = format!("/iam/v2beta1/groups/{}", http::text(&made, "/uid")?);
    let change = json!({"description": format!("changed in round {number}")}).to_string();
    connection.json(http::patch(&path, &stage.owner, &change)).await?;
    connection.json(http::delete(&path, &stage.owner)).await?;
    Ok(3)
}

async fn refuse(connection: &mut Connection, stage: &Stage, number: u64) -> Result<u64> {
    let (folder, token) = (any(&stage.folders, spread(number))?, stage.token(spread(!number)));
    // Another signature of the right length.
    let forged = token.rsplit_once('.').map(|(signed, _)| format!("{signed}.{:0>86}", format!("{:x}", spread(number))));
    let path = format!("/iam/v2beta1/groups/{folder}");
    expect(connection, http::get(&path, &forged.unwrap_or_default()), 401).await?;
    expect(connection, http::delete(&path, &token), 403).await?;
    Ok(2)
}

async fn introduce(connection: &mut Connection, stage: &Stage, number: u64) -> Result<u64> {
    let (issuer, subject) = (stage.providers.tenant(number), format!("stranger {number}"));
    let made = connection.json(stage.new_identity(&issuer, &subject)).await?;
    let identity = http::text(&made, "/uid")?;
    let exchanged = connection.json(http::exchange(&identity, &stage.workload_token(&issuer, &subject)?)).await?;
    let token = http::text(&exchanged, "/token")?;
    connection.json(http::delete(&format!("/iam/v2beta1/identities/{identity}"), &stage.owner)).await?;
    // Nobody is behind it any more.
    expect(connection, http::get("/iam/v2beta1/groups", &token), 401).await?;
    Ok(4)
}

/// Sends a request that must be refused with this status.
async fn expect(connection: &mut Connection, request: Vec<u8>, due: u16) -> Result<()> {
    connection.set(request);
    match connection.answer().await? {
        (status, _) if status == due => Ok(()),
        (status, body) => Err(Error::new(format!("{status} instead of {due}: {}", String::from_utf8_lossy(body)))),
    }
}
