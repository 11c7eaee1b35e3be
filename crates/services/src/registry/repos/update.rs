//! Changing repositories.

use domain::{
    Ctx, Noun, Op, Patch, Result, Uidp, Violations,
    registry::{Repo, RepoSpec},
};
use store::{Writer, rows};

use super::{Repos, Shown, inherit::Sources, rules, sync};
use crate::{
    grants::require,
    update::{self, Update},
};

impl Repos {
    /// Changes what `patch` changes of the repository as callers see it. The same values again change nothing.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version, or others change the repository or its source all the time;
    /// otherwise as for creating the changed repository.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<RepoSpec>) -> Result<Repo> {
        update::run(&RepoUpdate { place: None }, &self.store, &self.turns, ctx, uid, &patch).await
    }
}

pub(super) struct RepoUpdate {
    /// Where the caller has to hold `repo.update` for a change, where the method does not say that.
    pub(super) place: Option<Uidp>,
}

impl Update for RepoUpdate {
    type Row = Shown;
    type Spec = RepoSpec;
    type Findings = ();
    type Answer = Repo;

    fn spec(row: &Shown) -> &RepoSpec {
        &row.repo.spec
    }

    async fn judge(&self, ctx: &Ctx, _row: &Shown, wish: &RepoSpec) -> Result<()> {
        if let Some(place) = &self.place {
            require(ctx, "repo.update", place)?;
        }
        let mut violations = Violations::default();
        rules::check(wish, &mut violations);
        violations.check()
    }

    async fn keep(_tx: &mut Writer, row: Shown) -> Result<Repo> {
        Ok(row.repo)
    }

    async fn write(tx: &mut Writer, row: Shown, mut wish: RepoSpec, (): &()) -> Result<Repo> {
        let Shown { repo: shown, own_description } = row;
        // An inherited description stays inherited unless the caller gives another one.
        if wish.description == shown.spec.description {
            wish.description = own_description;
        }
        let call = tx.ctx().clone();
        let synced_by = sync::settle(&call, tx, &shown.uid, Some(&shown), &mut wish).await?;
        let repo = rows::update(tx, &shown, &Repo { spec: wish, synced_by, ..shown.clone() }).await?;
        let repo = Sources::default().shown(tx, repo).await?;
        tx.announce(Noun::Repo, &repo.uid, Op::Updated, &repo).await?;
        Ok(repo)
    }
}
