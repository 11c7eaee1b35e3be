//! What an engine counts about itself, whichever it is.

use std::{
    pin::pin,
    sync::atomic::AtomicU64,
    task::Poll,
    time::{Duration, Instant},
};

use domain::{Error, Kind};
use futures::poll;
use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};

/// The instruments of one engine. Clones are handles to the same ones.
#[derive(Clone, Debug)]
pub struct Metrics {
    read_connections: Gauge,
    reads_in_use: Gauge,
    reads_waiting: Gauge,
    read_wait: Histogram,
    read_statements: Counter,
    writes: Family<Label, Counter>,
    writes_under_way: Gauge,
    writes_stalled: Gauge<f64, AtomicU64>,
    write: Histogram,
    writer_busy: Histogram,
    commit: Histogram,
    commit_writes: Histogram,
    database: Gauge,
}

/// One label with its value.
type Label = [(&'static str, &'static str); 1];

/// A connection that is read from, counted while it exists.
#[derive(Debug)]
pub struct Reading {
    statements: Counter,
    _in_use: Counted,
}

/// Something that is counted while it exists.
#[derive(Debug)]
struct Counted(Gauge);

/// From a tenth of a millisecond to seconds: reads wait for nothing, commits for a disk or a network.
const SECONDS: [f64; 14] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];
/// Up to the largest group commit.
const WRITES: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

impl Default for Metrics {
    fn default() -> Self {
        Self {
            read_connections: Gauge::default(),
            reads_in_use: Gauge::default(),
            reads_waiting: Gauge::default(),
            read_wait: Histogram::new(SECONDS),
            read_statements: Counter::default(),
            writes: Family::default(),
            writes_under_way: Gauge::default(),
            writes_stalled: Gauge::default(),
            write: Histogram::new(SECONDS),
            writer_busy: Histogram::new(SECONDS),
            commit: Histogram::new(SECONDS),
            commit_writes: Histogram::new(WRITES),
            database: Gauge::default(),
        }
    }
}

impl Metrics {
    /// Adds the instruments to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let gauges = [
            ("read_connections", "Connections for reads that the store may open at most", &self.read_connections),
            ("reads_in_use", "Connections for reads that are in use", &self.reads_in_use),
            ("reads_waiting", "Reads that wait for a connection", &self.reads_waiting),
            ("writes_under_way", "Writes that wait, run or are being committed", &self.writes_under_way),
        ];
        for (name, help, gauge) in gauges {
            registry.register(name, help, gauge.clone());
        }
        let stalled = "How long the writes at the head of the queue have been waiting; 0 while they get on";
        registry.register_with_unit("writes_stalled", stalled, Unit::Seconds, self.writes_stalled.clone());
        let wait = "How long reads waited for a connection";
        registry.register_with_unit("read_wait", wait, Unit::Seconds, self.read_wait.clone());
        registry.register("read_statements", "Statements of reads, other than those of writes", self.read_statements.clone());
        let writes =
            "Writes by outcome: committed, validated (only tried, as asked), refused (by a rule), failed (by the storage)";
        registry.register("writes", writes, self.writes.clone());
        let write = "How long writes took from their arrival until they were durable";
        registry.register_with_unit("write", write, Unit::Seconds, self.write.clone());
        let busy = "How long a write kept the writer, and so all other writes, without waiting for the database";
        registry.register_with_unit("writer_busy", busy, Unit::Seconds, self.writer_busy.clone());
        let commit = "How long the storage took to make a group of writes durable";
        registry.register_with_unit("commit", commit, Unit::Seconds, self.commit.clone());
        registry.register("commit_writes", "Writes that were committed together", self.commit_writes.clone());
        let size = "Size of the database with its journal";
        registry.register_with_unit("database", size, Unit::Bytes, self.database.clone());
    }

    /// How many connections the engine opens for reads at most.
    pub(crate) fn set_read_connections(&self, size: usize) {
        self.read_connections.set(i64::try_from(size).unwrap_or(i64::MAX));
    }

    /// How long writes have been waiting, where that is longer than they should.
    pub(crate) fn set_writes_stalled(&self, waited: Option<Duration>) {
        self.writes_stalled.set(waited.unwrap_or_default().as_secs_f64());
    }

    /// How large the database is.
    pub(crate) fn set_database(&self, bytes: u64) {
        self.database.set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    /// How long writes keep the writer busy.
    pub(crate) fn writer_busy(&self) -> Histogram {
        self.writer_busy.clone()
    }

    /// The engine made this many writes durable, and its commit alone took this long.
    pub(crate) fn committed(&self, writes: usize, took: Duration) {
        self.commit.observe(took.as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "a group commit has hundreds of writes at most")]
        self.commit_writes.observe(writes as f64);
    }

    /// Waits for a connection with `take`, and counts it until the second half of the answer is dropped.
    ///
    /// # Errors
    /// What `take` answers.
    pub async fn reading<T>(&self, take: impl Future<Output = Result<T, Error>>) -> Result<(T, Reading), Error> {
        let mut take = pin!(take);
        // Most find one that is free.
        let taken = if let Poll::Ready(taken) = poll!(&mut take) {
            self.read_wait.observe(0.0);
            taken
        } else {
            let (_waiting, since) = (Counted::new(&self.reads_waiting), Instant::now());
            let taken = take.await;
            self.read_wait.observe(since.elapsed().as_secs_f64());
            taken
        };
        Ok((taken?, Reading { statements: self.read_statements.clone(), _in_use: Counted::new(&self.reads_in_use) }))
    }

    /// Counts a write; `only_validates` is what was asked for.
    pub(crate) async fn writing<T>(
        &self,
        only_validates: bool,
        write: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let (_under_way, since) = (Counted::new(&self.writes_under_way), Instant::now());
        let result = write.await;
        self.write.observe(since.elapsed().as_secs_f64());
        let outcome = match &result {
            Ok(_) if only_validates => "validated",
            Ok(_) => "committed",
            Err(error) => match error.kind() {
                Kind::Unavailable | Kind::ResourceExhausted | Kind::Internal => "failed",
                _ => "refused",
            },
        };
        self.writes.get_or_create(&[("outcome", outcome)]).inc();
        result
    }
}

impl Reading {
    /// Counts a statement.
    pub fn statement(&self) {
        self.statements.inc();
    }
}

impl Counted {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}
