//! What the server logs, shown and changed while it runs.

use std::time::Duration;

use super::Failure;
use crate::logging::{self, Filters};

/// Changes the filter, if there is a new one, for so many seconds, if there are any.
pub(super) fn perform(filter: Option<&str>, seconds: Option<u64>, asked_by: &str) -> Result<Filters, Failure> {
    let log = logging::running().ok_or_else(|| Failure::failed("the server runs inside another program, whose log it is"))?;
    let Some(filter) = filter else {
        return Ok(Filters { before: log.filter(), now: log.filter() });
    };
    // Told before and after: one of the two filters may hide it.
    tracing::info!(asked_by, filter, "the log filter is being changed");
    let changed = log.change(filter, seconds.map(Duration::from_secs));
    let changed = changed.map_err(|error| Failure::usage(error.to_string()))?;
    tracing::info!(asked_by, before = changed.before, now = changed.now, "the log filter was changed");
    Ok(changed)
}
