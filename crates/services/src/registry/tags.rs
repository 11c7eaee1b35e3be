//! Tags: what an image in a repository is called.

mod rules;
mod upsert;

use std::sync::Arc;

use domain::{Ctx, ListRequest, Noun, Page, Result, Revision, Uidp, ports::Seal, registry::Tag};
use store::{Reader, Store, Writer, registry::tags};

pub use store::registry::tags::TagFilter;

use crate::{
    page_tokens::PageTokens,
    resource::{self, Resource},
};

/// The use cases of tags.
#[derive(Clone, Debug)]
pub struct Tags {
    store: Store,
    pages: PageTokens,
}

impl Tags {
    /// The use cases over `store`.
    pub fn new(store: Store, seal: Arc<dyn Seal>) -> Self {
        Self { store, pages: PageTokens::new(seal) }
    }

    /// The tag.
    ///
    /// # Errors
    /// Not found.
    pub async fn get(&self, _ctx: &Ctx, uid: &Uidp) -> Result<Tag> {
        let mut reader = self.store.reader().await?;
        resource::get(&mut reader, uid).await
    }

    /// The tags where the caller holds the method's capabilities, page by page.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token.
    pub async fn list(&self, ctx: &Ctx, request: ListRequest, filter: TagFilter) -> Result<Page<Tag>> {
        let (query, paging) = self.pages.query(ctx, &request, filter)?;
        let mut reader = self.store.reader().await?;
        self.pages.page(tags::list(&mut reader, &query).await?, &paging)
    }

    /// Deletes the tag with the history of what it stood for.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version.
    pub async fn delete(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        resource::delete::<Tag>(&self.store, ctx, uid).await
    }
}

impl Resource for Tag {
    const NOUN: Noun = Noun::Tag;

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        tags::get(reader, uid).await
    }

    fn revision(&self) -> Revision {
        self.revision
    }

    async fn remove(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
        tags::delete(tx, uid).await
    }
}
