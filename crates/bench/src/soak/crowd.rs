//! Everybody who works on the server at once.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::task::JoinHandle;

use super::{
    stage::Stage,
    work::{Done, Lines, Work},
};
use crate::{Result, load::Clients};

/// How many do what.
const CROWD: [(Work, usize); 10] = [
    (Work::Read, 8),
    (Work::List, 4),
    (Work::Call, 4),
    (Work::Exchange, 4),
    (Work::Write, 4),
    (Work::Repeat, 2),
    (Work::Stock, 2),
    (Work::Invite, 2),
    (Work::Refuse, 2),
    (Work::Introduce, 1),
];
/// After so many rounds of work each goes on with new connections.
const ROUNDS: u64 = 500;
/// How many wrong answers are told in full.
const TOLD: u64 = 3;

/// All of them at work.
#[derive(Debug)]
pub(super) struct Crowd {
    counts: Arc<Counts>,
    tasks: Vec<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Counts {
    numbers: AtomicU64,
    answers: AtomicU64,
    tokens: AtomicU64,
    writes: AtomicU64,
    unexpected: AtomicU64,
    told: Mutex<Vec<String>>,
}

impl Crowd {
    /// Lets all of them work on the clients' threads for `time`.
    pub(super) async fn begin(clients: &Clients, stage: Arc<Stage>, time: Duration) -> Result<Self> {
        let (counts, end) = (Arc::new(Counts::default()), Instant::now() + time);
        let shared = Arc::clone(&counts);
        let tasks = clients.run(async move {
            let works = CROWD.iter().flat_map(|(work, count)| std::iter::repeat_n(*work, *count));
            Ok(works.map(|work| tokio::spawn(go_on(work, Arc::clone(&stage), Arc::clone(&shared), end))).collect())
        });
        Ok(Self { tasks: tasks.await?, counts })
    }

    /// How much they have done by now.
    pub(super) fn done(&self) -> Done {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let Counts { answers, tokens, writes, .. } = &*self.counts;
        Done { answers: read(answers), tokens: read(tokens), writes: read(writes) }
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

impl Counts {
    fn add(&self, done: Done) {
        self.answers.fetch_add(done.answers, Ordering::Relaxed);
        self.tokens.fetch_add(done.tokens, Ordering::Relaxed);
        self.writes.fetch_add(done.writes, Ordering::Relaxed);
    }
}

async fn go_on(work: Work, stage: Arc<Stage>, counts: Arc<Counts>, end: Instant) {
    while Instant::now() < end {
        if let Err(error) = with_new_lines(work, &stage, &counts, end).await {
            let before = counts.unexpected.fetch_add(1, Ordering::Relaxed);
            if before < TOLD {
                counts.told.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{work:?}: {error}"));
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

async fn with_new_lines(work: Work, stage: &Stage, counts: &Counts, end: Instant) -> Result<()> {
    let mut lines = Lines::open(stage.address).await?;
    for _ in 0..ROUNDS {
        if Instant::now() >= end {
            break;
        }
        let number = counts.numbers.fetch_add(1, Ordering::Relaxed);
        counts.add(work.round(&mut lines, stage, number).await?);
    }
    Ok(())
}
