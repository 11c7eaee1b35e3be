//! `provost admin check`

use clap::Args;
use serde_json::json;
use server::admin::{
    check::Checked,
    protocol::{Request, Update},
};

use super::place::Place;
use crate::{
    exit::{Exit, Failure},
    global::Global,
    output::{self, Format, remark},
    plain::plain,
    progress::Progress,
};

#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    place: Place,
    /// The head of the audit log as an earlier check, the log or a metric has told it: it has to be in the audit log still
    #[arg(long, value_name = "DIGITS")]
    head: Option<String>,
}

impl Check {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let bar = Progress::of("checking rules");
        let work = self.place.ask(Request::Check { kept_head: self.head }, |update| {
            if let Update::Progress(progress) = update {
                bar.set(progress.done, progress.total);
            }
            Ok(())
        });
        let checked: Checked = work.await?;
        drop(bar);
        let Checked { engine, revision, rules, findings, remarks, head } = &checked;
        let summary = json!({ "engine": engine, "revision": revision, "rules": rules, "head": head, "findings": findings.len() });
        let whole = json!(checked);
        let told = if global.output == Format::Json { &whole } else { &summary };
        let rows = findings.iter().map(|found| vec![found.check.clone(), found.place.clone(), found.problem.clone()]);
        match global.output {
            Format::Id => findings.iter().try_for_each(|found| output::text(&plain(&found.place)))?,
            format => output::report(format, "", told, Some((&["CHECK", "PLACE", "PROBLEM"], rows.collect())))?,
        }
        if global.output != Format::Json {
            for text in remarks {
                remark(text);
            }
        }
        if findings.is_empty() {
            return Ok(());
        }
        let things = if findings.len() == 1 { "finding" } else { "findings" };
        let message = format!("the database is inconsistent: {} {things}", findings.len());
        let hint = "keep a copy of the database as it is, then restore a backup";
        Err(Failure::new(Exit::Damaged, message).hint(hint))
    }
}
