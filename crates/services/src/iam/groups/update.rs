//! Changing groups.

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp,
    iam::{Group, GroupSpec, OrgKind},
};
use store::{Writer, iam::groups, rows};

use super::{Groups, rules};
use crate::{
    grants::require_operator,
    update::{self, Update},
};

impl Groups {
    /// Changes what `patch` changes of the group as callers see it. The same values again change nothing.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version, or others change the group all the time; permission denied
    /// for what only operators may change; invalid argument or already exists as the rules of groups say.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<GroupSpec>) -> Result<Group> {
        update::run(&GroupUpdate, &self.store, &self.turns, ctx, uid, &patch).await
    }
}

/// How many folders may change with the kind of their organization: they do so in one write, and others wait for that.
const PASSED_ON: u64 = 5_000;

struct GroupUpdate;

impl Update for GroupUpdate {
    type Row = Group;
    type Spec = GroupSpec;
    type Findings = ();
    type Answer = Group;

    fn spec(row: &Group) -> &GroupSpec {
        &row.spec
    }

    /// What a folder is need not be said: it is what its organization is.
    fn complete(&self, _ctx: &Ctx, row: &Group, wish: &mut GroupSpec) {
        if !row.uid.is_root() && wish.kind == OrgKind::Unspecified {
            wish.kind = row.spec.kind;
        }
    }

    async fn judge(&self, ctx: &Ctx, row: &Group, wish: &GroupSpec) -> Result<()> {
        if row.uid.is_root() {
            rules::check_organization(ctx, Some(&row.spec), wish)
        } else {
            rules::check_folder(ctx, row.spec.kind, wish)
        }
    }

    async fn keep(_tx: &mut Writer, row: Group) -> Result<Group> {
        Ok(row)
    }

    async fn write(tx: &mut Writer, row: Group, wish: GroupSpec, (): &()) -> Result<Group> {
        let is_passed_on = row.uid.is_root() && wish.kind != row.spec.kind;
        if is_passed_on && groups::folders(tx, &row.uid).await? > PASSED_ON {
            require_operator(tx.ctx(), &format!("change the kind of an organization with more than {PASSED_ON} folders"))?;
        }
        let group = rows::update(tx, &row, &Group { spec: wish, ..row.clone() }).await?;
        tx.announce(Noun::Group, &group.uid, Op::Updated, &group).await?;
        Ok(group)
    }
}
