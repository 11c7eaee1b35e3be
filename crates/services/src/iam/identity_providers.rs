//! Identity providers: where the people of an organization log in.

mod create;
mod rules;
mod scim;
mod secret;
mod update;

use std::{fmt, sync::Arc};

use domain::{
    iam::IdentityProvider,
    ports::{CheckRelationship, Seal},
};

pub use scim::{Lifetime, Made};
pub use secret::{SecretChange, renew_all};
pub use store::iam::identity_providers::IdentityProviderFilter;

use crate::nouns::{Noun, Nouns};

/// The use cases of identity providers. Nobody can log in any more through one that is deleted. Whether one answers is asked when it
/// is used.
pub type IdentityProviders = Nouns<IdentityProvider>;

/// What the use cases of identity providers need beside the store.
#[derive(Clone)]
pub struct Needs {
    /// Seals client secrets.
    pub seal: Arc<dyn Seal>,
    /// Judges issuers.
    pub issuers: Arc<dyn CheckRelationship>,
    /// The URL of this server's issuer, below which providers provision users.
    pub auth_url: String,
}

impl fmt::Debug for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Needs").finish_non_exhaustive()
    }
}

impl Noun for IdentityProvider {
    type Answer = Self;
    type Filter = IdentityProviderFilter;
    type Needs = Needs;
}
