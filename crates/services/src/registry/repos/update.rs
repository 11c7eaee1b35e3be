//! Changing repositories.

use domain::{
    Ctx, Description, Noun, Op, Patch, Result, Revision, Uidp, Violations,
    registry::{Repo, RepoSpec},
};
use store::{Reader, Writer, registry::repos};

use super::{Repos, inherit::Sources, rules, sync};
use crate::update::{self, Update};

impl Repos {
    /// Changes what `patch` changes of the repository as callers see it. The same values again change nothing.
    ///
    /// # Errors
    /// Not found; aborted when `If-Match` names another version, or others change the repository or its source all the time;
    /// otherwise as for creating the changed repository.
    pub async fn update(&self, ctx: &Ctx, uid: &Uidp, patch: Patch<RepoSpec>) -> Result<Repo> {
        update::run(&RepoUpdate, &self.store, &self.turns, ctx, uid, &patch).await
    }
}

struct RepoUpdate;

/// A repository for an update.
struct Row {
    /// As callers see it, with what it inherits: a patch made from that is void when a source has changed.
    shown: Repo,
    /// What its own row has as its description, inherited or not.
    own_description: Description,
}

impl Update for RepoUpdate {
    const NOUN: Noun = Noun::Repo;
    type Row = Row;
    type Spec = RepoSpec;
    type Findings = ();
    type Answer = Repo;

    async fn get(reader: &mut Reader, uid: &Uidp) -> Result<Option<Row>> {
        let Some(stored) = repos::get(reader, uid).await? else { return Ok(None) };
        let own_description = stored.spec.description.clone();
        Ok(Some(Row { shown: Sources::default().shown(reader, stored).await?, own_description }))
    }

    fn spec(row: &Row) -> &RepoSpec {
        &row.shown.spec
    }

    fn revision(row: &Row) -> Revision {
        row.shown.revision
    }

    async fn judge(&self, _ctx: &Ctx, _row: &Row, wish: &RepoSpec) -> Result<()> {
        let mut violations = Violations::default();
        rules::check(wish, &mut violations);
        violations.check()
    }

    async fn keep(_tx: &mut Writer, row: Row) -> Result<Repo> {
        Ok(row.shown)
    }

    async fn write(tx: &mut Writer, row: Row, mut wish: RepoSpec, (): &()) -> Result<Repo> {
        let Row { shown, own_description } = row;
        // An inherited description stays inherited unless the caller gives another one.
        if wish.description == shown.spec.description {
            wish.description = own_description;
        }
        let call = tx.ctx().clone();
        sync::settle(&call, tx, &shown.uid, Some(&shown.spec), &mut wish).await?;
        let repo = repos::update(tx, &shown, &Repo { spec: wish, ..shown.clone() }).await?;
        let repo = Sources::default().shown(tx, repo).await?;
        tx.announce(Noun::Repo, repo.uid.as_str(), Op::Updated, repo.uid.parent_text(), &repo).await?;
        Ok(repo)
    }
}
