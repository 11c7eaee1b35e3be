//! Whether everything in the database agrees with everything else: rows, counters, links, feed, audit log, events, indexes.
//!
//! Nothing is changed, and one snapshot is read, so that a server may be writing meanwhile.

mod log;
mod numbers;
mod probe;
mod rows;
mod rules;
mod tables;

use std::{error::Error as _, sync::Arc};

use database::LeftOut;
use domain::{Error, Kind, Result, Revision, Rule};

use self::probe::Probe;
pub(crate) use self::{
    numbers::{GREATEST, TIMES},
    rules::rules,
};
use crate::{
    Reader, Store, StoreConfig,
    chain::{Head, Keys},
    schema::{self, Schema},
};

/// Findings that are told of one rule.
const MOST: usize = 20;

/// What does not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which check has found it: `rows`, `numbers`, `counters`, `places`, `links`, `revisions`, `feed`, `audit`, `outbox`, `rights`, `keys`,
    /// `log`, `file` or `indexes`.
    pub check: &'static str,
    /// Where: a table, an index, or a table and the key of a row, such as `repos 1f…/2e…`.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

/// What a check of everything has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The name of the engine: `sqlite` or `postgresql`.
    pub engine: &'static str,
    /// The last commit that it has seen.
    pub revision: Revision,
    /// How many rules were looked at.
    pub rules: usize,
    /// What does not agree, in the order of the rules; of each rule the first twenty.
    pub findings: Vec<Finding>,
    /// What could not be looked at; nothing is known to be wrong there.
    pub remarks: Vec<String>,
    /// The end of the audit log, for whoever keeps it elsewhere; none where it has no codes.
    pub head: Option<Head>,
}

/// What a check needs besides the database.
#[derive(Clone, Debug, Default)]
pub struct Means {
    /// What codes are judged with; without them they are not.
    pub keys: Option<Arc<Keys>>,
    /// The end of the audit log as somebody has kept it: hexadecimal digits of its code, from the first on. It has to be in the log.
    pub kept_head: Option<String>,
}

/// The fewest digits of a head that is kept.
const FEWEST: usize = 12;

impl Means {
    /// Judges codes by these keys, and looks for this head.
    ///
    /// # Errors
    /// Invalid argument when that is no head.
    pub fn new(keys: Option<Arc<Keys>>, kept_head: Option<String>) -> Result<Self> {
        let is_head = |head: &String| (FEWEST..=64).contains(&head.len()) && head.bytes().all(|byte| byte.is_ascii_hexdigit());
        if kept_head.as_ref().is_some_and(|head| !is_head(head)) {
            let message = format!("a head has {FEWEST} to 64 hexadecimal digits, as `provost admin check` shows it");
            return Err(Error::new(Kind::InvalidArgument, Rule::Malformed, message));
        }
        Ok(Self { keys, kept_head: kept_head.map(|head| head.to_ascii_lowercase()) })
    }
}

/// Compares everything with everything else, what was changed past this program included. `progress` hears of the rules that were looked at and of their number.
///
/// # Errors
/// Whatever keeps the store from giving a snapshot. What cannot be read in it is a finding.
pub async fn check(store: &Store, means: &Means, progress: impl FnMut(u64, u64) + Send) -> Result<Report> {
    // What is known and not yet written belongs to it.
    store.flush().await?;
    compare(store.reader_anew().await?, means, progress).await
}

/// What is wrong in the audit log first, by these keys; none where it is as it was written.
///
/// # Errors
/// Internal when it cannot be read.
pub(crate) async fn first_in_log(reader: &mut Reader, keys: Option<Arc<Keys>>) -> Result<Option<Finding>> {
    let mut report = Report { head: reader.head().await?, ..Report::of(reader.engine(), Revision::default()) };
    log::log(reader, &Means { keys, kept_head: None }, &mut report).await?;
    Ok(report.findings.into_iter().next())
}

/// What there is to find of codes, and what rights follow from, in a database that is being restored and has this head.
///
/// # Errors
/// Internal when it cannot be read.
pub(crate) async fn look_below(reader: &mut Reader, keys: Option<Arc<Keys>>, head: Option<Head>) -> Result<Vec<Finding>> {
    let mut report = Report { head, ..Report::of(reader.engine(), Revision::default()) };
    log::look_below(reader, &Means { keys, kept_head: None }, &mut report).await?;
    Ok(report.findings)
}

/// A database that is checked without being opened: nothing is made, migrated or written, and a crashed one is left as it is.
///
/// On SQLite no server has it meanwhile. On PostgreSQL nodes may be writing to it, and the right to read is enough.
#[derive(Debug)]
pub struct Look(database::Look);

impl Look {
    /// Looks at the database; `None` where there is none yet.
    ///
    /// # Errors
    /// Unavailable when it cannot be read, a server has its folder, or it is being restored.
    pub async fn at(config: &StoreConfig) -> Result<Option<Self>> {
        Ok(database::Look::at(&config.source()).await?.map(Self))
    }

    /// How far it has come.
    #[must_use]
    pub fn schema(&self) -> Schema {
        Schema { found: self.0.schema(), program: schema::CURRENT }
    }

    /// As [`check`]; it must have this program's schema.
    ///
    /// # Errors
    /// As [`check`].
    pub async fn check(self, means: &Means, progress: impl FnMut(u64, u64) + Send) -> Result<Report> {
        let report = compare(Reader::new(self.0.snapshot().await?), means, progress).await;
        let left_out = self.0.left_out();
        self.0.close().await;
        let mut report = report?;
        if let Some(left_out) = left_out {
            report.tell(left_out);
        }
        Ok(report)
    }
}

impl Report {
    fn of(engine: &'static str, revision: Revision) -> Self {
        Self { engine, revision, rules: 0, findings: Vec::new(), remarks: Vec::new(), head: None }
    }

    /// Tells of the commits that the next start would leave out of SQLite's journal.
    fn tell(&mut self, LeftOut { frame, commits }: LeftOut) {
        let place = "provost.db-wal";
        if commits > 1 {
            let problem = format!("its frame {frame} is damaged, and the next start loses the {commits} commits behind it");
            self.findings.push(Finding { check: "file", place: place.to_owned(), problem });
        } else {
            // A crash of the machine does the same to a write that nobody was told of.
            self.remarks.push(format!("the last commit in {place} is not whole and is left out: its frame {frame}"));
        }
    }
}

async fn compare(mut reader: Reader, means: &Means, mut progress: impl FnMut(u64, u64) + Send) -> Result<Report> {
    reader.take_time().await?;
    let revision = last(&mut reader).await?;
    probe::mark(&mut reader).await?;
    let (of_engine, remarks) = reader.connection.probes().await?;
    probe::go_back(&mut reader).await?;
    let probes: Vec<Probe> = rules(revision).into_iter().chain(of_engine.into_iter().map(Probe::from)).collect();
    let engine = reader.engine();
    let rules = probes.len() + log::RULES;
    let mut report = Report { rules, remarks, ..Report::of(engine, revision) };
    for (done, probe) in (0..).zip(&probes) {
        progress(done, rules as u64);
        report.findings.extend(probe.look_anyway(&mut reader).await?);
    }
    progress(probes.len() as u64, rules as u64);
    log::look_anyway(&mut reader, means, &mut report).await?;
    progress(rules as u64, rules as u64);
    Ok(report)
}

/// What the audit log and codes vouch for, and is not so.
pub(crate) async fn vouched(reader: &mut Reader, keys: Arc<Keys>) -> Result<Vec<Finding>> {
    let mut report = Report::of(reader.engine(), Revision::default());
    log::look_anyway(reader, &Means { keys: Some(keys), kept_head: None }, &mut report).await?;
    Ok(report.findings)
}

async fn last(reader: &mut Reader) -> Result<Revision> {
    let last = reader.query_one("SELECT coalesce(max(n), 0) FROM revision", &[], |row| row.revision(0)).await?;
    Ok(last.unwrap_or_default())
}

/// What the engine has said.
fn cause(error: &Error) -> String {
    error.source().map_or_else(|| error.message().to_owned(), ToString::to_string)
}
