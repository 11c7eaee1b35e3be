//! Deleting role bindings.

use domain::{Ctx, Noun, Op, Result, Uidp};
use store::iam::role_bindings;

use super::RoleBindings;

impl RoleBindings {
    /// Takes the role away, from the next request on. There is no error when the binding does not exist.
    ///
    /// # Errors
    /// Aborted when `If-Match` names another version.
    pub async fn delete(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        let (uid, call) = (uid.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let Some(current) = role_bindings::get(tx, &uid).await? else { return Ok(()) };
                    call.check_match(current.revision)?;
                    role_bindings::delete(tx, &uid).await?;
                    tx.announce(Noun::RoleBinding, uid.as_str(), Op::Deleted, uid.parent_text(), &uid).await
                })
            })
            .await
    }
}
