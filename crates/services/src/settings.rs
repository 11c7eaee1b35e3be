//! What an installation decides about the use cases.

use std::sync::Arc;

use domain::iam::TermsDocument;

/// The settings that use cases read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whether any authenticated caller may create an organization; otherwise only operators may.
    pub self_service_organizations: bool,
    /// The host, with its port if it has one, that image references of this installation begin with. Empty where there
    /// is none: full references are then not understood.
    pub registry_host: String,
    /// The URL of the issuer, without a slash at its end.
    pub auth_url: String,
    /// Whether who has written an event of an advisory may approve it.
    pub self_approval: bool,
    /// The documents that can be accepted.
    pub terms: Arc<[TermsDocument]>,
}
