//! Attacks one after the other, each beside the neighbour, and what came of them.

use std::{
    collections::BTreeMap,
    future::Future,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    control::Control,
    doors::{Answer, PATIENCE},
    neighbour::{Kind, Sample},
    site::{Engine, Site},
    table::{Row, Table},
};

/// What a server may hold of requests and answers under way, in bytes: the budget that is its default.
const UNDER_WAY: u64 = 256 << 20;
/// What it may come to remember beside that while it works: tokens, rights, keys, compiled patterns, ranks, statements, and what
/// its allocator keeps for the next request.
const REMEMBERED: u64 = 64 << 20;
/// How long no request of the neighbour may take, the machine's own delays apart.
pub(crate) const STALL: Duration = Duration::from_secs(2);
/// How long the neighbour is alone first.
const QUIET: Duration = Duration::from_secs(2);

/// How long a server may take after an attack until it writes again; then another takes its place.
const RECOVERY: Duration = Duration::from_secs(20);

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// Each method once per class, each attack once.
    Short,
    /// All combinations, and for longer.
    Long,
}

impl Length {
    /// Short, or what `PROVOST_TEST_NEIGHBOURS` says.
    pub(crate) fn of_this_run() -> Self {
        match std::env::var("PROVOST_TEST_NEIGHBOURS").unwrap_or_default().as_str() {
            "" | "short" => Self::Short,
            "long" => Self::Long,
            other => panic!("PROVOST_TEST_NEIGHBOURS is {other:?}; it can be short or long"),
        }
    }

    /// One or the other.
    pub(crate) fn pick<T>(self, short: T, long: T) -> T {
        match self {
            Self::Short => short,
            Self::Long => long,
        }
    }
}

/// What was sent, when, and what was answered.
#[derive(Debug, Default)]
pub(crate) struct Log(Mutex<Noted>);

#[derive(Debug, Default)]
struct Noted {
    under_way: Vec<(String, Instant, Option<Instant>)>,
    answers: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

impl Log {
    fn noted(&self) -> std::sync::MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Awaits the answer to an attack, and notes it.
    pub(crate) async fn attack(&self, name: impl Into<String>, call: impl Future<Output = Answer>) -> Answer {
        let name = name.into();
        let answer = self.during(name.clone(), call).await;
        *self.noted().answers.entry(answer.code.clone()).or_default() += 1;
        if let Some(wrong) = &answer.wrong {
            self.wrong(format!("{name}: {wrong}"));
        }
        answer
    }

    /// Notes that this is under way meanwhile.
    pub(crate) async fn during<T>(&self, name: impl Into<String>, work: impl Future<Output = T>) -> T {
        let number = {
            let mut noted = self.noted();
            noted.under_way.push((name.into(), Instant::now(), None));
            noted.under_way.len() - 1
        };
        let outcome = work.await;
        self.noted().under_way[number].2 = Some(Instant::now());
        outcome
    }

    /// Notes what is not as it must be.
    pub(crate) fn wrong(&self, what: String) {
        self.noted().wrong.push(what);
    }
}

/// The servers, the neighbour, and everything that was found so far.
#[derive(Debug)]
pub(crate) struct Stage {
    engine: Engine,
    pub(crate) length: Length,
    site: Option<Site>,
    control: Control,
    /// How much memory a server may have.
    budget: u64,
    pub(crate) table: Table,
}

impl Stage {
    pub(crate) async fn open(engine: Engine, length: Length) -> Self {
        let control = Control::start();
        let mut stage = Self { engine, length, site: None, control, budget: 0, table: Table::default() };
        stage.renew().await;
        stage
    }

    pub(crate) fn site(&self) -> &Site {
        self.site.as_ref().expect("there is a site")
    }

    /// New servers, and the neighbour alone with them for a while.
    async fn renew(&mut self) {
        // Ended before others are started.
        self.site = None;
        let site = Site::open(self.engine).await;
        tokio::time::sleep(QUIET / 4).await;
        site.neighbour.take();
        tokio::time::sleep(QUIET * self.length.pick(1, 5)).await;
        let samples = site.neighbour.take();
        let idle = site.resident();
        self.budget = idle + UNDER_WAY + REMEMBERED;
        self.table.quiet(&samples, idle, self.budget);
        let wrong = samples.iter().filter_map(|sample| sample.wrong.as_ref());
        self.table.failures.extend(wrong.map(|wrong| format!("quiet: {wrong}")));
        self.site = Some(site);
    }

    /// Carries out attacks beside the neighbour. A server that does not recover from them is replaced.
    pub(crate) async fn row(&mut self, name: &str, attack: impl AsyncFnOnce(&Site, &Log, Length)) {
        self.row_with(name, STALL, attack).await;
    }

    /// The same where writes may take longer.
    pub(crate) async fn row_with(&mut self, name: &str, writes: Duration, attack: impl AsyncFnOnce(&Site, &Log, Length)) {
        let Some(mut site) = self.site.take() else { return };
        let log = Log::default();
        let mut samples = site.neighbour.take();
        samples.retain(|sample| sample.wrong.is_some());
        site.forget_peak();
        let begin = Instant::now();
        attack(&site, &log, self.length).await;
        let end = Instant::now();
        // Whoever waits since then is part of it.
        while !everybody_is_back(&samples, site.servers.len(), end) && end.elapsed() < PATIENCE + STALL {
            tokio::time::sleep(Duration::from_millis(20)).await;
            samples.extend(site.neighbour.take());
        }
        let noted = std::mem::take(&mut *log.noted());
        let mut row = Row::new(name, begin.elapsed(), noted.under_way.len(), noted.answers, site.peak());
        row.wrong = noted.wrong;
        if row.peak > self.budget {
            row.wrong.push(format!("{} MB of memory, where {} MB are the budget", row.peak >> 20, self.budget >> 20));
        }
        for sample in &samples {
            self.judge(&mut row, sample, writes, &noted.under_way);
        }
        let well = site.is_well(RECOVERY).await;
        if !well {
            row.wrong.push(format!("the server did not recover within {} s", RECOVERY.as_secs()));
        }
        let hurt = !well || site.resident() > self.budget - UNDER_WAY / 2;
        self.table.push(row, &samples);
        self.site = Some(site);
        if hurt {
            self.renew().await;
        }
    }

    fn judge(&self, row: &mut Row, sample: &Sample, writes: Duration, under_way: &[(String, Instant, Option<Instant>)]) {
        let took = self.control.without_machine(sample.begin, sample.end);
        row.note(sample.kind, took);
        let limit = if sample.kind.writes() { writes } else { STALL };
        if took <= limit && sample.wrong.is_none() {
            return;
        }
        let during = |(_, begin, end): &&(String, Instant, Option<Instant>)| {
            *begin <= sample.end && end.is_none_or(|end| end >= sample.begin)
        };
        let attacks: Vec<_> = under_way.iter().filter(during).map(|(name, _, _)| name.as_str()).take(3).collect();
        let wrong = sample.wrong.as_deref().unwrap_or("it stalled");
        row.wrong.push(format!(
            "{:?} at node {}: {wrong} ({:.1} s, {:.1} s without the machine's part), beside {}",
            sample.kind,
            sample.node,
            (sample.end - sample.begin).as_secs_f64(),
            took.as_secs_f64(),
            attacks.join("; ")
        ));
    }

    /// The resident memory once everything has come to rest.
    pub(crate) async fn at_rest(&self) -> u64 {
        tokio::time::sleep(Duration::from_secs(self.length.pick(2, 12))).await;
        self.site().resident()
    }
}

/// Whether every kind of request at every node has begun once more since then, and ended.
fn everybody_is_back(samples: &[Sample], nodes: usize, since: Instant) -> bool {
    let back = |node, kind| samples.iter().any(|sample| sample.node == node && sample.kind == kind && sample.begin >= since);
    (0..nodes).all(|node| Kind::ALL.iter().all(|kind| back(node, *kind)))
}
