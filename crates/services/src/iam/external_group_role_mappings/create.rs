//! Creating external group role mappings.

use domain::{
    Ctx, Error, Noun, Op, Result, Uidp,
    iam::{ExternalGroupRoleMapping, ExternalGroupRoleMappingSpec, IdentityProvider},
};
use store::rows;

use super::{ExternalGroupRoleMappings, rules};
use crate::{iam::placed::child_of, nouns};

impl ExternalGroupRoleMappings {
    /// Maps a group of the identity provider `parent` to a role at `scope`, which is the provider's organization.
    ///
    /// # Errors
    /// Invalid argument for another scope, for a group that no claim could name and for a role that cannot be given there; permission
    /// denied when that has a capability that the caller does not hold there; not found when there is no such identity provider; failed
    /// precondition when it has as many mappings as it may have; already exists when it has this one.
    pub async fn create(
        &self,
        ctx: &Ctx,
        parent: &Uidp,
        scope: &Uidp,
        spec: ExternalGroupRoleMappingSpec,
    ) -> Result<ExternalGroupRoleMapping> {
        rules::check(&spec)?;
        if scope.as_str() != parent.root_text() {
            return Err(Error::field("scope", "scope must be the organization of the identity provider"));
        }
        let (parent, scope, call) = (parent.clone(), scope.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let provider: IdentityProvider = nouns::get(tx, &parent).await?;
                    rules::check_role(&call, tx, &scope, &spec.role).await?;
                    nouns::check_room::<ExternalGroupRoleMapping>(tx, &parent).await?;
                    let mapping = ExternalGroupRoleMapping {
                        uid: child_of(&call, &parent)?,
                        spec,
                        created_at: call.now,
                        updated_at: call.now,
                        revision: tx.revision(),
                    };
                    let mapping = rows::insert_in(tx, &provider, &mapping).await?;
                    tx.announce(Noun::ExternalGroupRoleMapping, &mapping.uid, Op::Created, &mapping).await?;
                    Ok(mapping)
                })
            })
            .await
    }
}
