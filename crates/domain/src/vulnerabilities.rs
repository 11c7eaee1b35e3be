//! The nouns of vulnerability management.

pub mod advisory;
pub mod advisory_event;
pub mod import;
pub mod severity;
pub mod vulnerability;

pub use advisory::{Advisory, AdvisoryId, AdvisorySpec, AdvisoryView};
pub use advisory_event::{
    AdvisoryEvent, Detection, EventKind, EventType, FalsePositiveReason, Fixed, NvdMatch, ReviewState, Scan,
};
pub use import::{AdvisoryImport, Document, DocumentFormat, ImportTally, Rejection};
pub use severity::{Severity, SeveritySystem};
pub use vulnerability::{Reference, ReferenceKind, Vulnerability, VulnerabilitySpec};

crate::revision::versioned! {
    Advisory: self;
    AdvisoryImport: self;
    AdvisoryView: self.advisory;
    Vulnerability: self;
}
