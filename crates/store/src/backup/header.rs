//! The frame of a backup file: its first line, and its last.

use std::collections::BTreeMap;

use domain::{Error, Kind, Result, Revision, Rule, Timestamp};
use serde::{Deserialize, Serialize};

use super::tables::Table;

/// The format that this program writes, and the newest that it reads.
pub(super) const FORMAT: u32 = 1;

/// What a backup says about itself in its first line, which is not compressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The format of the file.
    #[serde(rename = "provost_backup")]
    pub format: u32,
    /// The schema of the rows.
    pub schema: i64,
    /// The version of the program that wrote it.
    pub version: String,
    /// The engine that the rows come from, `sqlite` or `postgresql`. Any engine takes them.
    pub engine: String,
    /// When, in milliseconds since 1970.
    pub created_at: i64,
    /// The last commit that is in it.
    pub revision: i64,
    /// How many rows of each table.
    pub rows: BTreeMap<String, u64>,
}

impl Header {
    /// How many rows of the table there are.
    pub(super) fn expected(&self, table: &Table) -> u64 {
        self.rows.get(table.name).copied().unwrap_or_default()
    }

    /// How many rows in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.rows.values().fold(0, |sum, rows| sum.saturating_add(*rows))
    }

    /// When it was made.
    #[must_use]
    pub fn created(&self) -> Timestamp {
        Timestamp(self.created_at)
    }

    /// The last commit that is in it.
    #[must_use]
    pub fn last_commit(&self) -> Revision {
        Revision(self.revision)
    }

    /// Reads the first line.
    ///
    /// # Errors
    /// Invalid argument when it is none, or of a format that this program does not read.
    pub(super) fn parse(line: &[u8]) -> Result<Self> {
        /// What every format begins with.
        #[derive(Deserialize)]
        struct Mark {
            provost_backup: u32,
            version: String,
        }
        let mark: Mark = serde_json::from_slice(line).map_err(|error| damaged("it does not begin like one").because(error))?;
        if mark.provost_backup > FORMAT {
            return Err(damaged(&format!(
                "it has format {}, and this provost reads {FORMAT} at most: restore it with provost {} or later",
                mark.provost_backup, mark.version
            )));
        }
        serde_json::from_slice(line).map_err(|error| damaged(&format!("its first line cannot be read: {error}")))
    }
}

/// The last line: the SHA-256 of everything before it.
pub(super) fn trailer(digest: &[u8]) -> String {
    format!("\n{{\"sha256\":\"{}\"}}\n", hex::encode(digest))
}

/// The length of [`trailer`] in bytes.
pub(super) const TRAILER: usize = 1 + 11 + 64 + 3;

/// The error for a file that is no whole backup.
pub(super) fn damaged(what: &str) -> Error {
    Error::new(Kind::InvalidArgument, Rule::Malformed, format!("this file is no backup that can be restored: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trailer_has_its_length() {
        assert_eq!(trailer(&[7; 32]).len(), TRAILER);
    }

    #[test]
    fn first_lines_of_other_formats_say_so() {
        let told =
            |line: &str| Header::parse(line.as_bytes()).map_or_else(|error| error.message().to_owned(), |_| "ok".to_owned());
        assert!(told("PGDMP").contains("does not begin like one"));
        let newer = told(r#"{"provost_backup":2,"version":"9.1.0","all":"different"}"#);
        assert!(newer.contains("format 2") && newer.contains("provost 9.1.0 or later"), "{newer}");
        assert!(told(r#"{"provost_backup":1,"version":"0.1.0"}"#).contains("first line cannot be read"));
    }
}
