//! Readmes: Markdown that shows nothing active, whoever renders it.

mod scan;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Violations, last_segment};

/// The text that introduces a repository, in Markdown (`CommonMark` 0.31). What it becomes as HTML has no scripts, styles, handlers and
/// links to anything but `http`, `https` and `mailto`; empty for none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Readme(Box<str>);

impl Readme {
    /// Longest accepted readme in bytes.
    pub const MAX_LEN: usize = 64 * 1024;

    /// The readme, or a violation of `field` and `None`. Takes time that is linear in the text.
    pub fn parse(field: &str, text: &str, violations: &mut Violations) -> Option<Self> {
        let name = last_segment(field);
        let is_bad = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        if text.len() > Self::MAX_LEN {
            violations.add(field, format!("{name} must be at most {} bytes", Self::MAX_LEN));
        } else if text.replace("\r\n", "\n").contains(is_bad) {
            violations.add(field, format!("{name} must not contain control characters but line ends and tabs"));
        } else if let Err(scan::Refused { line, why }) = scan::check(text) {
            violations.add(field, format!("{name} must be Markdown without active content: line {line} {why}"));
        } else {
            return Some(Self(text.into()));
        }
        None
    }

    /// A readme that the store wrote, taken as it is.
    #[must_use]
    pub fn trusted(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Readme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
