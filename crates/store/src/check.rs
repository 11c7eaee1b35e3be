//! Whether everything in the database agrees with everything else: rows, counters, links, feed, audit log, events, indexes.
//!
//! Nothing is changed, and one snapshot is read, so that a server may be writing meanwhile.

mod probe;
mod rows;
mod rules;

use domain::{Result, Revision};

pub(crate) use self::{
    probe::{Probe, Question, Way},
    rules::rules,
};
use crate::{Reader, Store};

/// What does not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which check has found it: `rows`, `counters`, `places`, `links`, `revisions`, `feed`, `audit`, `outbox`, `file` or `indexes`.
    pub check: &'static str,
    /// Where: a table, an index, or a table and the key of a row, such as `repos 1f…/2e…`.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

/// What a check of everything has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The name of the engine.
    pub engine: &'static str,
    /// The last commit that it has seen.
    pub revision: Revision,
    /// How many rules were looked at.
    pub rules: usize,
    /// What does not agree, in the order of the rules; of each rule the first twenty.
    pub findings: Vec<Finding>,
    /// What could not be looked at; nothing is known to be wrong there.
    pub remarks: Vec<String>,
}

/// Compares everything with everything else. `progress` hears of the rules that were looked at and of their number.
///
/// # Errors
/// Whatever keeps the store from giving a snapshot. What cannot be read in it is a finding.
pub async fn check(store: &Store, mut progress: impl FnMut(u64, u64) + Send) -> Result<Report> {
    // What is known and not yet written belongs to it.
    store.flush().await?;
    let mut reader = store.reader().await?;
    reader.take_time().await?;
    let revision = last(&mut reader).await?;
    probe::mark(&mut reader).await?;
    let (of_engine, remarks) = reader.connection.probes().await?;
    probe::go_back(&mut reader).await?;
    let probes: Vec<Probe> = rules(revision).into_iter().chain(of_engine).collect();
    let mut report = Report { engine: store.engine(), revision, rules: probes.len(), findings: Vec::new(), remarks };
    for (done, probe) in (0..).zip(&probes) {
        progress(done, probes.len() as u64);
        report.findings.extend(probe.look_anyway(&mut reader).await?);
    }
    progress(probes.len() as u64, probes.len() as u64);
    Ok(report)
}

async fn last(reader: &mut Reader) -> Result<Revision> {
    let last = reader.query_one("SELECT coalesce(max(n), 0) FROM revision", &[], |row| row.revision(0)).await?;
    Ok(last.unwrap_or_default())
}
