//! Repositories: the metadata of what the registry holds.

mod create;
mod delete;
mod inherit;
mod overlay;
mod rules;
mod source;
mod sync;
mod update;

use std::sync::Arc;

use domain::{Ctx, Error, ListRequest, Noun, Page, Result, Uidp, ports::Seal, registry::Repo};
use store::{Store, registry::repos};

pub use store::registry::repos::RepoFilter;

use crate::{
    page_tokens::{Fingerprint, PageTokens},
    settings::Settings,
    turns::Turns,
};
use inherit::Sources;

/// The use cases of repositories.
#[derive(Clone, Debug)]
pub struct Repos {
    store: Store,
    pages: PageTokens,
    turns: Turns,
    settings: Settings,
}

impl Repos {
    /// The use cases over `store`.
    pub fn new(store: Store, seal: Arc<dyn Seal>, settings: Settings) -> Self {
        Self { store, pages: PageTokens::new(seal), turns: Turns::default(), settings }
    }

    /// The repository; a synced one carries what it inherits from its source.
    ///
    /// # Errors
    /// Not found.
    pub async fn get(&self, _ctx: &Ctx, uid: &Uidp) -> Result<Repo> {
        let mut reader = self.store.reader().await?;
        let repo = repos::get(&mut reader, uid).await?.ok_or_else(|| not_found(uid))?;
        Sources::default().shown(&mut reader, repo).await
    }

    /// The repositories where the caller holds the method's capabilities, page by page.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token.
    pub async fn list(&self, ctx: &Ctx, request: ListRequest, filter: RepoFilter) -> Result<Page<Repo>> {
        let fingerprint = Fingerprint::new(ctx, &request).text(filter.name.as_deref());
        let (query, paging) = self.pages.query(ctx, &request, filter, fingerprint)?;
        let mut reader = self.store.reader().await?;
        let mut listed = repos::list(&mut reader, &query).await?;
        let (mut sources, mut shown) = (Sources::default(), Vec::with_capacity(listed.items.len()));
        for repo in listed.items {
            shown.push(sources.shown(&mut reader, repo).await?);
        }
        listed.items = shown;
        self.pages.page(listed, &paging)
    }
}

fn not_found(uid: &Uidp) -> Error {
    Error::not_found(Noun::Repo, uid.as_str())
}
