//! How far old entries of the audit log have gone, and the feed with them.

use domain::{Result, Revision};

use crate::Reader;

/// How far old entries have gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Floor {
    /// Entries that are marked with this number are gone, or about to be removed.
    pub(crate) number: i64,
    /// The feed tells all of every commit after this one.
    pub(crate) revision: Revision,
}

/// How far old entries have gone.
///
/// # Errors
/// Internal when the storage fails.
pub(crate) async fn floor(reader: &mut Reader) -> Result<Floor> {
    let read = reader.query_one("SELECT number, floor FROM retention", &[], |row| {
        Ok(Floor { number: row.int(0)?, revision: row.revision(1)? })
    });
    Ok(read.await?.unwrap_or_default())
}
