//! Changing role bindings.

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp,
    iam::{RoleBinding, RoleBindingSpec, RoleBindingView},
};
use store::{Writer, rows};

use super::{RoleBindings, not_found, rules, view_binding};
use crate::update::{self, Update};

impl RoleBindings {
    /// Puts another identity or role into the binding, which keeps its identifier. The same values again change
    /// nothing.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version, or others change the binding all the time; otherwise as for
    /// creating the changed binding.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<RoleBindingSpec>) -> Result<RoleBindingView> {
        update::run(&RoleBindingUpdate, &self.store, &self.turns, ctx, uid, &patch).await
    }
}

struct RoleBindingUpdate;

impl Update for RoleBindingUpdate {
    type Row = RoleBinding;
    type Spec = RoleBindingSpec;
    type Findings = ();
    type Answer = RoleBindingView;

    fn spec(row: &RoleBinding) -> &RoleBindingSpec {
        &row.spec
    }

    /// All that is judged takes the rows that the wish names.
    async fn judge(&self, _ctx: &Ctx, _row: &RoleBinding, _wish: &RoleBindingSpec) -> Result<()> {
        Ok(())
    }

    async fn keep(tx: &mut Writer, row: RoleBinding) -> Result<RoleBindingView> {
        view_binding(tx, &row.uid).await
    }

    async fn write(tx: &mut Writer, row: RoleBinding, wish: RoleBindingSpec, (): &()) -> Result<RoleBindingView> {
        let uid = row.uid.clone();
        let at = uid.parent().ok_or_else(|| not_found::<RoleBinding>(&uid))?;
        let call = tx.ctx().clone();
        rules::check(&call, tx, &at, &wish, "").await?;
        rows::update(tx, &row, &RoleBinding { spec: wish, ..row.clone() }).await?;
        let view = view_binding(tx, &uid).await?;
        tx.announce(Noun::RoleBinding, &uid, Op::Updated, &view).await?;
        Ok(view)
    }
}
