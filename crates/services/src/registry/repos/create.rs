//! Creating repositories.

use domain::{
    Ctx, Noun, Op, Result, Uidp, Violations,
    registry::{Repo, RepoSpec},
};
use store::rows;

use super::{Repos, inherit::Sources, rules, sync};
use crate::iam::placed::{child_of, home};

impl Repos {
    /// Creates a repository in the group `parent`.
    ///
    /// # Errors
    /// Invalid argument for values out of their limits, for a source that the caller may not read, and for what a
    /// synced repository inherits; not found when there is no such group; already exists when the group has a
    /// repository of this name.
    pub async fn create(&self, ctx: &Ctx, parent: &Uidp, spec: RepoSpec) -> Result<Repo> {
        let mut violations = Violations::default();
        rules::check(&spec, &mut violations);
        violations.check()?;
        let (parent, call) = (parent.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let group = home(tx, &parent).await?;
                    let (uid, mut spec) = (child_of(&call, &parent)?, spec);
                    let synced_by = sync::settle(&call, tx, &uid, None, &mut spec).await?;
                    let (created_at, updated_at, revision) = (call.now, call.now, tx.revision());
                    let repo = Repo { uid, spec, public: false, synced_by, created_at, updated_at, revision };
                    let repo = rows::insert_in(tx, &group, &repo).await?;
                    let repo = Sources::default().shown(tx, repo).await?;
                    tx.announce(Noun::Repo, &repo.uid, Op::Created, &repo).await?;
                    Ok(repo)
                })
            })
            .await
    }
}
