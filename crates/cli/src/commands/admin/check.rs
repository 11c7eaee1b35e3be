//! `provost admin check`

use clap::Args;
use serde_json::json;
use server::{
    Settings,
    admin::{
        check::{self, Checked},
        protocol::{Request, Update},
    },
};
use store::check::Look;
use tokio::sync::mpsc;

use super::place::Place;
use crate::{
    config::Global,
    exit::{Exit, Failure},
    output::{self, Format, remark},
    plain::plain,
    progress::Progress,
};

#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    place: Place,
}

impl Check {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let bar = Progress::of("checking rules");
        let work = self.place.ask(Request::Check, |update| {
            if let Update::Progress(progress) = update {
                bar.set(progress.done, progress.total);
            }
            Ok(())
        });
        let checked: Checked = work.await?;
        drop(bar);
        let Checked { engine, revision, rules, findings, remarks } = &checked;
        let summary = json!({ "engine": engine, "revision": revision, "rules": rules, "findings": findings.len() });
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
        let message = format!("the database does not agree with itself: {} {things}", findings.len());
        let hint = "keep a copy of the database as it is, then restore a backup";
        Err(Failure::new(Exit::Damaged, message).hint(hint))
    }
}

/// Checks the database where no server runs on the data folder. It needs no key, and makes, migrates and writes nothing.
///
/// # Errors
/// When there is no database, it needs a migration, or it cannot be read.
pub(super) async fn alone(settings: &Settings, updates: &mpsc::Sender<Update>) -> Result<Checked, Failure> {
    let Some(look) = Look::at(&settings.store_config()).await? else {
        let failure = Failure::new(Exit::NotFound, "there is no database yet");
        return Err(failure.hint("name the data folder with --data, or the database, as for the server"));
    };
    if look.schema().check()? {
        let failure = Failure::new(Exit::Due, "the database needs a migration, which a check does not make");
        return Err(failure.hint("back it up, then run `provost admin migrate`"));
    }
    Ok(check::alone(look, updates).await?)
}
