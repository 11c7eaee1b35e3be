//! How much organizations may have.

use domain::{
    Ctx, Error, Noun, Op, Result, Revision, Uidp, Version, Versioned,
    iam::{Group, ResourceLimits},
};
use store::{Reader, iam::groups, rows};

use super::Groups;
use crate::{grants::require_operator, nouns};

/// How much an organization may have, and has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limited {
    /// The organization.
    pub uid: Uidp,
    /// How much it may have.
    pub limits: ResourceLimits,
    /// How much it has, those in its folders included, by the names of limits.
    pub used: Vec<(&'static str, u64)>,
    /// The commit that last wrote the organization.
    pub revision: Revision,
}

impl Versioned for Limited {
    fn version(&self) -> Version<'_> {
        Version { uid: &self.uid, revision: self.revision }
    }
}

impl Groups {
    /// How much an organization may have, and has.
    ///
    /// # Errors
    /// Invalid argument for a folder; not found.
    pub async fn limits(&self, uid: &Uidp) -> Result<Limited> {
        check_organization(uid)?;
        let mut reader = self.store.reader().await?;
        let group = nouns::get(&mut reader, uid).await?;
        limited(&mut reader, group).await
    }

    /// Says how much an organization may have. What it has beyond that stays; nothing is added to it.
    ///
    /// # Errors
    /// Permission denied for all but operators; invalid argument for a folder; not found; aborted when `If-Match` names another version.
    pub async fn limit(&self, ctx: &Ctx, uid: &Uidp, limits: ResourceLimits) -> Result<Limited> {
        require_operator(ctx, "limit what an organization may have")?;
        check_organization(uid)?;
        let uid = uid.clone();
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let mut group: Group = nouns::get(tx, &uid).await?;
                    nouns::check(tx.ctx(), &group)?;
                    if group.resource_limits != limits {
                        group = rows::update(tx, &group, &Group { resource_limits: limits, ..group.clone() }).await?;
                        tx.announce(Noun::Group, &group.uid, Op::Updated, &group).await?;
                    }
                    limited(tx, group).await
                })
            })
            .await
    }
}

fn check_organization(uid: &Uidp) -> Result<()> {
    if uid.is_root() {
        return Ok(());
    }
    let message =
        format!("uid must be that of an organization, not of a folder; that of the folder's organization is {}", uid.root_text());
    Err(Error::field("uid", message))
}

async fn limited(reader: &mut Reader, group: Group) -> Result<Limited> {
    let used = groups::used(reader, &group.uid).await?;
    Ok(Limited { uid: group.uid, limits: group.resource_limits, used, revision: group.revision })
}
