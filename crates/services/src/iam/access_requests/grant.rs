//! Granting access.

use domain::{
    Ctx, Noun, Op, Result, Uidp,
    iam::{AccessRequest, Group, RoleBindingSpec, RoleBindingView},
};
use store::rows;

use super::AccessRequests;
use crate::{
    iam::role_bindings::{check_binding, insert_binding, shown, view_binding},
    nouns,
};

impl AccessRequests {
    /// Binds the role to who asked, at the organization that was asked, and closes the request.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version; as for creating a role binding.
    pub async fn grant(&self, ctx: &Ctx, uid: &Uidp, role: Uidp) -> Result<RoleBindingView> {
        let (uid, call) = (uid.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let request: AccessRequest = nouns::admitted(&call, tx, &uid).await?;
                    let group: Group = nouns::get(tx, &uid.root()).await?;
                    let spec = RoleBindingSpec { identity: request.identity, role };
                    check_binding(&call, tx, &group.uid, &spec, "").await?;
                    let bound = insert_binding(&call, tx, &group, spec).await?.uid;
                    rows::delete::<AccessRequest>(tx, &uid).await?;
                    let view = view_binding(tx, &bound).await?;
                    tx.announce(Noun::RoleBinding, &bound, Op::Created, &view).await?;
                    Ok(shown(&call, view))
                })
            })
            .await
    }
}
