//! Role bindings: the grants that all access follows from.

mod batch_create;
mod create;
mod delete;
mod rules;
mod update;

use std::sync::Arc;

use domain::{Ctx, Error, ListRequest, Noun, Page, Result, Scopes, Uidp, UidpFilter, iam::RoleBindingView, ports::Seal};
use store::{ListQuery, Reader, Store, iam::role_bindings};

pub use batch_create::{BATCH_MAX, BatchItem};
pub use store::iam::role_bindings::RoleBindingFilter;

use crate::{
    page_tokens::{Fingerprint, PageTokens},
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
        role_bindings::view(&mut reader, uid).await?.ok_or_else(|| not_found(uid))
    }

    /// The bindings where the caller holds the method's capabilities, page by page, with what they name.
    ///
    /// # Errors
    /// Invalid argument for an unusable page token.
    pub async fn list(&self, ctx: &Ctx, request: ListRequest, filter: RoleBindingFilter) -> Result<Page<RoleBindingView>> {
        let fingerprint = Fingerprint::new(ctx, &request)
            .text(filter.identity.as_ref().map(Uidp::as_str))
            .text(filter.group.as_ref().map(Uidp::as_str))
            .text(filter.role.as_ref().map(Uidp::as_str));
        let (query, paging) = self.pages.query(ctx, &request, filter, fingerprint)?;
        let mut reader = self.store.reader().await?;
        self.pages.page(role_bindings::list_views(&mut reader, &query).await?, &paging)
    }
}

/// Every binding of an identity, at whatever place.
pub(crate) async fn bindings_of(reader: &mut Reader, identity: &Uidp) -> Result<Vec<RoleBindingView>> {
    let request = ListRequest::parse(UidpFilter::default(), i32::MAX, "", "", 0)?;
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

fn not_found(uid: &Uidp) -> Error {
    Error::not_found(Noun::RoleBinding, uid.as_str())
}
