//! Creating overlays.

use domain::{
    Ctx, Noun, Op, Result, Uidp, Violations,
    registry::{Overlay, OverlaySpec},
};
use store::rows;

use super::Overlays;
use crate::{
    iam::placed::{child_of, home},
    registry::repos::check_packages,
};

impl Overlays {
    /// Creates an overlay in the group `parent`.
    ///
    /// # Errors
    /// Invalid argument without a package, and for packages out of their limits; not found when there is no such group; already exists
    /// when the group has an overlay of this name.
    pub async fn create(&self, ctx: &Ctx, parent: &Uidp, spec: OverlaySpec) -> Result<Overlay> {
        let field = "config.contents.packages";
        let mut violations = Violations::default();
        if spec.packages.is_empty() {
            violations.add(field, "packages must have at least one entry");
        }
        check_packages(field, &spec.packages, &mut violations);
        violations.check()?;
        let (parent, call) = (parent.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let group = home(tx, &parent).await?;
                    let uid = child_of(&call, &parent)?;
                    let overlay = Overlay { uid, spec, created_at: call.now, updated_at: call.now, revision: tx.revision() };
                    let overlay = rows::insert_in(tx, &group, &overlay).await?;
                    tx.announce(Noun::Overlay, &overlay.uid, Op::Created, &overlay).await?;
                    Ok(overlay)
                })
            })
            .await
    }
}
