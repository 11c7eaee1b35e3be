//! Changing identity providers.

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp, Violations,
    iam::{IdentityProvider, IdentityProviderSpec},
};
use store::{Writer, rows};

use super::{
    IdentityProviders, Needs, rules,
    secret::{Change, SecretChange},
};
use crate::{
    nouns::not_found,
    update::{self, Update},
};

impl IdentityProviders {
    /// Changes what `patch` changes, and the client secret as `secret` says, of which patches know nothing. The same values again
    /// change nothing, a secret included.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version, or others change the identity provider all the time; invalid argument
    /// for another correlation rule; otherwise as for creating the changed identity provider.
    pub async fn update(
        &self,
        ctx: &Ctx,
        uid: &Uidp,
        patch: Patch<IdentityProviderSpec>,
        secret: SecretChange,
    ) -> Result<IdentityProvider> {
        let secret = Change::new(&*self.needs.seal, secret)?;
        let noun = IdentityProviderUpdate { needs: self.needs.clone(), secret };
        update::run(&noun, &self.store, &self.turns, ctx, uid, &patch).await
    }
}

struct IdentityProviderUpdate {
    needs: Needs,
    secret: Change,
}

impl Update for IdentityProviderUpdate {
    type Row = IdentityProvider;
    type Spec = IdentityProviderSpec;
    type Findings = ();
    type Answer = IdentityProvider;

    fn spec(row: &IdentityProvider) -> &IdentityProviderSpec {
        &row.spec
    }

    fn complete(&self, _ctx: &Ctx, row: &IdentityProvider, wish: &mut IdentityProviderSpec) {
        let before = &row.spec.oidc;
        wish.oidc.client_secret = self.secret.apply(&*self.needs.seal, before.client_secret.as_ref());
        if wish.oidc.correlation_rule.means(before.correlation_rule) {
            wish.oidc.correlation_rule = before.correlation_rule;
        }
    }

    async fn judge(&self, _ctx: &Ctx, row: &IdentityProvider, wish: &IdentityProviderSpec) -> Result<()> {
        rules::check_kept(&row.spec.oidc, &wish.oidc)?;
        let mut violations = Violations::default();
        if self.secret.is_kept() && row.spec.oidc.client_secret.is_some() && wish.oidc.issuer != row.spec.oidc.issuer {
            // Whoever may change the issuer need not know the secret, and would be sent it.
            violations.add("oidc.client_secret", "client_secret must be given again, or cleared, when the issuer changes");
        }
        rules::check(Some(&row.spec.oidc), &wish.oidc, &*self.needs.issuers, &mut violations);
        self.secret.check(&mut violations);
        violations.check()
    }

    async fn keep(_tx: &mut Writer, row: IdentityProvider) -> Result<IdentityProvider> {
        Ok(row)
    }

    async fn write(tx: &mut Writer, row: IdentityProvider, wish: IdentityProviderSpec, (): &()) -> Result<IdentityProvider> {
        let organization = row.uid.parent().ok_or_else(|| not_found::<IdentityProvider>(&row.uid))?;
        let call = tx.ctx().clone();
        rules::check_role(&call, tx, &organization, &wish).await?;
        let provider = rows::update(tx, &row, &IdentityProvider { spec: wish, ..row.clone() }).await?;
        tx.announce(Noun::IdentityProvider, &provider.uid, Op::Updated, &provider).await?;
        Ok(provider)
    }
}
