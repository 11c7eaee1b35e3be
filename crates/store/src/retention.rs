//! What is removed when it is old: events that everybody has, and entries of the audit log with their changes.
//!
//! An event leaves its SHA-256, which the audit log vouches for. What the audit log no longer tells, an entry of the method
//! [`TRIM`](crate::chain::TRIM) vouches for: by the SHA-256 of all entries before it that stay. Before it is made, those that go are
//! marked with the number that the node has claimed; that entry makes this number count; then they are removed. So a log is whole however
//! far that has come, also when another node begins meanwhile, and nothing that was changed by other hands is removed, nor vouched for.
//!
//! The last commit of everything that is there stays, with all of its changes: rows are compared with it.

mod claim;
mod events;
mod log;
mod sizes;

use domain::{Result, Revision};

pub use self::{
    events::trim_events,
    log::{Trimmed, remove_marked, trim_log},
    sizes::{Size, sizes},
};
use crate::{Reader, deliveries};

/// Rows that are written or removed at once: some milliseconds of the writer.
const STEP: usize = 100;

/// The oldest commit whose events may still be delivered. Whoever delivers for the first time begins with what comes then.
async fn needed(reader: &mut Reader) -> Result<Revision> {
    Ok(deliveries::oldest_needed(reader).await?.unwrap_or(Revision(i64::MAX)))
}
