//! Creating identity providers.

use domain::{
    Ctx, Error, Noun, Op, Result, Secret, Uidp, Violations,
    iam::{Group, IdentityProvider, IdentityProviderSpec},
};
use store::rows;

use super::{
    IdentityProviders, rules,
    secret::{Change, SecretChange},
};
use crate::{iam::placed::child_of, nouns};

impl IdentityProviders {
    /// Creates an identity provider of the organization `parent`, with this client secret or without one.
    ///
    /// # Errors
    /// Invalid argument for a configuration that nobody could log in with, for a parent that is no organization and for a default
    /// role that cannot be given there; permission denied when that has a capability that the caller does not hold there; not found
    /// when there is no such group.
    pub async fn create(
        &self,
        ctx: &Ctx,
        parent: &Uidp,
        mut spec: IdentityProviderSpec,
        secret: Option<Secret<String>>,
    ) -> Result<IdentityProvider> {
        let secret = Change::new(&*self.needs.seal, secret.map_or(SecretChange::Clear, SecretChange::Set))?;
        spec.oidc.client_secret = secret.apply(&*self.needs.seal, None);
        let mut violations = Violations::default();
        rules::check(None, &spec.oidc, &*self.needs.issuers, &mut violations);
        secret.check(&mut violations);
        violations.check()?;

        let (parent, call) = (parent.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let organization: Group = nouns::get(tx, &parent).await?;
                    if !parent.is_root() {
                        return Err(Error::field("parent", "parent must be an organization"));
                    }
                    rules::check_role(&call, tx, &parent, &spec).await?;
                    let provider = IdentityProvider {
                        uid: child_of(&call, &parent)?,
                        spec,
                        scim: None,
                        created_at: call.now,
                        updated_at: call.now,
                        revision: tx.revision(),
                    };
                    let provider = rows::insert_in(tx, &organization, &provider).await?;
                    tx.announce(Noun::IdentityProvider, &provider.uid, Op::Created, &provider).await?;
                    Ok(provider)
                })
            })
            .await
    }
}
