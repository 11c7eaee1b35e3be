//! Repositories, v1: the readme is a field, and who makes one that is there changes it.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::registry::{
        CreateRepoRequest, GetRepoCountBySourceRequest, Repo, RepoCount, RepoFilter, RepoList, rpc,
    },
};
use domain::{Ctx, Result, Violations, registry::RepoSpec};
use services::{Repos, registry::repos};

use crate::{
    endpoint::{Endpoint, answer, naming, on},
    list,
    noun::{deletes, lists_whole},
    uidp,
};

pub(crate) mod convert;
mod overlay;

/// The RPCs of repositories.
pub(crate) fn endpoints(repos: &Repos) -> Vec<Endpoint> {
    vec![
        naming(name_of, rpc::CreateRepo, repos, create),
        naming(name_of, rpc::UpdateRepo, repos, update),
        lists_whole(rpc::ListRepos, repos, part, convert::to_wire, |items| RepoList { items }),
        deletes(rpc::DeleteRepo, repos),
        on(rpc::GetRepoCountBySource, repos, count),
    ]
}

/// What this version calls a field.
fn name_of(path: &str) -> Option<String> {
    let renamed = |from: &str, to: &str| path.strip_suffix(from).map(|place| format!("{place}{to}"));
    super::parent_id(path).or_else(|| renamed(".username", ".user_name")).or_else(|| renamed(".groupname", ".group_name"))
}

async fn create(repos: Arc<Repos>, ctx: Arc<Ctx>, request: CreateRepoRequest) -> Result<Reply<Repo>> {
    let parent = uidp::one("parent_id", &request.parent_id)?;
    let spec = read(&repos, &ctx, request.repo.unwrap_or_default()).await?;
    let made = if request.prevent_existing {
        repos.create(&ctx, &parent, spec).await?
    } else {
        repos.upsert(&ctx, &parent, spec).await?
    };
    Ok(answer(&ctx, &made, convert::to_wire))
}

async fn update(repos: Arc<Repos>, ctx: Arc<Ctx>, repo: Repo) -> Result<Reply<Repo>> {
    let uid = uidp::one("id", &repo.id)?;
    let patch = repos::replacement(read(&repos, &ctx, repo).await?);
    Ok(answer(&ctx, &repos.update(&ctx, &uid, patch).await?, convert::to_wire))
}

/// What a request says, with its source as an identifier, whichever way it was named.
async fn read(repos: &Repos, ctx: &Ctx, mut repo: Repo) -> Result<RepoSpec> {
    if let Some(sync) = &mut repo.sync_config
        && !sync.source.is_empty()
    {
        sync.source = repos.resolve_source(ctx, &sync.source).await?.to_string();
    }
    convert::spec_from_wire(repo)
}

fn part(request: RepoFilter) -> Result<list::Asked<repos::RepoFilter>> {
    let part = list::part(request.uidp, &request.id, Violations::default())?;
    Ok((part, repos::RepoFilter { name: list::filter(&request.name), source: None }))
}

async fn count(repos: Arc<Repos>, ctx: Arc<Ctx>, request: GetRepoCountBySourceRequest) -> Result<RepoCount> {
    let count = repos.count_followers(&ctx, &uidp::one("id", &request.id)?).await?;
    Ok(RepoCount { count: i64::try_from(count).unwrap_or(i64::MAX) })
}
