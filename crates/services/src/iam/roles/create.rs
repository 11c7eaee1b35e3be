//! Creating roles.

use domain::{
    Ctx, Noun, Op, Result, Uidp,
    iam::{Role, RoleSpec},
};
use store::rows;

use super::{Roles, rules};
use crate::iam::placed::child_of;

impl Roles {
    /// Creates a custom role in the group `parent`. A role gives nothing until it is bound, so it may name what its
    /// creator does not hold.
    ///
    /// # Errors
    /// Invalid argument without capabilities or with an internal one on its own; not found when there is no such group.
    pub async fn create(&self, ctx: &Ctx, parent: &Uidp, spec: RoleSpec) -> Result<Role> {
        rules::check_capabilities(&spec.capabilities)?;
        let (parent, call) = (parent.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let role = Role {
                        uid: child_of(&call, &parent)?,
                        spec,
                        created_at: call.now,
                        updated_at: call.now,
                        revision: tx.revision(),
                    };
                    let role = rows::insert(tx, &role).await?;
                    tx.announce(Noun::Role, &role.uid, Op::Created, &role).await?;
                    Ok(role)
                })
            })
            .await
    }
}
