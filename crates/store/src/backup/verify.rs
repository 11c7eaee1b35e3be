//! Whether everything in the database agrees with everything else.

use std::sync::Arc;

use domain::{Error, Kind, Result, Revision, Rule};

use super::{header::Header, tables::TABLES};
use crate::{
    Writer,
    chain::{Head, Keys},
    check::{Finding, look_below, rules},
};

/// Compares the number of rows with the header, and then everything with everything else.
///
/// # Errors
/// Failed precondition, saying what does not agree.
pub(super) async fn verify(tx: &mut Writer, header: &Header) -> Result<()> {
    for table in &*TABLES {
        let sql = format!("SELECT count(*) FROM {}", table.name);
        let rows = tx.query_one(&sql, &[], |row| row.int(0)).await?.unwrap_or_default();
        if !u64::try_from(rows).is_ok_and(|rows| rows == header.expected(table)) {
            return Err(disagrees(&format!("there are {rows} rows of {} instead of {}", table.name, header.expected(table))));
        }
    }
    for rule in rules(Revision(header.revision)) {
        if let [finding, ..] = rule.look(tx).await?.as_slice() {
            return Err(disagrees(&format!("{}: {}", finding.place, finding.problem)));
        }
    }
    Ok(())
}

/// Compares what codes vouch for, by the head of the backup. Answers what does not fit where it is to be trusted all the same. Where
/// it has no head, there may be no codes.
///
/// # Errors
/// Failed precondition, saying what does not fit.
pub(super) async fn verify_codes(tx: &mut Writer, header: &Header, keys: Option<Arc<Keys>>, trust: bool) -> Result<Vec<Finding>> {
    let head = header.head().map(|code| Head { revision: Revision(header.revision), code });
    let findings = look_below(tx, keys.filter(|_| head.is_some()), head).await?;
    match findings.as_slice() {
        [finding, ..] if !trust => Err(disagrees(&format!("{}: {}", finding.place, finding.problem))),
        _ => Ok(findings),
    }
}

fn disagrees(how: &str) -> Error {
    let message = format!("the backup is inconsistent, and nothing of it was restored: {how}");
    Error::new(Kind::FailedPrecondition, Rule::Unavailable, message)
}
