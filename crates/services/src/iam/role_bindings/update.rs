//! Changing role bindings.

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp,
    iam::{RoleBinding, RoleBindingSpec, RoleBindingView},
};
use store::iam::role_bindings;

use super::{RoleBindings, not_found, rules};

impl RoleBindings {
    /// Puts another identity or role into the binding, which keeps its identifier. The same values again change
    /// nothing.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version; otherwise as for creating the changed binding.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<RoleBindingSpec>) -> Result<RoleBindingView> {
        let (uid, call) = (uid.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let current = role_bindings::get(tx, &uid).await?.ok_or_else(|| not_found(&uid))?;
                    call.check_match(current.revision)?;
                    let wish = patch(&current.spec)?;
                    if wish == current.spec {
                        return role_bindings::view(tx, &uid).await?.ok_or_else(|| not_found(&uid));
                    }
                    let at = uid.parent().ok_or_else(|| not_found(&uid))?;
                    rules::check(&call, tx, &at, &wish, "").await?;
                    role_bindings::update(tx, &RoleBinding { spec: wish, ..current }).await?;
                    let view = role_bindings::view(tx, &uid).await?.ok_or_else(|| not_found(&uid))?;
                    tx.announce(Noun::RoleBinding, uid.as_str(), Op::Updated, at.as_str(), &view).await?;
                    Ok(view)
                })
            })
            .await
    }
}
