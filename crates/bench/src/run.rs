//! One run: everything is made, measured and taken down.

mod embedded;
mod shared;

use std::path::{Path, PathBuf};

use store::{BoxFuture, Database};
use sts::jws::TokenAlgorithm;

use crate::{
    Result,
    cases::Pace,
    host::Host,
    report::Report,
    served::{self, Server},
};

/// What to measure, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// An empty folder on the disk that is to be measured. What is in it afterwards is the caller's to remove.
    pub folder: PathBuf,
    /// Which engine to measure, and where it is. A database on PostgreSQL must be empty; what is in it afterwards is the
    /// caller's to remove.
    pub database: Database,
    /// Measure for a minute rather than for several.
    pub quick: bool,
    /// Measure for charts as well.
    pub charts: bool,
}

impl Options {
    /// How many rows the servers have, the fewest first.
    fn sizes(&self) -> &'static [u64] {
        if self.quick { &[1_000, 10_000, 100_000] } else { &[1_000, 10_000, 100_000, 1_000_000] }
    }

    /// How many rows the largest has.
    fn rows(&self) -> u64 {
        self.sizes().last().copied().unwrap_or_default()
    }

    fn pace(&self) -> Pace {
        let (rounds, millis) = if self.quick { (5, 250) } else { (9, 1000) };
        Pace { rounds, slice: std::time::Duration::from_millis(millis) }
    }
}

/// Measures everything.
///
/// # Errors
/// Why something could not be measured. Servers that were started have ended.
pub async fn run(host: &dyn Host, options: &Options) -> Result<Report> {
    served::log_to_nobody()?;
    match &options.database {
        Database::Sqlite => embedded::run(host, options).await,
        Database::Postgres(database) => shared::run(host, options, database).await,
    }
}

/// The steps of a run, told as they begin.
#[derive(Clone, Copy)]
struct Steps<'a> {
    host: &'a dyn Host,
    names: &'static [&'static str],
}

impl Steps<'_> {
    /// The step with this number begins; the one behind the last is the end.
    fn begin(self, at: usize) {
        self.within(at, self.names.get(at).unwrap_or(&"done"));
    }

    /// What is happening in a step.
    fn within(self, at: usize, what: &str) {
        self.host.progress(at, self.names.len(), what);
    }
}

/// The servers in this process, to be stopped in the end.
struct Started {
    database: Database,
    ends: Vec<BoxFuture<'static, ()>>,
}

impl Started {
    fn none(database: &Database) -> Self {
        Self { database: database.clone(), ends: Vec::new() }
    }

    /// Starts one with its data in `folder`.
    async fn server(&mut self, folder: &Path) -> Result<Server> {
        self.signing_with(TokenAlgorithm::default(), folder).await
    }

    /// Starts one that signs tokens with that, with its data in `folder`.
    async fn signing_with(&mut self, algorithm: TokenAlgorithm, folder: &Path) -> Result<Server> {
        let mut server = Box::pin(Server::start(folder, &self.database, algorithm)).await?;
        self.ends.push(std::mem::replace(&mut server.stop, Box::pin(async {})));
        Ok(server)
    }

    /// Stops all of them.
    async fn end(self) {
        for end in self.ends {
            end.await;
        }
    }
}
