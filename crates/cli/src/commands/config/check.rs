//! `provost config check`

use clap::Args;
use serde_json::{Value, json};

use crate::{
    config::{self, server::ServeFlags},
    exit::Failure,
    global::Global,
    output::Show,
};

mod network;
mod place;

#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    flags: ServeFlags,
}

/// What a check found.
struct Finding {
    check: String,
    outcome: Outcome,
    detail: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Ok,
    /// Works, but somebody should know.
    Warning,
    /// A server would not work.
    Failed,
    /// Could not be tried.
    Skipped,
}

impl Check {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let settings = config::server::load(&self.flags.0)?.settings;
        let rules = match settings.check() {
            Ok(()) => Finding::ok("settings", "they agree with each other"),
            Err(error) => Finding::failed("settings", error.to_string()),
        };
        let mut findings = vec![rules];
        findings.extend(settings.exposure().map(|exposure| Finding::warning("exposure", exposure)));
        findings.extend(place::check(&settings).await);
        findings.extend(network::check(&settings).await);
        global.output.list(&findings)?;
        match findings.iter().filter(|finding| finding.outcome == Outcome::Failed).count() {
            0 => Ok(()),
            failed => Err(Failure::failed(format!("{failed} of {} checks failed", findings.len()))),
        }
    }
}

impl Finding {
    fn new(check: impl Into<String>, outcome: Outcome, detail: impl Into<String>) -> Self {
        Self { check: check.into(), outcome, detail: detail.into() }
    }

    fn ok(check: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(check, Outcome::Ok, detail)
    }

    fn warning(check: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(check, Outcome::Warning, detail)
    }

    fn failed(check: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(check, Outcome::Failed, detail)
    }

    fn skipped(check: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(check, Outcome::Skipped, detail)
    }
}

impl Outcome {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

impl Show for Finding {
    const COLUMNS: &'static [&'static str] = &["CHECK", "RESULT", "DETAIL"];
    const PROSE: bool = true;

    fn id(&self) -> &str {
        &self.check
    }

    fn row(&self) -> Vec<String> {
        vec![self.check.clone(), self.outcome.as_str().to_owned(), self.detail.clone()]
    }

    fn json(&self) -> Value {
        json!({ "check": self.check, "result": self.outcome.as_str(), "detail": self.detail })
    }
}
