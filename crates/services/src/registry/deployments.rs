//! Deployments: which charts deploy a repository's images.

mod rules;

use domain::{
    Ctx, Error, Noun, Op, Result, Uidp,
    registry::{Deployment, HelmChart},
};
use store::{Store, Writer, registry::repos, rows};

/// The use cases of deployments. A repository has one as long as that has charts.
#[derive(Clone, Debug)]
pub struct Deployments {
    store: Store,
}

impl Deployments {
    /// The use cases over `store`.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// The deployment of a repository.
    ///
    /// # Errors
    /// Not found when it has none, and when there is no such repository.
    pub async fn get(&self, repo: &Uidp) -> Result<Deployment> {
        let mut reader = self.store.reader().await?;
        rows::get(&mut reader, repo).await?.ok_or_else(|| not_found(repo))
    }

    /// Makes the deployment of a repository.
    ///
    /// # Errors
    /// Invalid argument without a chart, and for charts that are not as they must be; not found when there is no such repository;
    /// already exists when it has a deployment.
    pub async fn create(&self, ctx: &Ctx, repo: &Uidp, charts: Vec<HelmChart>) -> Result<Deployment> {
        if charts.is_empty() {
            return Err(Error::field("charts", "charts must have at least one entry"));
        }
        rules::check(&charts)?;
        let (uid, call) = (repo.clone(), ctx.clone());
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let deployment =
                        Deployment { uid, charts, created_at: call.now, updated_at: call.now, revision: tx.revision() };
                    let deployment = rows::insert(tx, &deployment).await?;
                    tx.announce(Noun::Deployment, &deployment.uid, Op::Created, &deployment).await?;
                    Ok(deployment)
                })
            })
            .await
    }

    /// Replaces the charts of a deployment. Without any it goes, and may be gone already; `None` tells of that.
    ///
    /// # Errors
    /// Invalid argument for charts that are not as they must be; not found when the repository has no deployment, and when there is no
    /// such repository; aborted when `If-Match` names another version.
    pub async fn update(&self, ctx: &Ctx, repo: &Uidp, charts: Vec<HelmChart>) -> Result<Option<Deployment>> {
        rules::check(&charts)?;
        let repo = repo.clone();
        self.store.write(ctx, move |tx| Box::pin(replace(tx, repo, charts))).await
    }
}

async fn replace(tx: &mut Writer, repo: Uidp, charts: Vec<HelmChart>) -> Result<Option<Deployment>> {
    let Some(known) = rows::get::<Deployment>(tx, &repo).await? else {
        let is_there = repos::without_overlay(tx, &repo).await?.is_some();
        return if is_there && charts.is_empty() { Ok(None) } else { Err(not_found(&repo)) };
    };
    tx.ctx().check_match(&known)?;
    if charts.is_empty() {
        rows::delete::<Deployment>(tx, &repo).await?;
        tx.announce(Noun::Deployment, &repo, Op::Deleted, &repo).await?;
        return Ok(None);
    }
    if known.charts == charts {
        return Ok(Some(known));
    }
    let deployment = rows::update(tx, &known, &Deployment { charts, ..known.clone() }).await?;
    tx.announce(Noun::Deployment, &repo, Op::Updated, &deployment).await?;
    Ok(Some(deployment))
}

fn not_found(repo: &Uidp) -> Error {
    Error::not_found(Noun::Deployment, repo.as_str())
}
