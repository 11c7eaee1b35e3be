//! Kills, again and again on the same data.

use std::{
    sync::{Arc, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use client::{Client, Token};
use domain::Entropy as _;
use server::SystemEntropy;
use tokio::runtime::Runtime;

use crate::{
    ALONE, found,
    known::Known,
    support::{Server, User},
    victims::{Place, Victim, wait_for},
    writers::{Shared, Writer},
};

/// Rounds on the same data: each checks everything that came before it.
const TOGETHER: u32 = 5;
const WRITERS: usize = 32;
/// One of so many writers sends again what it has no answer to.
const KEYED: usize = 4;
/// Longer than a server lets requests wait for its database.
const LONG: Duration = Duration::from_secs(6);
/// How long the outcome of a request may stay open; the server gives up after half a minute.
const PATIENCE: Duration = Duration::from_secs(40);

/// How many rounds: 8, or what `PROVOST_TEST_KILLS` says.
pub(crate) fn rounds() -> u32 {
    std::env::var("PROVOST_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(8)
}

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
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut first = None;
    let mut left = rounds;
    while left > 0 {
        let mut run = Run::begin(Place::new(database()), victim);
        for round in 0..left.min(TOGETHER) {
            run.round(round);
        }
        left = left.saturating_sub(TOGETHER);
        first.get_or_insert(run);
    }
    // That takes its time, but the others have taken it already.
    drop(alone);
    if let Some(run) = first {
        run.wait_for_answers();
    }
}

/// Rounds on the same data.
struct Run {
    server: Server,
    listen: String,
    /// It outlives those who have issued it.
    token: Token,
    known: Known,
    runtime: Runtime,
    victim: Victim,
    place: Place,
    /// How long a start may take: two seconds, and where a first one has taken most of that, some times as long as that.
    patience: Duration,
}

impl Run {
    fn begin(place: Place, victim: Victim) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        let begin = Instant::now();
        let server = place.start("127.0.0.1:0");
        let patience = Duration::from_secs(2).max(4 * begin.elapsed());
        let token = Token::new(User::admin(&server).done(&["auth", "token"]));
        let listen = server.listen().to_owned();
        let mut run = Self { server, listen, token, known: Known::default(), runtime, victim, place, patience };
        run.known =
            Known::of(&run.runtime.block_on(async { found::listed(&run.client().await, &run.server.organization).await }));
        run
    }

    async fn client(&self) -> Client {
        Client::connect(&self.server.url, Some(self.token.clone())).await.expect("a server")
    }

    fn round(&mut self, round: u32) {
        self.kill_while_many_write(round);
        let begin = Instant::now();
        match self.victim {
            // As a service manager does it: what was torn is the next start's to mend.
            Victim::Server => self.server = self.place.start(&self.listen),
            Victim::Database => wait_for(&self.server),
        }
        let ready = begin.elapsed();
        assert!(ready < self.patience, "ready after {ready:?}, of {:?}", self.patience);
        if self.victim == Victim::Server {
            self.kill_while_some_try_again();
        }
        let behind = self.runtime.block_on(found::behind_the_api(&self.place.store()));
        if self.victim == Victim::Server {
            self.server = self.place.start(&self.listen);
        }
        self.runtime.block_on(async {
            let client = Client::connect(&self.server.url, Some(self.token.clone())).await.expect("a server");
            self.known.settle(&found::everything(&client, &self.server.organization, &behind).await);
            self.known.send_again(&client, self.victim == Victim::Server).await;
        });
    }

    fn kill_while_many_write(&mut self, round: u32) {
        // Once all are at work, and never at the same point of it.
        let enough = 200 + 50 * usize::try_from(round).expect("a small number");
        let shared = Arc::new(Shared::default());
        let writers: Vec<_> = self.runtime.block_on(async {
            let mut writers = Vec::new();
            for number in 0..WRITERS {
                let (name, keyed) = (format!("r{round}-w{number}"), number.is_multiple_of(KEYED));
                let organization = &self.server.organization;
                let writer = Writer::new(self.client().await, organization, name, keyed, Arc::clone(&shared));
                writers.push(tokio::spawn(writer.write(number)));
            }
            writers
        });
        let begin = Instant::now();
        while shared.acknowledged.load(Ordering::Relaxed) < enough {
            assert!(begin.elapsed() < Duration::from_mins(5), "the writers do not get on");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(any_below(20_000)));
        // A server whose database comes back soon goes on as if nothing had been. Once it does not, and requests stay unanswered.
        let away = if round == 0 { LONG } else { Duration::ZERO };
        self.place.kill(self.victim, &mut self.server, away);
        shared.stop.store(true, Ordering::Relaxed);
        for writer in writers {
            self.known.extend(self.runtime.block_on(writer).expect("a writer"));
        }
    }

    /// At any point behind its start, too; and nobody else may look while it has its folder.
    fn kill_while_some_try_again(&mut self) {
        let Self { server, known, runtime, token, .. } = self;
        let url = server.url.clone();
        runtime.block_on(async {
            let again = async {
                if let Ok(client) = Client::connect(&url, Some(token.clone())).await {
                    known.try_again(&client).await;
                }
            };
            let kill = async {
                tokio::time::sleep(Duration::from_micros(any_below(200_000))).await;
                server.kill();
            };
            tokio::join!(again, kill);
        });
    }

    /// Sends again what has no answer yet, until it has; nothing is made by that.
    fn wait_for_answers(mut self) {
        self.runtime.block_on(async {
            let client = Client::connect(&self.server.url, Some(self.token.clone())).await.expect("a server");
            let begin = Instant::now();
            while self.known.is_waiting() {
                assert!(begin.elapsed() < PATIENCE, "a request counts as under way for ever");
                tokio::time::sleep(Duration::from_millis(500)).await;
                self.known.send_again(&client, false).await;
            }
            self.known.settle(&found::listed(&client, &self.server.organization).await);
        });
    }
}

/// A number that nobody foresees.
pub(crate) fn any_below(limit: u64) -> u64 {
    let mut bytes = [0; 8];
    SystemEntropy::default().fill(&mut bytes).expect("random bytes");
    u64::from_le_bytes(bytes) % limit
}
