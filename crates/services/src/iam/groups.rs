//! Groups: organizations and the folders below them.

mod create;
mod rules;
mod update;

use std::sync::Arc;

use domain::{Ctx, ListRequest, Noun, Page, Result, Revision, Uidp, iam::Group, ports::Seal};
use store::{Reader, Store, Writer, iam::groups};

pub(crate) use create::{bind_owner, insert};

pub use store::iam::groups::GroupFilter;

use crate::{
    page_tokens::PageTokens,
    resource::{self, Resource},
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
        resource::get(&mut reader, uid).await
    }

    /// The groups where the caller holds the method's capabilities, page by page.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token.
    pub async fn list(&self, ctx: &Ctx, request: ListRequest, filter: GroupFilter) -> Result<Page<Group>> {
        let (query, paging) = self.pages.query(ctx, &request, filter)?;
        let mut reader = self.store.reader().await?;
        self.pages.page(groups::list(&mut reader, &query).await?, &paging)
    }

    /// Deletes the group with its role bindings.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version; failed precondition while anything of substance is
    /// left in it, naming what.
    pub async fn delete(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        resource::delete::<Group>(&self.store, ctx, uid).await
    }

    /// Whether the caller may create an organization.
    #[must_use]
    pub fn may_create_organization(&self, ctx: &Ctx) -> bool {
        create::check_organization(ctx, &self.settings).is_ok()
    }
}

impl Resource for Group {
    const NOUN: Noun = Noun::Group;

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        groups::get(reader, uid).await
    }

    fn revision(&self) -> Revision {
        self.revision
    }

    async fn remove(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
        groups::delete(tx, uid).await
    }
}
