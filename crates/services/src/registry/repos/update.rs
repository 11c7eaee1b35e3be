//! Changing repositories.

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp, Violations,
    registry::{Repo, RepoSpec},
};
use store::registry::repos;

use super::{Repos, inherit::Sources, not_found, rules, sync};

impl Repos {
    /// Changes what `patch` changes of the repository as callers see it. The same values again change nothing.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version; otherwise as for creating the changed repository.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<RepoSpec>) -> Result<Repo> {
        let (uid, call) = (uid.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let stored = repos::get(tx, &uid).await?.ok_or_else(|| not_found(&uid))?;
                    call.check_match(stored.revision)?;
                    let own_description = stored.spec.description.clone();
                    let current = Sources::default().shown(tx, stored).await?;
                    let mut wish = patch(&current.spec)?;
                    if wish == current.spec {
                        return Ok(current);
                    }
                    let mut violations = Violations::default();
                    rules::check(&wish, &mut violations);
                    violations.check()?;
                    // An inherited description stays inherited unless the caller gives another one.
                    if wish.description == current.spec.description {
                        wish.description = own_description;
                    }
                    sync::settle(&call, tx, &uid, Some(&current.spec), &mut wish).await?;
                    let repo = repos::update(tx, &Repo { spec: wish, ..current }).await?;
                    let repo = Sources::default().shown(tx, repo).await?;
                    tx.announce(Noun::Repo, uid.as_str(), Op::Updated, uid.parent_text(), &repo).await?;
                    Ok(repo)
                })
            })
            .await
    }
}
