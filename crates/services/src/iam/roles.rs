//! Roles: the built-in ones that everybody sees, and the custom ones of each group.

mod create;
mod delete;
mod rules;
mod update;

use std::sync::Arc;

use domain::{Ctx, Error, ListRequest, Noun, Page, Result, Uidp, iam::Role, ports::Seal};
use store::{Store, iam::roles};

pub use store::iam::roles::RoleFilter;

use crate::{
    grants::require,
    page_tokens::{Fingerprint, PageTokens},
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
        roles::get(&mut reader, uid).await?.ok_or_else(|| not_found(uid))
    }

    /// The built-in roles and the custom ones where the caller holds the method's capabilities, page by page.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token.
    pub async fn list(&self, ctx: &Ctx, request: ListRequest, filter: RoleFilter) -> Result<Page<Role>> {
        let fingerprint = Fingerprint::new(ctx, &request).text(filter.name.as_deref());
        let (mut query, paging) = self.pages.query(ctx, &request, filter, fingerprint)?;
        query.include_roots = true;
        let mut reader = self.store.reader().await?;
        self.pages.page(roles::list(&mut reader, &query).await?, &paging)
    }
}

pub(super) fn not_found(uid: &Uidp) -> Error {
    Error::not_found(Noun::Role, uid.as_str())
}
