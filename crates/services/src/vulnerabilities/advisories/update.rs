//! Changing what advisories say about their artifacts and components.

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp, Violations,
    vulnerabilities::{Advisory, AdvisorySpec},
};
use store::{Writer, rows};

use super::{Advisories, rules};
use crate::update::{self, Update};

impl Advisories {
    /// Changes what `patch` changes of the advisory; its events stay. The same values again change nothing.
    ///
    /// # Errors
    /// Not found; failed precondition when it was withdrawn; aborted when `If-Match` names another version, or others change the
    /// advisory all the time; invalid argument for values out of their limits.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<AdvisorySpec>) -> Result<Advisory> {
        update::run(&AdvisoryUpdate, &self.store, &self.turns, ctx, uid, &patch).await
    }
}

struct AdvisoryUpdate;

impl Update for AdvisoryUpdate {
    type Row = Advisory;
    type Spec = AdvisorySpec;
    type Findings = ();
    type Answer = Advisory;

    fn spec(row: &Advisory) -> &AdvisorySpec {
        &row.spec
    }

    async fn judge(&self, _ctx: &Ctx, _row: &Advisory, wish: &AdvisorySpec) -> Result<()> {
        let mut violations = Violations::default();
        rules::check(wish, &mut violations);
        violations.check()
    }

    async fn keep(_tx: &mut Writer, row: Advisory) -> Result<Advisory> {
        Ok(row)
    }

    async fn write(tx: &mut Writer, row: Advisory, wish: AdvisorySpec, (): &()) -> Result<Advisory> {
        let advisory = rows::update(tx, &row, &Advisory { spec: wish, ..row.clone() }).await?;
        tx.announce(Noun::Advisory, &advisory.uid, Op::Updated, &advisory).await?;
        Ok(advisory)
    }
}
