//! Identities: users and workloads.

mod create;
mod lookup;
mod relationship;
mod update;

use std::{fmt, sync::Arc};

use domain::{
    Ctx, ListRequest, Noun, Page, Result, Revision, Uidp,
    iam::Identity,
    ports::{CheckRelationship, Seal},
};
use store::{Reader, Store, Writer, iam::identities};

pub use relationship::KeyLife;
pub use store::iam::identities::IdentityFilter;

pub(crate) use relationship::check as check_relationship;

use crate::{
    page_tokens::PageTokens,
    resource::{self, Resource},
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
        resource::get(&mut reader, uid).await
    }

    /// The identities where the caller holds the method's capabilities, page by page.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token.
    pub async fn list(&self, ctx: &Ctx, request: ListRequest, filter: IdentityFilter) -> Result<Page<Identity>> {
        let (query, paging) = self.pages.query(ctx, &request, filter)?;
        let mut reader = self.store.reader().await?;
        self.pages.page(identities::list(&mut reader, &query).await?, &paging)
    }

    /// Deletes the identity with its role bindings; its tokens stop working at once. This takes rights away and gives
    /// none, so callers need not hold what the identity holds.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version.
    pub async fn delete(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        resource::delete::<Identity>(&self.store, ctx, uid).await
    }
}

impl fmt::Debug for Identities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identities").finish_non_exhaustive()
    }
}

impl Resource for Identity {
    const NOUN: Noun = Noun::Identity;

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        identities::get(reader, uid).await
    }

    fn revision(&self) -> Revision {
        self.revision
    }

    async fn remove(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
        identities::delete(tx, uid).await
    }
}
