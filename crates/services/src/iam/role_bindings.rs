//! Role bindings: the grants that all access follows from.

mod batch_create;
mod create;
mod rules;
mod update;

use std::sync::Arc;

use domain::{
    Ctx, ListRequest, Result, Scopes, Uidp, UidpFilter,
    iam::{RoleBinding, RoleBindingView},
};
use store::{Filter, ListQuery, Listed, Reader, iam::role_bindings};

pub use batch_create::{BATCH_MAX, BatchItem};
pub use store::iam::role_bindings::RoleBindingFilter;

pub(crate) use create::insert as insert_binding;
pub(crate) use rules::{check as check_binding, role_for};

use super::lookups::UserLookups;
use crate::nouns::{Noun, Nouns, Shows, not_found};

/// The use cases of role bindings, which show what they name. Deleting one takes the role away from the next request on; there is no
/// error when it does not exist.
pub type RoleBindings = Nouns<RoleBinding>;

impl Shows<RoleBinding> for RoleBindingView {
    async fn one(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        role_bindings::view(reader, uid).await
    }

    async fn page<F: Filter<Row = RoleBinding>>(reader: &mut Reader, query: &ListQuery<F>) -> Result<Listed<Self>> {
        role_bindings::list_views(reader, query).await
    }
}

impl Noun for RoleBinding {
    const MAY_BE_GONE: bool = true;

    type Answer = RoleBindingView;
    type Filter = RoleBindingFilter;
    type Needs = UserLookups;
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

/// The binding with what its caller may see of it: of an identity no more than a binding shows, and a rehearsal makes none.
pub(crate) fn shown(ctx: &Ctx, view: RoleBindingView) -> RoleBindingView {
    RoleBindingView { identity: view.identity.filter(|_| !ctx.validate_only), ..view }
}

/// The binding with what it names.
///
/// # Errors
/// Not found.
pub(crate) async fn view_binding(reader: &mut Reader, uid: &Uidp) -> Result<RoleBindingView> {
    role_bindings::view(reader, uid).await?.ok_or_else(|| not_found::<RoleBinding>(uid))
}
