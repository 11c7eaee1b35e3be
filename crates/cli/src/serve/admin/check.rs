//! Whether everything in the database agrees with everything else.

use serde::{Deserialize, Serialize};
use store::{
    Store,
    check::{Finding, Look, Report},
};
use tokio::sync::mpsc;

use super::protocol::{Progress, Update};
use crate::{
    exit::{Exit, Failure},
    serve::Settings,
};

/// What a check has come to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Checked {
    pub(crate) engine: String,
    /// The last commit that was looked at.
    pub(crate) revision: i64,
    /// How many rules were looked at.
    pub(crate) rules: usize,
    pub(crate) findings: Vec<Found>,
    /// What could not be looked at.
    pub(crate) remarks: Vec<String>,
}

/// What does not agree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) check: String,
    pub(crate) place: String,
    pub(crate) problem: String,
}

impl From<Report> for Checked {
    fn from(report: Report) -> Self {
        Self {
            engine: report.engine.to_owned(),
            revision: report.revision.0,
            rules: report.rules,
            findings: report.findings.into_iter().map(Found::from).collect(),
            remarks: report.remarks,
        }
    }
}

impl From<Finding> for Found {
    fn from(finding: Finding) -> Self {
        Self { check: finding.check.to_owned(), place: finding.place, problem: finding.problem }
    }
}

/// Checks the database where no server runs on the data folder. It needs no key, and makes, migrates and writes nothing.
///
/// # Errors
/// When there is no database, it needs a migration, or it cannot be read.
pub(crate) async fn alone(settings: &Settings, updates: mpsc::Sender<Update>) -> Result<Checked, Failure> {
    let Some(look) = Look::at(&settings.store_config()).await? else {
        let failure = Failure::new(Exit::NotFound, "there is no database yet");
        return Err(failure.hint("name the data folder with --data, or the database, as for the server"));
    };
    if look.schema().check()? {
        let failure = Failure::new(Exit::Due, "the database needs a migration, which a check does not make");
        return Err(failure.hint("back it up, then run `provost admin migrate`"));
    }
    Ok(look.check(told_to(&updates)).await?.into())
}

/// Looks at everything and tells `updates` how far it has come.
pub(crate) async fn perform(store: &Store, updates: mpsc::Sender<Update>) -> Result<Checked, Failure> {
    Ok(store::check::check(store, told_to(&updates)).await?.into())
}

fn told_to(updates: &mpsc::Sender<Update>) -> impl FnMut(u64, u64) {
    |done, total| {
        // Who does not keep up hears of the next step.
        _ = updates.try_send(Update::Progress(Progress { done, total }));
    }
}
