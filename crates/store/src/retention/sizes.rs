//! How much there is of what goes when it is old.

use domain::{Result, Timestamp};

use crate::Reader;

/// How much there is of something, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The table.
    pub table: &'static str,
    /// Its rows.
    pub rows: i64,
    /// When the oldest of them was written, where they tell.
    pub oldest: Option<Timestamp>,
}

/// The tables, and what tells when their oldest row was written.
const TABLES: [(&str, Option<&str>); 5] = [
    ("audit", Some("SELECT at FROM audit ORDER BY id LIMIT 1")),
    ("changes", None),
    ("outbox", Some("SELECT at FROM outbox ORDER BY revision, ordinal LIMIT 1")),
    ("spent_events", None),
    ("idempotency", Some("SELECT created_at FROM idempotency ORDER BY created_at LIMIT 1")),
];

/// The sizes of all of them, exact, which takes as long as reading their indexes.
///
/// # Errors
/// Internal when the storage fails.
pub async fn sizes(reader: &mut Reader) -> Result<Vec<Size>> {
    let mut sizes = Vec::new();
    for (table, oldest) in TABLES {
        let rows = reader.query_one(&format!("SELECT count(*) FROM {table}"), &[], |row| row.int(0)).await?;
        let oldest = match oldest {
            Some(sql) => reader.query_one(sql, &[], |row| row.time(0)).await?,
            None => None,
        };
        sizes.push(Size { table, rows: rows.unwrap_or_default(), oldest });
    }
    Ok(sizes)
}
