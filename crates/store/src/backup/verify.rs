//! Whether everything in the database agrees with everything else.

use domain::{Error, Kind, Result, Revision, Rule};

use super::{header::Header, tables::TABLES};
use crate::{Writer, check::rules};

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

fn disagrees(how: &str) -> Error {
    let message = format!("the backup is inconsistent, and nothing of it was restored: {how}");
    Error::new(Kind::FailedPrecondition, Rule::Unavailable, message)
}
