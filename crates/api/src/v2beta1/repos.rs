//! Repositories, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::registry::v2beta1::{CreateRepoRequest, Repo, UpdateRepoRequest, rpc},
};
use domain::{Ctx, Result};
use services::{Repos, registry::repos::RepoFilter};

use crate::{
    endpoint::{Endpoint, answer, on},
    list, mask,
    noun::{deletes, gets, lists},
    uidp,
};

pub(crate) mod convert;
mod overlay;

/// The RPCs of repositories.
pub(crate) fn endpoints(repos: &Repos) -> Vec<Endpoint> {
    vec![
        gets(rpc::GetRepo, repos, |request| &request.uid, convert::to_wire),
        lists(rpc::ListRepos, repos, |request, _| RepoFilter { name: list::filter(request.name()) }, convert::to_wire),
        on(rpc::CreateRepo, repos, create),
        on(rpc::UpdateRepo, repos, update),
        deletes(rpc::DeleteRepo, repos),
    ]
}

async fn create(repos: Arc<Repos>, ctx: Arc<Ctx>, request: CreateRepoRequest) -> Result<Reply<Repo>> {
    let parent = uidp::one("parent", &request.parent)?;
    let repo = with_source(&repos, &ctx, contract::mask::writable(&request.repo.unwrap_or_default())).await?;
    Ok(answer(&repos.create(&ctx, &parent, convert::spec_from_wire(repo)?).await?, convert::to_wire))
}

async fn update(repos: Arc<Repos>, ctx: Arc<Ctx>, request: UpdateRepoRequest) -> Result<Reply<Repo>> {
    let mut repo = request.repo.unwrap_or_default();
    let uid = uidp::one("uid", &repo.uid)?;
    if mask::touches(request.update_mask.as_ref(), "sync_config") {
        repo = with_source(&repos, &ctx, repo).await?;
    }
    let patch = mask::patch(repo, request.update_mask, convert::spec_to_wire, convert::spec_from_wire);
    Ok(answer(&repos.update(&ctx, &uid, patch).await?, convert::to_wire))
}

/// The request with its source as an identifier, whichever way it was named.
async fn with_source(repos: &Repos, ctx: &Ctx, mut repo: Repo) -> Result<Repo> {
    if let Some(sync) = &mut repo.sync_config
        && !sync.source.is_empty()
    {
        sync.source = repos.resolve_source(ctx, &sync.source).await?.to_string();
    }
    Ok(repo)
}
