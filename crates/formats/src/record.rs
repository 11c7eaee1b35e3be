//! What documents say, whatever they are written in.

use std::fmt;

use domain::{
    Timestamp,
    vulnerabilities::{AdvisorySpec, DocumentFormat, EventKind, VulnerabilitySpec},
};

/// The id of an OpenVEX document about one advisory, without the advisory's public id.
pub(crate) const ID: &str = "https://openvex.dev/docs/provost/";

/// A document that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What it was written in.
    pub format: DocumentFormat,
    /// Its id, which no other document of that format has.
    pub id: String,
    /// What it says about the vulnerability itself, if it does.
    pub vulnerability: Option<VulnerabilitySpec>,
    /// What it says about each package or product, each once.
    pub parts: Vec<Part>,
}

/// What a document says about one package or product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What tells it from the other parts of the document.
    pub key: String,
    /// The advisory that it makes.
    pub spec: AdvisorySpec,
    /// What happened, the oldest first.
    pub events: Vec<PartEvent>,
    /// When the document was withdrawn.
    pub withdrawn_at: Option<Timestamp>,
}

/// Something that happened, as a document says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartEvent {
    /// When.
    pub at: Timestamp,
    /// What.
    pub kind: EventKind,
}

/// Why a document is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected(pub String);

impl Record {
    /// The public id of the advisory that a server of this kind has written the document about, if one has.
    #[must_use]
    pub fn written_about(&self) -> Option<&str> {
        let id = self.id.strip_prefix(ID).unwrap_or(&self.id);
        (id.starts_with("CGA-") && id.len() == 18).then_some(id)
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What an advisory comes to: its latest approved event that is a verdict, else that the vulnerability was found.
pub(crate) fn verdict(advisory: &domain::vulnerabilities::Advisory) -> PartEvent {
    let is_verdict = |kind: &EventKind| !matches!(kind, EventKind::ComponentLocationChanged { .. });
    let latest = advisory.approved().rfind(|event| is_verdict(&event.kind));
    let found = || PartEvent { at: advisory.created_at, kind: EventKind::Detection(domain::vulnerabilities::Detection::Manual) };
    latest.map_or_else(found, |event| PartEvent { at: event.at, kind: event.kind.clone() })
}
