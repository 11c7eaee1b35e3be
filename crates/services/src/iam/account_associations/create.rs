//! Creating account associations.

use domain::{
    Ctx, Noun, Op, Result, Uidp,
    iam::{AccountAssociation, AccountAssociationSpec},
};
use store::rows;

use super::{AccountAssociations, rules};

impl AccountAssociations {
    /// Creates the account association of a group.
    ///
    /// # Errors
    /// Invalid argument for values out of their limits, and for a service binding whose identity does not live directly in the group
    /// or is not that part of the platform; not found when there is no such group; already exists when it has one.
    pub async fn create(&self, ctx: &Ctx, group: &Uidp, spec: AccountAssociationSpec) -> Result<AccountAssociation> {
        rules::check(&spec)?;
        let (uid, now) = (group.clone(), ctx.now);
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let wish = AccountAssociation { uid, spec, created_at: now, updated_at: now, revision: tx.revision() };
                    let made = rows::insert(tx, &wish).await?;
                    rules::check_bound(tx, &made.uid, made.spec.service_bindings.as_ref()).await?;
                    tx.announce(Noun::AccountAssociation, &made.uid, Op::Created, &made).await?;
                    Ok(made)
                })
            })
            .await
    }
}
