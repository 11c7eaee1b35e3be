//! What is removed when it is old, and how much there is of it.

use std::{sync::Arc, time::Duration};

use domain::{Clock, Ctx, Entropy, Result, Timestamp};
use store::{
    Store,
    retention::{self, Size, Trimmed},
};
use tokio_util::sync::CancellationToken;

use crate::settings::Retention;

/// A step is some milliseconds of the writer, and others come between two.
const PAUSE: Duration = Duration::from_millis(50);

/// Removes what is old, again and again.
#[derive(Debug)]
pub(super) struct Keeper {
    pub(super) store: Store,
    pub(super) settings: Retention,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
}

impl Keeper {
    /// Looks now and each [`Retention::period`], until `stop`.
    pub(super) async fn run(self, stop: CancellationToken) {
        let mut ticks = tokio::time::interval(self.settings.period);
        let work = async {
            loop {
                ticks.tick().await;
                if let Err(error) = self.look().await {
                    tracing::warn!(?error, "cannot remove what is old");
                }
            }
        };
        stop.run_until_cancelled(work).await;
    }

    async fn look(&self) -> Result<()> {
        if let Some(before) = self.before(self.settings.events) {
            while retention::trim_events(&self.store, &self.ctx("remove old events"), before).await? {
                tokio::time::sleep(PAUSE).await;
            }
        }
        // What was marked and not removed before the server stopped, first.
        self.remove_marked().await?;
        if let (Some(before), Some(keys)) = (self.before(self.settings.audit_log), self.store.keys()) {
            let trimmed = retention::trim_log(&self.store, &self.ctx("trim"), &keys, before, self.settings.least).await?;
            self.store.metrics().set_damaged(matches!(trimmed, Trimmed::Damaged(_)));
            match trimmed {
                Trimmed::Nothing => {}
                Trimmed::Marked(entries) => {
                    tracing::info!(entries, "old entries of the audit log go");
                    self.remove_marked().await?;
                }
                Trimmed::Damaged(findings) => {
                    let first = findings.first().map(|found| format!("{}: {}", found.place, found.problem));
                    tracing::error!(
                        findings = findings.len(),
                        first,
                        "the audit log was changed by other hands, and nothing old is removed from it: run `provost admin check`"
                    );
                }
            }
        }
        let now = self.clock.now();
        for Size { table, rows, oldest } in retention::sizes(&mut self.store.reader().await?).await? {
            self.store.metrics().set_size(table, rows, oldest.map(|oldest| now.0.saturating_sub(oldest.0) / 1000));
        }
        Ok(())
    }

    async fn remove_marked(&self) -> Result<()> {
        while retention::remove_marked(&self.store, &self.ctx("remove old entries")).await? {
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    fn ctx(&self, task: &'static str) -> Ctx {
        Ctx::system(task, self.clock.now(), Arc::clone(&self.entropy))
    }

    fn before(&self, kept: Option<Duration>) -> Option<Timestamp> {
        let kept = i64::try_from(kept?.as_millis()).unwrap_or(i64::MAX);
        Some(Timestamp(self.clock.now().0.saturating_sub(kept)))
    }
}
