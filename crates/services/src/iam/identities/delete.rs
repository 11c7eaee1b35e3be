//! Deleting identities.

use domain::{Ctx, Noun, Op, Result, Uidp};
use store::iam::identities;

use super::{Identities, not_found};

impl Identities {
    /// Deletes the identity with its role bindings; its tokens stop working at once. This takes rights away and gives
    /// none, so callers need not hold what the identity holds.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version.
    pub async fn delete(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        let (uid, call) = (uid.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let current = identities::get(tx, &uid).await?.ok_or_else(|| not_found(&uid))?;
                    call.check_match(current.revision)?;
                    identities::delete(tx, &uid).await?;
                    tx.announce(Noun::Identity, uid.as_str(), Op::Deleted, uid.parent_text(), &uid).await
                })
            })
            .await
    }
}
