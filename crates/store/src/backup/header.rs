//! The frame of a backup file: its first line, and its last.

use std::collections::BTreeMap;

use domain::{Error, Kind, Result, Revision, Rule, Timestamp};
use serde::{Deserialize, Serialize};

use super::tables::Table;
use crate::{
    chain::{Code, KeyId},
    check::{GREATEST, TIMES},
};

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
    /// The code of the last entry of the audit log, behind the name of its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
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

    /// The code of the last entry of the audit log.
    pub(super) fn head(&self) -> Option<Code> {
        Some(Code::of_bytes(&hex::decode(self.head.as_ref()?).unwrap_or_default()))
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
        let header: Self =
            serde_json::from_slice(line).map_err(|error| damaged(&format!("its first line cannot be read: {error}")))?;
        if !(0..=GREATEST).contains(&header.revision) {
            return Err(damaged(&format!("its last commit is {}, which no database comes to", header.revision)));
        }
        if !(TIMES.0..=TIMES.1).contains(&header.created_at) {
            return Err(damaged(&format!("it was made at {}, which is no time", header.created_at)));
        }
        Ok(header)
    }
}

/// The last line: the SHA-256 of everything before it, and who vouches for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trailer {
    pub(super) sha256: [u8; 32],
    /// The code of the SHA-256 under a key of the installation.
    pub(super) code: Option<Code>,
}

/// Bytes of a last line without a code, and with one.
const SHORT: usize = 1 + 11 + 64 + 3;
const LONG: usize = SHORT + 9 + 16 + 10 + 64;
/// What the code of a backup is made of before its SHA-256: the format.
pub(super) const VOUCHED: &[u8] = b"provost backup 1";

impl Trailer {
    pub(super) fn text(&self) -> String {
        let code = |code: Code| format!(",\"key\":\"{}\",\"code\":\"{code}", code.key);
        format!("\n{{\"sha256\":\"{}\"{}}}\n", hex::encode(self.sha256), self.code.map_or_else(String::new, |of| code(of) + "\""))
    }

    /// Its length in bytes.
    pub(super) fn length(&self) -> usize {
        if self.code.is_some() { LONG } else { SHORT }
    }

    /// Reads it from the end of a file, of which these are the last [`Trailer::MOST`] bytes, or all.
    ///
    /// # Errors
    /// Invalid argument when the file does not end like a backup.
    pub(super) fn parse(end: &[u8]) -> Result<Self> {
        [LONG, SHORT]
            .into_iter()
            .find_map(|length| Self::read(end.get(end.len().checked_sub(length)?..)?))
            .ok_or_else(|| damaged("it is cut off, or something was added: its last line is not a checksum"))
    }

    /// The most bytes that it has.
    pub(super) const MOST: usize = LONG;

    /// Each has one spelling.
    fn read(line: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            sha256: String,
            key: Option<String>,
            code: Option<String>,
        }
        let Written { sha256, key, code } = serde_json::from_slice(line).ok()?;
        let bytes = |text: &str| -> Option<[u8; 32]> { hex::decode(text).ok()?.try_into().ok() };
        let code = match (key, code) {
            (Some(key), Some(code)) => Some(Code { key: KeyId(hex::decode(key).ok()?.try_into().ok()?), mac: bytes(&code)? }),
            _ => None,
        };
        let trailer = Self { sha256: bytes(&sha256)?, code };
        (trailer.text().as_bytes() == line).then_some(trailer)
    }
}

/// The error for a file that is no whole backup.
pub(super) fn damaged(what: &str) -> Error {
    Error::new(Kind::InvalidArgument, Rule::Malformed, format!("this file is no backup that can be restored: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_read_as_it_was_written() {
        let code = Code { key: KeyId([3; 8]), mac: [9; 32] };
        for trailer in [Trailer { sha256: [7; 32], code: None }, Trailer { sha256: [7; 32], code: Some(code) }] {
            let text = trailer.text();
            assert_eq!(text.len(), trailer.length());
            assert_eq!(Trailer::parse(format!("…{text}").as_bytes()).expect("read"), trailer);
            for other in
                [text.to_uppercase(), text.replace("sha256", "sha512"), text.trim_end().to_owned(), text.replace("07", "0g")]
            {
                assert!(Trailer::parse(other.as_bytes()).is_err(), "{other}");
            }
        }
    }

    #[test]
    fn no_database_comes_to_such_a_commit() {
        let line = |revision: i64| {
            format!(
                r#"{{"provost_backup":1,"schema":1,"version":"1","engine":"e","created_at":1,"revision":{revision},"rows":{{}}}}"#
            )
        };
        assert!(Header::parse(line(7).as_bytes()).is_ok());
        for revision in [-1, i64::MAX, Revision::LAST.0 + 1] {
            let error = Header::parse(line(revision).as_bytes()).expect_err("refused");
            assert!(error.message().contains("which no database comes to"), "{error}");
        }
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
