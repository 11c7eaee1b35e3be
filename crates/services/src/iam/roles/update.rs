//! Changing roles.

use domain::{
    Ctx, Noun, Op, Patch, Result, Revision, Uidp,
    iam::{Role, RoleSpec},
};
use store::{Reader, Writer, iam::roles};

use super::{Roles, rules};
use crate::{
    grants::require_grantable,
    update::{self, Update},
};

impl Roles {
    /// Changes what `patch` changes. The same values again change nothing.
    ///
    /// # Errors
    /// Not found; failed precondition for a built-in role; aborted when `If-Match` names another version, or others change
    /// the role all the time; invalid argument as for creating; permission denied when the role is bound somewhere and gets a
    /// capability that the caller does not hold there.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<RoleSpec>) -> Result<Role> {
        update::run(&RoleUpdate, &self.store, &self.turns, ctx, uid, &patch).await
    }
}

struct RoleUpdate;

impl Update for RoleUpdate {
    const NOUN: Noun = Noun::Role;
    type Row = Role;
    type Spec = RoleSpec;
    type Findings = ();
    type Answer = Role;

    async fn get(reader: &mut Reader, uid: &Uidp) -> Result<Option<Role>> {
        roles::get(reader, uid).await
    }

    fn spec(row: &Role) -> &RoleSpec {
        &row.spec
    }

    fn revision(row: &Role) -> Revision {
        row.revision
    }

    fn admit(row: &Role) -> Result<()> {
        rules::check_custom(row)
    }

    async fn judge(&self, _ctx: &Ctx, _row: &Role, wish: &RoleSpec) -> Result<()> {
        rules::check_capabilities(&wish.capabilities)
    }

    async fn keep(_tx: &mut Writer, row: Role) -> Result<Role> {
        Ok(row)
    }

    async fn write(tx: &mut Writer, row: Role, wish: RoleSpec, (): &()) -> Result<Role> {
        let added = wish.capabilities.without(&row.spec.capabilities);
        if !added.is_empty() {
            for place in roles::bound_at(tx, &row.uid).await? {
                require_grantable(tx.ctx(), &added, &place)?;
            }
        }
        let role = roles::update(tx, &Role { spec: wish, ..row }).await?;
        tx.announce(Noun::Role, role.uid.as_str(), Op::Updated, role.uid.parent_text(), &role).await?;
        Ok(role)
    }
}
