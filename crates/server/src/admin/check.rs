//! Whether everything in the database agrees with everything else.

use serde::{Deserialize, Serialize};
use store::{
    Store,
    check::{Finding, Look, Means, Report},
};
use tokio::sync::mpsc;

use super::{
    Failure,
    protocol::{Progress, Update},
};

/// What a check has come to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checked {
    /// The engine of the database.
    pub engine: String,
    /// The last commit that was looked at.
    pub revision: i64,
    /// How many rules were looked at.
    pub rules: usize,
    /// What does not agree.
    pub findings: Vec<Found>,
    /// What could not be looked at.
    pub remarks: Vec<String>,
    /// The code of the last entry of the audit log, to be kept elsewhere; none where it has no codes.
    pub head: Option<String>,
}

/// What does not agree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    /// The rule.
    pub check: String,
    /// The table and row.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

impl From<Report> for Checked {
    fn from(report: Report) -> Self {
        Self {
            engine: report.engine.to_owned(),
            revision: report.revision.0,
            rules: report.rules,
            findings: report.findings.into_iter().map(Found::from).collect(),
            remarks: report.remarks,
            head: report.head.map(|head| head.code()),
        }
    }
}

impl From<Finding> for Found {
    fn from(finding: Finding) -> Self {
        Self { check: finding.check.to_owned(), place: finding.place, problem: finding.problem }
    }
}

/// Looks at everything and tells `updates` how far it has come.
pub(super) async fn perform(store: &Store, kept_head: Option<String>, updates: mpsc::Sender<Update>) -> Result<Checked, Failure> {
    let means = Means::new(store.keys(), kept_head)?;
    Ok(store::check::check(store, &means, told_to(&updates)).await?.into())
}

/// The same through a look at the database of a server that does not run.
///
/// # Errors
/// When it cannot be read.
pub async fn alone(look: Look, means: &Means, updates: &mpsc::Sender<Update>) -> Result<Checked, Failure> {
    Ok(look.check(means, told_to(updates)).await?.into())
}

fn told_to(updates: &mpsc::Sender<Update>) -> impl FnMut(u64, u64) {
    |done, total| {
        // Who does not keep up hears of the next step.
        _ = updates.try_send(Update::Progress(Progress { done, total }));
    }
}
