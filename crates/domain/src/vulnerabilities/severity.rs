//! How bad vulnerabilities are.

use serde::{Deserialize, Serialize};

/// A rating by one scoring system.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Severity {
    /// The scoring system.
    pub system: SeveritySystem,
    /// The rating as that system writes it: a vector, such as `CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H`, or a word.
    pub score: String,
}

/// Scoring systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeveritySystem {
    /// CVSS version 2.
    CvssV2,
    /// CVSS version 3.0 or 3.1.
    CvssV3,
    /// CVSS version 4.0.
    CvssV4,
    /// The priorities of Ubuntu.
    Ubuntu,
}
