//! Identities: users and workloads.

mod create;
mod lookup;
mod metadata;
mod relationship;
mod update;

pub(crate) mod user;

use std::sync::Arc;

use domain::{iam::Identity, ports::CheckRelationship};

pub use relationship::KeyLife;
pub use store::iam::identities::IdentityFilter;

pub(crate) use relationship::check as check_relationship;

use crate::nouns::{Noun, Nouns};

/// The use cases of identities. One that is deleted takes its role bindings and its service binding along, and its tokens stop working
/// at once; that takes rights away and gives none, so callers need not hold what it holds.
pub type Identities = Nouns<Identity>;

impl Identities {
    /// Why no token can ever match this identity, though it is as it was wished: its keys are no key set.
    #[must_use]
    pub fn warning(&self, identity: &Identity) -> Option<String> {
        self.needs.warning(&identity.spec.relationship)
    }
}

impl Noun for Identity {
    type Answer = Self;
    type Filter = IdentityFilter;
    /// Judges what only the token exchange can: patterns, issuers and keys.
    type Needs = Arc<dyn CheckRelationship>;
}
