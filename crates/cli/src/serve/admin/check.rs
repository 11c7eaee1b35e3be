//! Whether everything in the database agrees with everything else.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use store::{
    Store,
    check::{Finding, Report},
    schema::Schema,
};
use tokio::sync::mpsc;

use super::protocol::{Progress, Update};
use crate::{
    clock::SystemClock,
    entropy::SystemEntropy,
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

/// Checks the database where no server runs on the data folder. It needs no key, and makes and migrates nothing.
///
/// # Errors
/// When there is no database, it needs a migration, or it cannot be opened.
pub(crate) async fn alone(settings: &Settings, updates: mpsc::Sender<Update>) -> Result<Checked, Failure> {
    let config = settings.store_config();
    let schema = Schema::of(&config).await?;
    if schema.found == 0 {
        let failure = Failure::new(Exit::NotFound, "there is no database yet");
        return Err(failure.hint("name the data folder with --data, or the database, as for the server"));
    }
    if schema.check()? {
        let failure = Failure::new(Exit::Due, "the database needs a migration, which a check does not make");
        return Err(failure.hint("back it up, then run `provost admin migrate`"));
    }
    let store = Store::open(&config, Arc::new(SystemClock), Arc::new(SystemEntropy::default())).await?;
    let checked = perform(&store, updates).await;
    store.close().await;
    checked
}

/// Looks at everything and tells `updates` how far it has come.
pub(crate) async fn perform(store: &Store, updates: mpsc::Sender<Update>) -> Result<Checked, Failure> {
    let progress = |done, total| {
        // Who does not keep up hears of the next step.
        _ = updates.try_send(Update::Progress(Progress { done, total }));
    };
    Ok(store::check::check(store, progress).await?.into())
}
