//! Finding the identifier of a user.

use domain::{
    Ctx, Result, Uidp, Violations,
    iam::{Identity, identity::user_uid},
};

use super::Identities;
use crate::{nouns, texts};

impl Identities {
    /// The identifier of the user that `issuer` calls `subject`, whether or not that user is registered.
    ///
    /// # Errors
    /// Unauthenticated without a caller; invalid argument when either is empty, too long or holds control characters,
    /// or when the issuer's URL has no form that issuers have.
    pub fn lookup(&self, ctx: &Ctx, issuer: &str, subject: &str) -> Result<Uidp> {
        ctx.caller()?;
        let mut violations = Violations::default();
        texts::required("issuer", issuer, texts::LONG, &mut violations);
        if let Err(why) = self.needs.check_issuer(issuer) {
            violations.add("issuer", format!("issuer {why}"));
        }
        texts::required("subject", subject, texts::LONG, &mut violations);
        violations.check()?;
        Ok(user_uid(issuer, subject))
    }

    /// The user that `issuer` calls `subject`.
    ///
    /// # Errors
    /// As for [`Identities::lookup`]; not found when that user is not registered.
    pub async fn find(&self, ctx: &Ctx, issuer: &str, subject: &str) -> Result<Identity> {
        let uid = self.lookup(ctx, issuer, subject)?;
        let mut reader = self.store.reader().await?;
        nouns::get(&mut reader, &uid).await
    }
}
