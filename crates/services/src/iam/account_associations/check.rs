//! Trying account associations.

use domain::{
    Ctx, Error, Noun, Result, Uidp,
    iam::{AccountStatus, CloudProvider, NotReady},
};
use store::{AuditEntry, Later};

use super::AccountAssociations;

impl AccountAssociations {
    /// Tries the group's account at this cloud by exchanging credentials there. Nothing of them is kept; that it was tried is in
    /// the audit log.
    ///
    /// # Errors
    /// Not found when the group has no account association; invalid argument for a rehearsal, as there is nothing to rehearse;
    /// resource exhausted when it was tried too often, or too much of the organization waits.
    pub async fn check(&self, ctx: &Ctx, group: &Uidp, provider: CloudProvider) -> Result<AccountStatus> {
        if ctx.validate_only {
            let why = "a check changes nothing and cannot be rehearsed; send it without this header";
            return Err(Error::field("x-provost-validate-only", why));
        }
        let association = self.get(ctx, group).await?;
        let Some(account) = association.spec.account(provider) else {
            let name = provider.as_str();
            let message = format!("the account association has no account at this provider; set `{name}`");
            return Ok(AccountStatus::NotReady { reason: NotReady::NotConfigured, message });
        };
        let status = self.needs.try_account(ctx, group, account).await?;
        self.store.later(Later::Audit(Box::new(AuditEntry {
            noun: Some(Noun::AccountAssociation),
            subject: Some(group.to_string()),
            ..AuditEntry::of(ctx)
        })));
        Ok(status)
    }
}
