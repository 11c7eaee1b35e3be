//! Changing identities.

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp, Violations,
    iam::{Identity, IdentitySpec},
};
use store::iam::{identities, role_bindings};

use super::{Identities, create::check_texts, not_found, relationship};
use crate::grants::require_all_of;

impl Identities {
    /// Changes what `patch` changes. The same values again change nothing. A new relationship ends every token that was
    /// made under the old one.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version; invalid argument as for creating; permission denied
    /// when the relationship changes and the identity holds, anywhere, what the caller does not hold there: whoever
    /// chooses the relationship can become the identity.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<IdentitySpec>) -> Result<Identity> {
        let (uid, call, relationships) = (uid.clone(), ctx.clone(), self.relationships.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let current = identities::get(tx, &uid).await?.ok_or_else(|| not_found(&uid))?;
                    call.check_match(current.revision)?;
                    let mut wish = patch(&current.spec)?;
                    relationship::fill(&mut wish.relationship, call.now);
                    if wish == current.spec {
                        return Ok(current);
                    }
                    let mut violations = Violations::default();
                    check_texts(&wish, &mut violations);
                    let becomes_another = wish.relationship != current.spec.relationship;
                    if becomes_another {
                        relationship::check(&wish.relationship, call.now, &mut violations);
                        relationships.check(&wish.relationship, &mut violations);
                    }
                    violations.check()?;
                    if becomes_another {
                        require_all_of(&call, &role_bindings::grants_of(tx, &uid).await?)?;
                    }
                    let identity = Identity {
                        spec: wish,
                        relationship_revision: current.relationship_revision + i64::from(becomes_another),
                        ..current
                    };
                    let identity = identities::update(tx, &identity).await?;
                    tx.announce(Noun::Identity, uid.as_str(), Op::Updated, uid.parent_text(), &identity).await?;
                    Ok(identity)
                })
            })
            .await
    }
}
