//! Deleting repositories.

use domain::{Ctx, Noun, Op, Result, Uidp};
use store::registry::repos;

use super::{Repos, not_found};

impl Repos {
    /// Deletes the repository. Repositories that follow it show from then on what they had inherited when they were last
    /// written.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version.
    pub async fn delete(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        let (uid, call) = (uid.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let current = repos::get(tx, &uid).await?.ok_or_else(|| not_found(&uid))?;
                    call.check_match(current.revision)?;
                    repos::delete(tx, &uid).await?;
                    tx.announce(Noun::Repo, uid.as_str(), Op::Deleted, uid.parent_text(), &uid).await
                })
            })
            .await
    }
}
