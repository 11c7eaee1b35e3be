//! The last statements of a group commit: what its requests add to the counters.

use rusqlite::Connection;

use crate::counts::Pending;

/// The check that counters are never negative is made on the row to insert, even where the conflict then makes it an update.
const GROW: &str = "INSERT INTO counts (prefix, noun, n, children) VALUES (?1, ?2, ?3, ?4) \
    ON CONFLICT (prefix, noun) DO UPDATE SET n = n + excluded.n, children = children + excluded.children";
/// A counter that is damaged stays one that a check finds, and fails nobody else's request.
const SHRINK: &str = "UPDATE counts SET n = max(n + ?3, 0), children = max(children + ?4, 0) WHERE prefix = ?1 AND noun = ?2";
const FORGET: &str = "DELETE FROM counts WHERE prefix = ?1 AND n = 0";

/// Adds to the counters.
pub(super) fn write(raw: &Connection, pending: &Pending) -> rusqlite::Result<()> {
    let mut grow = raw.prepare_cached(GROW)?;
    for change in pending.grown() {
        grow.execute((change.prefix, change.noun.as_str(), change.sum.below, change.sum.children))?;
    }
    let mut shrink = raw.prepare_cached(SHRINK)?;
    for change in pending.shrunk() {
        shrink.execute((change.prefix, change.noun.as_str(), change.sum.below, change.sum.children))?;
    }
    let mut forget = raw.prepare_cached(FORGET)?;
    for prefix in pending.gone() {
        forget.execute([prefix])?;
    }
    Ok(())
}
