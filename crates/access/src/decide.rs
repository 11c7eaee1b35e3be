//! Whether a caller may do something at a place.

use domain::{CapabilitySet, Grants, Uidp};

/// The answer for one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The caller holds everything that is needed.
    Allow,
    /// Something is missing.
    Deny {
        /// What is missing there.
        missing: CapabilitySet,
    },
}

/// Whether the grants give every needed capability at `at`. Nothing needed is always allowed: any authenticated caller
/// may call such a method.
#[must_use]
pub fn decide(grants: &Grants, needed: &CapabilitySet, at: &Uidp) -> Decision {
    let missing = needed.without(&grants.held_at(at));
    if missing.is_empty() { Decision::Allow } else { Decision::Deny { missing } }
}
