//! Identities: users and workloads.

mod create;
mod lookup;
mod relationship;
mod update;

use std::sync::Arc;

use domain::{Result, Uidp, iam::Identity, ports::CheckRelationship};
use store::{ListQuery, Listed, Reader, Writer, iam::identities};

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
    const NOUN: domain::Noun = domain::Noun::Identity;

    type Answer = Self;
    type Filter = IdentityFilter;
    /// Judges what only the token exchange can: patterns, issuers and keys.
    type Needs = Arc<dyn CheckRelationship>;

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        identities::get(reader, uid).await
    }

    async fn show(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        identities::get(reader, uid).await
    }

    async fn list(reader: &mut Reader, query: &ListQuery<IdentityFilter>) -> Result<Listed<Self>> {
        identities::list(reader, query).await
    }

    async fn remove(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
        identities::delete(tx, uid).await
    }
}
