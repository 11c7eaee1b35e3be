//! What is removed when it is old, and how much there is of it.

use std::{sync::Arc, time::Duration};

use domain::{Clock, Ctx, Entropy, Result, Timestamp};
use store::{
    Store,
    retention::{self, Size, Trimmed},
};
use tokio::time::Instant;
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
    /// Looks for events now and each [`Retention::period`], and into the audit log each [`Retention::log_period`], until `stop`.
    pub(super) async fn run(self, stop: CancellationToken) {
        let mut ticks = tokio::time::interval(self.settings.period);
        // Not while everything else begins.
        let mut log_ticks = tokio::time::interval_at(Instant::now() + self.settings.period, self.settings.log_period);
        let work = async {
            loop {
                let looked = tokio::select! {
                    _ = ticks.tick() => self.look().await,
                    _ = log_ticks.tick() => self.look_into_log().await,
                };
                if let Err(error) = looked {
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
        // What was marked and not removed before a server stopped.
        self.remove_marked().await?;
        let now = self.clock.now();
        for Size { table, rows, oldest } in retention::sizes(&mut self.store.reader().await?).await? {
            self.store.metrics().set_size(table, rows, oldest.map(|oldest| now.0.saturating_sub(oldest.0) / 1000));
        }
        Ok(())
    }

    async fn look_into_log(&self) -> Result<()> {
        let (Some(before), Some(keys)) = (self.before(self.settings.audit_log), self.store.keys()) else { return Ok(()) };
        let trimmed = retention::trim_log(&self.store, &self.ctx("trim"), &keys, before, self.settings.fewest).await?;
        self.store.metrics().set_damaged(matches!(trimmed, Trimmed::Damaged(_)));
        match trimmed {
            Trimmed::Nothing => {}
            Trimmed::Contended => {
                tracing::info!("old entries of the audit log stay for now: others write too much, or remove them");
            }
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
