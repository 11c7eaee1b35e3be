//! Repositories: the metadata of what the registry holds.

mod create;
mod inherit;
mod overlay;
mod rules;
mod source;
mod sync;
mod update;

use std::sync::Arc;

use domain::{Ctx, Description, ListRequest, Noun, Page, Result, Revision, Uidp, ports::Seal, registry::Repo};
use store::{Reader, Store, Writer, registry::repos};

pub use store::registry::repos::RepoFilter;

pub(crate) use rules::check_bundles;

use crate::{
    page_tokens::PageTokens,
    resource::{self, Resource},
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
        Ok(resource::get::<Shown>(&mut reader, uid).await?.repo)
    }

    /// The repositories where the caller holds the method's capabilities, page by page.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token.
    pub async fn list(&self, ctx: &Ctx, request: ListRequest, filter: RepoFilter) -> Result<Page<Repo>> {
        let (query, paging) = self.pages.query(ctx, &request, filter)?;
        let mut reader = self.store.reader().await?;
        let mut listed = repos::list(&mut reader, &query).await?;
        let (mut sources, mut shown) = (Sources::default(), Vec::with_capacity(listed.items.len()));
        for repo in listed.items {
            shown.push(sources.shown(&mut reader, repo).await?);
        }
        listed.items = shown;
        self.pages.page(listed, &paging)
    }

    /// Deletes the repository. Repositories that follow it show from then on what they had inherited when they were last
    /// written.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version.
    pub async fn delete(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        resource::delete::<Shown>(&self.store, ctx, uid).await
    }
}

/// A repository as callers see it, with what it inherits: a patch made from that is void when a source has changed.
struct Shown {
    repo: Repo,
    /// What its own row has as its description, inherited or not.
    own_description: Description,
}

impl Resource for Shown {
    const NOUN: Noun = Noun::Repo;

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        let Some(stored) = repos::get(reader, uid).await? else { return Ok(None) };
        let own_description = stored.spec.description.clone();
        Ok(Some(Self { repo: Sources::default().shown(reader, stored).await?, own_description }))
    }

    fn revision(&self) -> Revision {
        self.repo.revision
    }

    async fn remove(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
        repos::delete(tx, uid).await
    }
}
