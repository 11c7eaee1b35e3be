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
        if let Err(why) = self.needs.relationships.check_issuer(issuer) {
            violations.add("issuer", format!("issuer {why}"));
        }
        texts::required("subject", subject, texts::LONG, &mut violations);
        violations.check()?;
        Ok(user_uid(issuer, subject))
    }

    /// The user that `issuer` calls `subject`. Whoever asks for others leaves that in the audit log.
    ///
    /// # Errors
    /// As for [`Identities::lookup`]; not found when that user is not registered; resource exhausted when the caller has looked for too many
    /// in this minute.
    pub async fn find(&self, ctx: &Ctx, issuer: &str, subject: &str) -> Result<Identity> {
        let uid = self.lookup(ctx, issuer, subject)?;
        let find = async { nouns::get(&mut self.store.reader().await?, &uid).await };
        self.needs.lookups.look(ctx, &uid, find).await
    }
}
