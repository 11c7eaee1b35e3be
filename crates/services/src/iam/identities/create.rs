//! Creating identities.

use domain::{
    Ctx, Noun, Op, Result, Uidp, Violations,
    iam::{Identity, IdentitySpec, identity::new_relationship_revision},
};
use store::rows;

use super::{Identities, KeyLife, relationship};
use crate::{iam::placed::child_of, texts};

/// Longest accepted company name in bytes.
const COMPANY: usize = 255;

impl Identities {
    /// Creates an identity in the group `parent`. It can do nothing until a role is bound to it. Static keys are accepted
    /// for `life` at most; without an expiry (time zero) for as long.
    ///
    /// # Errors
    /// Invalid argument for a relationship that can never match or a text out of its limits; not found when there is no
    /// such group.
    pub async fn create(&self, ctx: &Ctx, parent: &Uidp, mut spec: IdentitySpec, life: KeyLife) -> Result<Identity> {
        relationship::fill(&mut spec.relationship, life, ctx.now);
        let mut violations = Violations::default();
        check_texts(&spec, &mut violations);
        relationship::check(&spec.relationship, life, ctx.now, &mut violations);
        self.needs.relationships.check(parent.root_text(), &spec.relationship, &mut violations).await?;
        violations.check()?;

        let (parent, call) = (parent.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let identity = Identity {
                        uid: child_of(&call, &parent)?,
                        spec,
                        email: None,
                        email_unverified: None,
                        last_seen_at: call.now,
                        created_at: call.now,
                        updated_at: call.now,
                        relationship_revision: new_relationship_revision(&*call.entropy)?,
                        revision: tx.revision(),
                    };
                    let identity = rows::insert(tx, &identity).await?;
                    tx.announce(Noun::Identity, &identity.uid, Op::Created, &identity).await?;
                    Ok(identity)
                })
            })
            .await
    }
}

/// The texts that no type of `domain` limits.
pub(super) fn check_texts(spec: &IdentitySpec, violations: &mut Violations) {
    texts::optional("company", &spec.company, COMPANY, violations);
}
