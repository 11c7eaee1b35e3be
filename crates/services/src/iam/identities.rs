//! Identities: users and workloads.

mod create;
mod lookup;
mod metadata;
mod relationship;
mod update;

pub(crate) mod user;

use std::{fmt, sync::Arc};

use domain::{iam::Identity, ports::CheckRelationship};

pub use relationship::KeyLife;
pub use store::iam::identities::IdentityFilter;

pub(crate) use relationship::check as check_relationship;

use super::lookups::UserLookups;
use crate::nouns::{Noun, Nouns};

/// The use cases of identities. One that is deleted takes its role bindings and its service binding along, and its tokens stop working
/// at once; that takes rights away and gives none, so callers need not hold what it holds.
pub type Identities = Nouns<Identity>;

impl Identities {
    /// Why no token can ever match this identity, though it is as it was wished: its keys are no key set.
    #[must_use]
    pub fn warning(&self, identity: &Identity) -> Option<String> {
        self.needs.relationships.warning(&identity.spec.relationship)
    }
}

impl Noun for Identity {
    type Answer = Self;
    type Filter = IdentityFilter;
    type Needs = Needs;
}

/// What the use cases of identities need beside the store.
#[derive(Clone)]
pub struct Needs {
    /// Judges what only the token exchange can: patterns, issuers and keys.
    pub relationships: Arc<dyn CheckRelationship>,
    /// Counts who looks for users.
    pub lookups: UserLookups,
}

impl fmt::Debug for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Needs").finish_non_exhaustive()
    }
}
