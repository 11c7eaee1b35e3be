//! Writes, whoever asks for them.

use std::sync::Arc;

use database::{Engine, Job};
use domain::{Clock, Ctx, Entropy, Result};
use tracing::{Instrument as _, Span};

use crate::{BoxFuture, Metrics, StoreConfig, Writer, nouns, pending, writer::Mode};

/// What a write needs.
#[derive(Debug)]
pub(crate) struct Writes {
    pub(crate) engine: Engine,
    /// What the writes of a group commit add to the counters.
    pub(crate) pending: Arc<pending::Shared>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) metrics: Metrics,
}

impl Writes {
    /// A write of the engine, counted.
    pub(crate) fn write<T, F>(&self, ctx: Ctx, mode: Mode, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a mut Writer) -> BoxFuture<'a, Result<T>> + Clone + Send + 'static,
    {
        let span = self.span("store write");
        let (job, pending) = (job(&ctx), Arc::clone(&self.pending));
        let work = move |connection| async move { Writer::new(connection, ctx, mode, nouns::RULES, pending).run(work).await };
        self.engine.write(job, work).instrument(span)
    }

    /// A span of OpenTelemetry's conventions for clients of databases.
    pub(crate) fn span(&self, name: &'static str) -> Span {
        tracing::trace_span!(target: "otel", "store", otel.name = name, otel.kind = "client", db.system.name = self.engine.name())
    }
}

/// Opens the database for `work` alone: one transaction that may take as long as it needs, while nobody else has the database
/// open. Tables are made and migrated as needed.
///
/// # Errors
/// Failed precondition or unavailable when somebody has it open; whatever opening it and `work` answer.
pub(crate) async fn alone<T, F>(config: &StoreConfig, ctx: Ctx, work: F) -> Result<T>
where
    T: Send + 'static,
    F: for<'a> FnOnce(&'a mut Writer) -> BoxFuture<'a, Result<T>> + Clone + Send + 'static,
{
    let (job, pending) = (job(&ctx), Arc::<pending::Shared>::default());
    let sums = Arc::<pending::Shared>::clone(&pending);
    let work =
        move |connection| async move { Writer::new(connection, ctx, Mode::Bookkeeping, nouns::RULES, pending).run(work).await };
    database::alone(&config.source(), sums, job, work).await
}

/// What the engine knows of a write.
fn job(ctx: &Ctx) -> Job {
    Job { method: ctx.method, request_id: Arc::clone(&ctx.request_id), only_tries: ctx.validate_only }
}
