//! Changing identities.

use domain::{
    Ctx, Error, Kind, Noun, Op, Patch, Result, Rule, Uidp, Violations,
    iam::{Identity, IdentitySpec, Relationship},
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
        let judged = self.judge(ctx, uid, &patch).await?;
        let (uid, call) = (uid.clone(), ctx.clone());
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
                        violations.append(judged.of(&wish.relationship)?);
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

    /// Judges the relationship that the patch makes of the current one, before the transaction: that may take long.
    async fn judge(&self, ctx: &Ctx, uid: &Uidp, patch: &Patch<IdentitySpec>) -> Result<Judged> {
        let current = identities::get(&mut self.store.reader().await?, uid).await?;
        // What cannot be patched is told in the transaction.
        let Some((current, mut wish)) = current.and_then(|current| patch(&current.spec).ok().map(|wish| (current, wish))) else {
            return Ok(Judged::default());
        };
        relationship::fill(&mut wish.relationship, ctx.now);
        if wish.relationship == current.spec.relationship {
            return Ok(Judged::default());
        }
        let mut violations = Violations::default();
        self.relationships.check(uid.root_text(), &wish.relationship, &mut violations).await?;
        Ok(Judged(Some((wish.relationship, violations))))
    }
}

/// A relationship with what is wrong with it.
#[derive(Clone, Default)]
struct Judged(Option<(Relationship, Violations)>);

impl Judged {
    /// What is wrong with `relationship`, if that is what was judged.
    fn of(self, relationship: &Relationship) -> Result<Violations> {
        let judged = self.0.filter(|(judged, _)| judged == relationship).map(|(_, violations)| violations);
        judged.ok_or_else(|| {
            Error::new(
                Kind::Aborted,
                Rule::EtagMismatch,
                "the identity's relationship was changed meanwhile; read it again and retry",
            )
        })
    }
}
