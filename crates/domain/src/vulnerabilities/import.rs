//! Imports: documents of others that become advisories, how far that has come, and what was rejected.

use serde::{Deserialize, Serialize};

use crate::{revision::Revision, time::Timestamp, uidp::Uidp};

/// What documents are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentFormat {
    /// The Open Source Vulnerability format, 1.x.
    Osv,
    /// OpenVEX.
    OpenVex,
}

/// An import into a group, and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvisoryImport {
    /// Its identifier; the parent is the group.
    pub uid: Uidp,
    /// Whether what is imported counts at once.
    pub is_approved: bool,
    /// What has become of the documents so far.
    pub tally: ImportTally,
    /// When it was begun.
    pub created_at: Timestamp,
    /// When documents were last appended.
    pub updated_at: Timestamp,
    /// When the last document was appended.
    pub finished_at: Option<Timestamp>,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What has become of the documents of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportTally {
    /// How many were appended.
    pub documents: u64,
    /// How many of them were new, or had changed.
    pub imported: u64,
    /// How many were here already, as they are.
    pub unchanged: u64,
    /// How many were rejected.
    pub rejected: u64,
    /// How many advisories were created.
    pub created: u64,
    /// How many advisories were changed.
    pub updated: u64,
}

/// A document that was not imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Which one of its import, counted from 0.
    pub position: u64,
    /// What its sender calls it.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// A document, as it came or as it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// What it is called.
    pub name: String,
    /// Its bytes.
    pub content: Vec<u8>,
}

impl DocumentFormat {
    /// Its word in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Osv => "osv",
            Self::OpenVex => "openvex",
        }
    }
}
