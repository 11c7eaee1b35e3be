//! Role bindings: the grants that all access follows from.

mod batch_create;
mod create;
mod rules;
mod update;

use std::sync::Arc;

use domain::{
    Ctx, ListRequest, Noun, Page, Result, Revision, Scopes, Uidp, UidpFilter,
    iam::{RoleBinding, RoleBindingView},
    ports::Seal,
};
use store::{ListQuery, Reader, Store, Writer, iam::role_bindings};

pub use batch_create::{BATCH_MAX, BatchItem};
pub use store::iam::role_bindings::RoleBindingFilter;

use crate::{
    page_tokens::PageTokens,
    resource::{self, Resource, not_found},
    turns::Turns,
};

/// The use cases of role bindings.
#[derive(Clone, Debug)]
pub struct RoleBindings {
    store: Store,
    pages: PageTokens,
    turns: Turns,
}

impl RoleBindings {
    /// The use cases over `store`.
    pub fn new(store: Store, seal: Arc<dyn Seal>) -> Self {
        Self { store, pages: PageTokens::new(seal), turns: Turns::default() }
    }

    /// The binding with what it names.
    ///
    /// # Errors
    /// Not found.
    pub async fn get(&self, _ctx: &Ctx, uid: &Uidp) -> Result<RoleBindingView> {
        let mut reader = self.store.reader().await?;
        view(&mut reader, uid).await
    }

    /// The bindings where the caller holds the method's capabilities, page by page, with what they name.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token.
    pub async fn list(&self, ctx: &Ctx, request: ListRequest, filter: RoleBindingFilter) -> Result<Page<RoleBindingView>> {
        let (query, paging) = self.pages.query(ctx, &request, filter)?;
        let mut reader = self.store.reader().await?;
        self.pages.page(role_bindings::list_views(&mut reader, &query).await?, &paging)
    }

    /// Takes the role away, from the next request on. There is no error when the binding does not exist.
    ///
    /// # Errors
    /// Aborted when `If-Match` names another version.
    pub async fn delete(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        resource::delete::<RoleBinding>(&self.store, ctx, uid).await
    }
}

/// Every binding of an identity, at whatever place.
pub(crate) async fn bindings_of(reader: &mut Reader, identity: &Uidp) -> Result<Vec<RoleBindingView>> {
    let request = ListRequest::first(UidpFilter::default());
    let filter = RoleBindingFilter { identity: Some(identity.clone()), ..RoleBindingFilter::default() };
    let mut query = ListQuery::new(Arc::new(Scopes::All), &request, None, filter);
    let mut all = Vec::new();
    loop {
        let listed = role_bindings::list_views(reader, &query).await?;
        all.extend(listed.items);
        if listed.next.is_none() {
            return Ok(all);
        }
        query.cursor = listed.next;
    }
}

/// The binding with what it names.
///
/// # Errors
/// Not found.
async fn view(reader: &mut Reader, uid: &Uidp) -> Result<RoleBindingView> {
    role_bindings::view(reader, uid).await?.ok_or_else(|| not_found::<RoleBinding>(uid))
}

impl Resource for RoleBinding {
    const NOUN: Noun = Noun::RoleBinding;
    const MAY_BE_GONE: bool = true;

    async fn find(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        role_bindings::get(reader, uid).await
    }

    fn revision(&self) -> Revision {
        self.revision
    }

    async fn remove(tx: &mut Writer, uid: &Uidp) -> Result<bool> {
        role_bindings::delete(tx, uid).await
    }
}
