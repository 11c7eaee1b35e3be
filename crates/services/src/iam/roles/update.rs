//! Changing roles.

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp,
    iam::{Role, RoleSpec},
};
use store::iam::roles;

use super::{Roles, not_found, rules};
use crate::grants::require_grantable;

impl Roles {
    /// Changes what `patch` changes. The same values again change nothing.
    ///
    /// # Errors
    /// Not found; failed precondition for a built-in role; aborted when `If-Match` names another version; invalid
    /// argument as for creating; permission denied when the role is bound somewhere and gets a capability that the
    /// caller does not hold there.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<RoleSpec>) -> Result<Role> {
        let (uid, call) = (uid.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let current = roles::get(tx, &uid).await?.ok_or_else(|| not_found(&uid))?;
                    rules::check_custom(&current)?;
                    call.check_match(current.revision)?;
                    let wish = patch(&current.spec)?;
                    if wish == current.spec {
                        return Ok(current);
                    }
                    rules::check_capabilities(&wish.capabilities)?;
                    let added = wish.capabilities.without(&current.spec.capabilities);
                    if !added.is_empty() {
                        for place in roles::bound_at(tx, &uid).await? {
                            require_grantable(&call, &added, &place)?;
                        }
                    }
                    let role = roles::update(tx, &Role { spec: wish, ..current }).await?;
                    tx.announce(Noun::Role, uid.as_str(), Op::Updated, uid.parent_text(), &role).await?;
                    Ok(role)
                })
            })
            .await
    }
}
