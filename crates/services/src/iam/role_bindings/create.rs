//! Creating role bindings.

use domain::{
    Ctx, Noun, Op, Result, Uidp,
    iam::{Group, RoleBinding, RoleBindingSpec, RoleBindingView},
};
use store::{
    Writer,
    iam::{groups, role_bindings},
};

use super::{RoleBindings, not_found, rules};
use crate::iam::{groups::not_found as group_not_found, placed::child_of};

impl RoleBindings {
    /// Binds a role to an identity at the group `parent`, from the next request on. The same binding may be made
    /// again: every call makes one of its own.
    ///
    /// # Errors
    /// Not found when there is no such group; invalid argument for an identity or role that does not exist or cannot be
    /// bound there; permission denied when the role has a capability that the caller does not hold there.
    pub async fn create(&self, ctx: &Ctx, parent: &Uidp, spec: RoleBindingSpec) -> Result<RoleBindingView> {
        let (parent, call) = (parent.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let group = groups::get(tx, &parent).await?.ok_or_else(|| group_not_found(&parent))?;
                    rules::check(&call, tx, &parent, &spec, "").await?;
                    let uid = insert(&call, tx, &group, spec).await?.uid;
                    let view = role_bindings::view(tx, &uid).await?.ok_or_else(|| not_found(&uid))?;
                    tx.announce(Noun::RoleBinding, uid.as_str(), Op::Created, parent.as_str(), &view).await?;
                    Ok(view)
                })
            })
            .await
    }
}

/// Stores a new binding that was judged.
pub(crate) async fn insert(ctx: &Ctx, tx: &mut Writer, at: &Group, spec: RoleBindingSpec) -> Result<RoleBinding> {
    let binding =
        RoleBinding { uid: child_of(ctx, &at.uid)?, spec, created_at: ctx.now, updated_at: ctx.now, revision: tx.revision() };
    role_bindings::insert_in(tx, at, &binding).await
}
