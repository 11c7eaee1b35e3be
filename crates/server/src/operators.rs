//! Tokens for the people who run the server.

use std::{sync::Arc, time::Duration};

use domain::{Clock, Ctx, Entropy, Error, Secret};

/// Mints tokens of the operators' identity. Every one of them is audited.
#[derive(Clone, Debug)]
pub struct Operators {
    inner: sts::Operators,
    settings: Arc<sts::Settings>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

impl Operators {
    pub(crate) fn new(
        inner: sts::Operators,
        settings: Arc<sts::Settings>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        Self { inner, settings, clock, entropy }
    }

    /// A token that lives for `ttl`, asked for by the system's user `asked_by`, which the audit log keeps.
    ///
    /// # Errors
    /// Invalid argument when `ttl` is longer than operators' tokens may live.
    pub async fn token(&self, ttl: Duration, asked_by: &str) -> Result<Secret<String>, Error> {
        let ctx = Ctx::system("admin token", self.clock.now(), Arc::clone(&self.entropy));
        self.inner.operator_token(&ctx, ttl, asked_by).await
    }

    /// The context of what the system's user `asked_by` does at the machine as an operator.
    ///
    /// # Errors
    /// Invalid argument when the user's name cannot be kept.
    pub(crate) fn ctx(&self, task: &'static str, asked_by: &str) -> Result<Ctx, Error> {
        let ctx = Ctx::system(task, self.clock.now(), Arc::clone(&self.entropy));
        sts::operator::at_the_machine(&self.settings, &ctx, asked_by)
    }
}
