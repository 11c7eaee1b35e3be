//! Groups: organizations and the folders below them.

mod create;
mod delete;
mod rules;
mod update;

use std::sync::Arc;

use domain::{Ctx, Error, ListRequest, Noun, Page, Result, Uidp, iam::Group, ports::Seal};
use store::{Store, iam::groups};

pub(crate) use create::{bind_owner, insert};

pub use store::iam::groups::GroupFilter;

use crate::{
    page_tokens::{Fingerprint, PageTokens},
    settings::Settings,
    turns::Turns,
};

/// The use cases of groups.
#[derive(Clone, Debug)]
pub struct Groups {
    store: Store,
    pages: PageTokens,
    turns: Turns,
    settings: Settings,
}

impl Groups {
    /// The use cases over `store`.
    pub fn new(store: Store, seal: Arc<dyn Seal>, settings: Settings) -> Self {
        Self { store, pages: PageTokens::new(seal), turns: Turns::default(), settings }
    }

    /// The group; folders carry kind and status of their organization.
    ///
    /// # Errors
    /// Not found.
    pub async fn get(&self, _ctx: &Ctx, uid: &Uidp) -> Result<Group> {
        let mut reader = self.store.reader().await?;
        groups::get(&mut reader, uid).await?.ok_or_else(|| not_found(uid))
    }

    /// The groups where the caller holds the method's capabilities, page by page.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token.
    pub async fn list(&self, ctx: &Ctx, request: ListRequest, filter: GroupFilter) -> Result<Page<Group>> {
        let fingerprint = Fingerprint::new(ctx, &request).text(filter.name.as_deref());
        let (query, paging) = self.pages.query(ctx, &request, filter, fingerprint)?;
        let mut reader = self.store.reader().await?;
        self.pages.page(groups::list(&mut reader, &query).await?, &paging)
    }

    /// Whether the caller may create an organization.
    #[must_use]
    pub fn may_create_organization(&self, ctx: &Ctx) -> bool {
        create::check_organization(ctx, &self.settings).is_ok()
    }
}

pub(crate) fn not_found(uid: &Uidp) -> Error {
    Error::not_found(Noun::Group, uid.as_str())
}
