//! Changing roles.

use std::ops::ControlFlow;

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp,
    iam::{Role, RoleSpec},
};
use store::{
    Store, Writer,
    iam::{
        roles,
        standings::{self, Position},
    },
    rows,
};

use super::{Roles, rules};
use crate::{
    grants::require_grantable,
    update::{self, Update, contended},
};

impl Roles {
    /// Changes what `patch` changes. The same values again change nothing.
    ///
    /// # Errors
    /// Not found; failed precondition for a built-in role; aborted when `If-Match` names another version, or others change
    /// the role all the time; invalid argument as for creating; permission denied when the role is bound somewhere, or is what
    /// some get who log in, and gets a capability that the caller does not hold there.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<RoleSpec>) -> Result<Role> {
        let noun = RoleUpdate { store: self.store.clone() };
        update::run(&noun, &self.store, &self.turns, ctx, uid, &patch).await
    }
}

struct RoleUpdate {
    store: Store,
}

impl Update for RoleUpdate {
    type Row = Role;
    type Spec = RoleSpec;
    /// As of when the caller holds what the role gets wherever it is given, where it gets anything: it may be bound at thousands
    /// of places.
    type Findings = Option<Position>;
    type Answer = Role;

    fn spec(row: &Role) -> &RoleSpec {
        &row.spec
    }

    async fn judge(&self, ctx: &Ctx, row: &Role, wish: &RoleSpec) -> Result<Option<Position>> {
        rules::check_capabilities(&wish.capabilities)?;
        let added = wish.capabilities.without(&row.spec.capabilities);
        if added.is_empty() {
            return Ok(None);
        }
        let mut reader = self.store.reader().await?;
        let at = standings::position(&mut reader).await?;
        // What is held at a place is held below it.
        let judge = |place: Uidp| match require_grantable(ctx, &added, &place) {
            Ok(()) => ControlFlow::Continue(()),
            Err(refusal) => ControlFlow::Break(refusal),
        };
        for organization in [roles::default_at(&mut reader, &row.uid).await?, roles::mapped_at(&mut reader, &row.uid).await?] {
            organization.map_or(Ok(()), |organization| require_grantable(ctx, &added, &organization))?;
        }
        let refusal = roles::bound_at(&mut reader, &row.uid, judge).await?;
        refusal.map_or(Ok(Some(at)), Err)
    }

    async fn keep(_tx: &mut Writer, row: Role) -> Result<Role> {
        Ok(row)
    }

    async fn write(tx: &mut Writer, row: Role, wish: RoleSpec, findings: &Option<Position>) -> Result<Role> {
        if let Some(held_at) = *findings
            && standings::may_be_given_since(tx, &row.uid, held_at).await?
        {
            return Err(contended::<Role>(&row.uid));
        }
        let role = rows::update(tx, &row, &Role { spec: wish, ..row.clone() }).await?;
        tx.announce(Noun::Role, &role.uid, Op::Updated, &role).await?;
        Ok(role)
    }
}
