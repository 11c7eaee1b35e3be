//! Deleting groups.

use domain::{Ctx, Noun, Op, Result, Uidp};
use store::iam::groups;

use super::{Groups, not_found};

impl Groups {
    /// Deletes the group with its role bindings.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version; failed precondition while anything of substance is
    /// left in it, naming what.
    pub async fn delete(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        let (uid, call) = (uid.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let current = groups::get(tx, &uid).await?.ok_or_else(|| not_found(&uid))?;
                    call.check_match(current.revision)?;
                    groups::delete(tx, &uid).await?;
                    tx.announce(Noun::Group, uid.as_str(), Op::Deleted, uid.parent_text(), &uid).await
                })
            })
            .await
    }
}
