//! Deleting roles.

use domain::{Ctx, Noun, Op, Result, Uidp};
use store::iam::roles;

use super::{Roles, not_found, rules};

impl Roles {
    /// Deletes a custom role that is bound nowhere.
    ///
    /// # Errors
    /// Not found; failed precondition for a built-in role and while the role is bound; aborted when `If-Match` names
    /// another version.
    pub async fn delete(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        let (uid, call) = (uid.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let current = roles::get(tx, &uid).await?.ok_or_else(|| not_found(&uid))?;
                    rules::check_custom(&current)?;
                    call.check_match(current.revision)?;
                    roles::delete(tx, &uid).await?;
                    tx.announce(Noun::Role, uid.as_str(), Op::Deleted, uid.parent_text(), &uid).await
                })
            })
            .await
    }
}
