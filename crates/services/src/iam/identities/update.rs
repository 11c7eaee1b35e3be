//! Changing identities.

use std::sync::Arc;

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp, Violations,
    iam::{Identity, IdentitySpec},
    ports::CheckRelationship,
};
use store::{
    Store, Writer,
    iam::{
        role_bindings,
        standings::{self, Position},
    },
    rows,
};

use super::{Identities, KeyLife, create::check_texts, relationship};
use crate::{
    grants::require_all_of,
    update::{self, Update, contended},
};

impl Identities {
    /// Changes what `patch` changes. The same values again change nothing. New static keys are accepted
    /// for `life` at most. A new relationship ends every token that was
    /// made under the old one.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version, or others change the identity all the time; invalid argument
    /// as for creating; permission denied when the relationship changes and the identity holds, anywhere, what the caller
    /// does not hold there: whoever chooses the relationship can become the identity.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<IdentitySpec>, life: KeyLife) -> Result<Identity> {
        let noun = IdentityUpdate { life, store: self.store.clone(), relationships: Arc::clone(&self.needs.relationships) };
        update::run(&noun, &self.store, &self.turns, ctx, uid, &patch).await
    }
}

struct IdentityUpdate {
    life: KeyLife,
    store: Store,
    relationships: Arc<dyn CheckRelationship>,
}

impl Update for IdentityUpdate {
    type Row = Identity;
    type Spec = IdentitySpec;
    /// As of when the caller holds all that the identity holds, where that is asked for: it may be bound to thousands of roles.
    type Findings = Option<Position>;
    type Answer = Identity;

    fn spec(row: &Identity) -> &IdentitySpec {
        &row.spec
    }

    fn complete(&self, ctx: &Ctx, _row: &Identity, wish: &mut IdentitySpec) {
        relationship::fill(&mut wish.relationship, self.life, ctx.now);
    }

    async fn judge(&self, ctx: &Ctx, row: &Identity, wish: &IdentitySpec) -> Result<Option<Position>> {
        let mut violations = Violations::default();
        check_texts(wish, &mut violations);
        let becomes_another = wish.relationship != row.spec.relationship;
        if becomes_another {
            relationship::check(&wish.relationship, self.life, ctx.now, &mut violations);
            self.relationships.check(row.uid.root_text(), &wish.relationship, &mut violations).await?;
        }
        violations.check()?;
        if !becomes_another {
            return Ok(None);
        }
        let mut reader = self.store.reader().await?;
        let (at, grants) = (standings::position(&mut reader).await?, role_bindings::grants_of(&mut reader, &row.uid).await?);
        drop(reader);
        require_all_of(ctx, &grants)?;
        Ok(Some(at))
    }

    async fn keep(_tx: &mut Writer, row: Identity) -> Result<Identity> {
        Ok(row)
    }

    async fn write(tx: &mut Writer, row: Identity, wish: IdentitySpec, findings: &Option<Position>) -> Result<Identity> {
        if let Some(held_at) = *findings
            && standings::may_have_changed(tx, &row.uid, held_at).await?
        {
            return Err(contended::<Identity>(&row.uid));
        }
        let identity = rows::update(tx, &row, &Identity { spec: wish, ..row.clone() }).await?;
        tx.announce(Noun::Identity, &identity.uid, Op::Updated, &identity).await?;
        Ok(identity)
    }
}
