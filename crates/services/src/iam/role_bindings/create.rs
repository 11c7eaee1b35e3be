//! Creating role bindings.

use domain::{
    Ctx, Noun, Op, Result, Uidp,
    iam::{Group, RoleBinding, RoleBindingSpec, RoleBindingView},
};
use store::{Writer, rows};

use super::{RoleBindings, rules, shown, view_binding};
use crate::iam::placed::{child_of, home};

impl RoleBindings {
    /// Binds a role to an identity at the group `parent`, from the next request on. The same binding may be made
    /// again: every call makes one of its own.
    ///
    /// # Errors
    /// Not found when there is no such group; invalid argument for an identity or role that does not exist or cannot be
    /// bound there; permission denied when the role has a capability that the caller does not hold there; resource exhausted when
    /// the caller has looked for too many users in this minute.
    pub async fn create(&self, ctx: &Ctx, parent: &Uidp, spec: RoleBindingSpec) -> Result<RoleBindingView> {
        let (parent, call, identity) = (parent.clone(), ctx.clone(), spec.identity.clone());
        let work = self.store.write(ctx, move |tx| {
            Box::pin(async move {
                let group = home(tx, &parent).await?;
                rules::check(&call, tx, &parent, &spec, "").await?;
                let uid = insert(&call, tx, &group, spec).await?.uid;
                let view = view_binding(tx, &uid).await?;
                tx.announce(Noun::RoleBinding, &uid, Op::Created, &view).await?;
                Ok(shown(&call, view))
            })
        });
        self.needs.watch(ctx, [&identity], work).await
    }
}

/// Stores a new binding that was judged.
pub(crate) async fn insert(ctx: &Ctx, tx: &mut Writer, at: &Group, spec: RoleBindingSpec) -> Result<RoleBinding> {
    let binding =
        RoleBinding { uid: child_of(ctx, &at.uid)?, spec, created_at: ctx.now, updated_at: ctx.now, revision: tx.revision() };
    rows::insert_in(tx, at, &binding).await
}
