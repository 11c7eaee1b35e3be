//! Changing groups.

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp,
    iam::{Group, GroupSpec, OrgKind},
};
use store::iam::groups;

use super::{Groups, not_found, rules};

impl Groups {
    /// Changes what `patch` changes of the group as callers see it. The same values again change nothing.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version; permission denied for what only operators may change;
    /// invalid argument or already exists as the rules of groups say.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<GroupSpec>) -> Result<Group> {
        let (uid, call) = (uid.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let current = groups::get(tx, &uid).await?.ok_or_else(|| not_found(&uid))?;
                    call.check_match(current.revision)?;
                    let mut wish = patch(&current.spec)?;
                    // What a folder is need not be said: it is what its organization is.
                    if !uid.is_root() && wish.kind == OrgKind::Unspecified {
                        wish.kind = current.spec.kind;
                    }
                    if wish == current.spec {
                        return Ok(current);
                    }
                    if uid.is_root() {
                        rules::check_organization(&call, Some(&current.spec), &wish)?;
                    } else {
                        rules::check_folder(&call, current.spec.kind, &wish)?;
                    }
                    let group = groups::update(tx, &Group { spec: wish, ..current }).await?;
                    tx.announce(Noun::Group, uid.as_str(), Op::Updated, uid.as_str(), &group).await?;
                    Ok(group)
                })
            })
            .await
    }
}
