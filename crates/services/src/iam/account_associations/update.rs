//! Changing account associations.

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp,
    iam::{AccountAssociation, AccountAssociationSpec},
};
use store::{Writer, rows};

use super::{AccountAssociations, rules};
use crate::update::{self, Update};

impl AccountAssociations {
    /// Changes what `patch` changes. The same values again change nothing.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version, or others change the account association all the time; invalid
    /// argument as for creating.
    pub async fn update(&self, ctx: &Ctx, group: &Uidp, patch: Patch<AccountAssociationSpec>) -> Result<AccountAssociation> {
        update::run(&AccountAssociationUpdate, &self.store, &self.turns, ctx, group, &patch).await
    }
}

struct AccountAssociationUpdate;

impl Update for AccountAssociationUpdate {
    type Row = AccountAssociation;
    type Spec = AccountAssociationSpec;
    type Findings = ();
    type Answer = AccountAssociation;

    fn spec(row: &AccountAssociation) -> &AccountAssociationSpec {
        &row.spec
    }

    async fn judge(&self, _ctx: &Ctx, _row: &AccountAssociation, wish: &AccountAssociationSpec) -> Result<()> {
        rules::check(wish)
    }

    async fn keep(_tx: &mut Writer, row: AccountAssociation) -> Result<AccountAssociation> {
        Ok(row)
    }

    async fn write(
        tx: &mut Writer,
        row: AccountAssociation,
        wish: AccountAssociationSpec,
        (): &(),
    ) -> Result<AccountAssociation> {
        // What is bound already fits: it would have gone otherwise.
        if wish.service_bindings != row.spec.service_bindings {
            rules::check_bound(tx, &row.uid, wish.service_bindings.as_ref()).await?;
        }
        let changed = rows::update(tx, &row, &AccountAssociation { spec: wish, ..row.clone() }).await?;
        tx.announce(Noun::AccountAssociation, &changed.uid, Op::Updated, &changed).await?;
        Ok(changed)
    }
}
