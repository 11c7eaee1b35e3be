//! Withdrawing advisories.

use domain::{Ctx, Noun, Op, Result, Uidp, vulnerabilities::Advisory};
use store::rows;

use super::Advisories;
use crate::nouns;

impl Advisories {
    /// Withdraws an advisory: it is listed still, with the time of that, and the public sees it no more.
    ///
    /// # Errors
    /// Not found; failed precondition when it was withdrawn before; aborted when `If-Match` names another version.
    pub async fn withdraw(&self, ctx: &Ctx, uid: &Uidp) -> Result<()> {
        let uid = uid.clone();
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let current: Advisory = nouns::get(tx, &uid).await?;
                    nouns::check(tx.ctx(), &current)?;
                    let withdrawn = Advisory { withdrawn_at: Some(tx.now()), ..current.clone() };
                    let withdrawn = rows::update(tx, &current, &withdrawn).await?;
                    tx.announce(Noun::Advisory, &uid, Op::Updated, &withdrawn).await
                })
            })
            .await
    }
}
