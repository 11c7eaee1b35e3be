//! Roles: the built-in ones that everybody sees, and the custom ones of each group.

mod create;
mod rules;
mod update;

use std::sync::Arc;

use domain::{Ctx, ListRequest, Noun, Page, Result, Revision, Uidp, iam::Role, ports::Seal};
use store::{Reader, Store, Writer, iam::roles};

pub use store::iam::roles::RoleFilter;

use crate::{
    grants::require,
    page_tokens::PageTokens,
    resource::{self, Resource},
    turns::Turns,
};

/// The use cases of roles.
#[derive(Clone, Debug)]
pub struct Roles {
    store: Store,
    pages: PageTokens,
    turns: Turns,
}

impl Roles {
    /// The use cases over `store`.
    pub fn new(store: Store, seal: Arc<dyn Seal>) -> Self {
        Self { store, pages: PageTokens::new(seal), turns: Turns::default() }
    }

    /// The role: a built-in one for any authenticated caller, a custom one where the caller holds `roles.list`.
    ///
    /// # Errors
    /// Permission denied for a custom role elsewhere, whether or not it exists; not found.
    pub async fn get(&self, ctx: &Ctx, uid: &Uidp) -> Result<Role> {
        if !uid.is_root() {
            require(ctx, "roles.list", uid)?;
        }
        let mut reader = self.store.reader().await?;
        resource::get(&mut reader, uid).await
    }

    /// The built-in roles and the custom ones where the caller holds the method's capabilities, page by page.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token.
    pub async fn list(&self, ctx: &Ctx, request: ListRequest, filter: RoleFilter) -> Result<Page<Role>> {
        let (mut query, paging) = self.pages.query(ctx, &request, filter)?;
        query.include_roots = true;
        let mut reader = self.store.reader().await?;
        self.pages.page(roles::list(&mut reader, &query).await?, &paging)
    }

    /// Deletes a custom role that is bound nowhere.
    ///
    /// # Errors
    /// Not found; failed precondition for a built-in role and while the role is bound; aborted when `If-Match` names
    /// another version.
    pub async fn delete(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        resource::delete::<Role>(&self.store, ctx, uid).await
    }
}

impl Resource for Role {
    const NOUN: Noun = Noun::Role;

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        roles::get(reader, uid).await
    }

    fn revision(&self) -> Revision {
        self.revision
    }

    fn admit(&self) -> Result<()> {
        rules::check_custom(self)
    }

    async fn remove(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
        roles::delete(tx, uid).await
    }
}
