//! Deleting several external group role mappings at once.

use domain::{Ctx, Error, Result, Uidp, Violations, iam::ExternalGroupRoleMapping};
use store::rows;

use super::ExternalGroupRoleMappings;
use crate::nouns;

/// Most mappings of one batch.
pub const BATCH_MAX: usize = 100;

impl ExternalGroupRoleMappings {
    /// Deletes up to 100 mappings of the identity provider `parent`, all or none, and gives back those that were there, in the order
    /// of the request.
    ///
    /// # Errors
    /// Invalid argument for an empty or too long batch, and for what would be of another identity provider; aborted when `If-Match`
    /// names another version of one of them.
    pub async fn batch_delete(&self, ctx: &Ctx, parent: &Uidp, uids: Vec<Uidp>) -> Result<Vec<ExternalGroupRoleMapping>> {
        check(parent, &uids)?;
        let parent = parent.clone();
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let mut gone = Vec::new();
                    for uid in uids {
                        let Some(mapping) = rows::get::<ExternalGroupRoleMapping>(tx, &uid).await? else { continue };
                        nouns::check(tx.ctx(), &mapping)?;
                        rows::delete::<ExternalGroupRoleMapping>(tx, &uid).await?;
                        gone.push(mapping);
                    }
                    if !gone.is_empty() {
                        // One event for the whole batch; its subject is the identity provider.
                        tx.event(parent.as_str(), parent.root_text(), &gone).await?;
                    }
                    Ok(gone)
                })
            })
            .await
    }
}

fn check(parent: &Uidp, uids: &[Uidp]) -> Result<()> {
    if !(1..=BATCH_MAX).contains(&uids.len()) {
        return Err(Error::field("items", format!("items must have 1 to {BATCH_MAX} entries")));
    }
    let mut violations = Violations::default();
    for (index, _) in uids.iter().enumerate().filter(|(_, uid)| uid.parent_text() != parent.as_str()) {
        violations.add(format!("items[{index}]"), "every entry must be a mapping of the identity provider");
    }
    violations.check()
}
