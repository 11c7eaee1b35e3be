//! Identities: users and workloads.

mod create;
mod delete;
mod lookup;
mod relationship;
mod update;

use std::{fmt, sync::Arc};

use domain::{
    Ctx, Error, ListRequest, Noun, Page, Result, Uidp,
    iam::Identity,
    ports::{CheckRelationship, Seal},
};
use store::{Store, iam::identities};

pub use store::iam::identities::IdentityFilter;

pub(crate) use relationship::check as check_relationship;

use crate::{
    page_tokens::{Fingerprint, PageTokens},
    turns::Turns,
};

/// The use cases of identities.
#[derive(Clone)]
pub struct Identities {
    store: Store,
    pages: PageTokens,
    turns: Turns,
    relationships: Arc<dyn CheckRelationship>,
}

impl Identities {
    /// The use cases over `store`; `relationships` judges what only the token exchange can: patterns, issuers and keys.
    pub fn new(store: Store, seal: Arc<dyn Seal>, relationships: Arc<dyn CheckRelationship>) -> Self {
        Self { store, pages: PageTokens::new(seal), turns: Turns::default(), relationships }
    }

    /// The identity.
    ///
    /// # Errors
    /// Not found.
    pub async fn get(&self, _ctx: &Ctx, uid: &Uidp) -> Result<Identity> {
        let mut reader = self.store.reader().await?;
        identities::get(&mut reader, uid).await?.ok_or_else(|| not_found(uid))
    }

    /// The identities where the caller holds the method's capabilities, page by page.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token.
    pub async fn list(&self, ctx: &Ctx, request: ListRequest, filter: IdentityFilter) -> Result<Page<Identity>> {
        let fingerprint = Fingerprint::new(ctx, &request)
            .text(filter.name.as_deref())
            .text(filter.relationship_type.map(domain::iam::RelationshipType::as_str));
        let (query, paging) = self.pages.query(ctx, &request, filter, fingerprint)?;
        let mut reader = self.store.reader().await?;
        self.pages.page(identities::list(&mut reader, &query).await?, &paging)
    }
}

impl fmt::Debug for Identities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identities").finish_non_exhaustive()
    }
}

fn not_found(uid: &Uidp) -> Error {
    Error::not_found(Noun::Identity, uid.as_str())
}
