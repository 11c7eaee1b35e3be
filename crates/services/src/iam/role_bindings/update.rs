//! Changing role bindings.

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp,
    iam::{RoleBinding, RoleBindingSpec, RoleBindingView},
};
use store::{Store, Writer, rows};

use super::{RoleBindings, not_found, rules, shown, view_binding};
use crate::{
    iam::lookups::UserLookups,
    update::{self, Update},
};

impl RoleBindings {
    /// Puts another identity or role into the binding, which keeps its identifier. The same values again change
    /// nothing.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version, or others change the binding all the time; otherwise as for
    /// creating the changed binding.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<RoleBindingSpec>) -> Result<RoleBindingView> {
        let noun = RoleBindingUpdate { store: self.store.clone(), lookups: self.needs.clone() };
        update::run(&noun, &self.store, &self.turns, ctx, uid, &patch).await
    }
}

struct RoleBindingUpdate {
    store: Store,
    lookups: UserLookups,
}

impl Update for RoleBindingUpdate {
    type Row = RoleBinding;
    type Spec = RoleBindingSpec;
    type Findings = ();
    type Answer = RoleBindingView;

    fn spec(row: &RoleBinding) -> &RoleBindingSpec {
        &row.spec
    }

    /// The rows that the wish names may change until the write, which judges them again. Whoever names another user learns here whether
    /// it exists.
    async fn judge(&self, ctx: &Ctx, row: &RoleBinding, wish: &RoleBindingSpec) -> Result<()> {
        let at = row.uid.parent().ok_or_else(|| not_found::<RoleBinding>(&row.uid))?;
        let named = Some(&wish.identity).filter(|identity| **identity != row.spec.identity);
        let work = async { rules::check(ctx, &mut self.store.reader().await?, &at, wish, "").await };
        self.lookups.watch(ctx, named, work).await
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
        Ok(shown(&call, view))
    }
}
