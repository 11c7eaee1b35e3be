//! Terms: legal documents, which methods need them, and in whose name they were accepted.

use serde::Serialize;

use crate::{revision::Revision, time::Timestamp, uidp::Uidp};

/// A document, as the configuration of the server names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermsDocument {
    /// What it is accepted by, such as `skills-tos.v1`.
    pub id: String,
    /// Its title.
    pub label: String,
    /// Where it can be read.
    pub url: String,
    /// The methods that need it, by full name (`package.Service/Method`); none where it is only to be accepted.
    pub methods: Vec<String>,
}

/// A document that was accepted in the name of a group, for all that is in the group. A group has at most one of each document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TermsAcceptance {
    /// Its identifier; the parent is the group.
    pub uid: Uidp,
    /// The id of the document, which the configuration may not name any more.
    pub document: String,
    /// Who accepted it, and may be gone.
    pub accepted_by: Uidp,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// The same.
    pub updated_at: Timestamp,
    /// The commit that wrote it.
    pub revision: Revision,
}

/// Documents that were accepted at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TermsAccepted {
    /// In the name of this group.
    pub group: Uidp,
    /// Their ids, those that had been accepted before included.
    pub documents: Vec<String>,
}

impl TermsDocument {
    /// Most documents that a configuration may name: each may be accepted in the name of each group.
    pub const MAX: usize = 32;
    /// Longest id in bytes.
    pub const MAX_ID: usize = 100;
    /// Longest label in bytes.
    pub const MAX_LABEL: usize = 255;
    /// Longest URL in bytes: as much as an error has room for.
    pub const MAX_URL: usize = 512;

    /// Whether the method (`/package.Service/Method`) needs it.
    #[must_use]
    pub fn is_for(&self, method: &str) -> bool {
        method.strip_prefix('/').is_some_and(|method| self.methods.iter().any(|needed| needed == method))
    }
}
