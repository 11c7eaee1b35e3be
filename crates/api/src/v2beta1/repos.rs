//! Repositories, v2beta1.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::registry::v2beta1::{
        CreateRepoRequest, Repo, RepoReadme, UpdateRepoReadmeRequest, UpdateRepoRequest, rpc,
    },
};
use domain::{
    Ctx, Patch, Result, Violations,
    registry::{Readme, RepoSpec},
};
use services::{Repos, registry::repos::RepoFilter};

use crate::{
    endpoint::{Endpoint, answer, naming, on},
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
        lists(rpc::ListRepos, repos, |request, _| filter(request.name()), convert::to_wire),
        on(rpc::CreateRepo, repos, create),
        on(rpc::UpdateRepo, repos, update),
        deletes(rpc::DeleteRepo, repos),
        gets(rpc::GetRepoReadme, repos, |request| &request.uid, convert::readme_to_wire),
        naming(readme_name, rpc::UpdateRepoReadme, repos, update_readme),
    ]
}

fn filter(name: &str) -> RepoFilter {
    RepoFilter { name: list::filter(name), source: None }
}

async fn create(repos: Arc<Repos>, ctx: Arc<Ctx>, request: CreateRepoRequest) -> Result<Reply<Repo>> {
    let parent = uidp::one("parent", &request.parent)?;
    let repo = with_source(&repos, &ctx, contract::mask::writable(&request.repo.unwrap_or_default())).await?;
    Ok(answer(&ctx, &repos.create(&ctx, &parent, convert::spec_from_wire(repo)?).await?, convert::to_wire))
}

async fn update(repos: Arc<Repos>, ctx: Arc<Ctx>, request: UpdateRepoRequest) -> Result<Reply<Repo>> {
    let mut repo = request.repo.unwrap_or_default();
    let uid = uidp::one("uid", &repo.uid)?;
    if mask::touches(request.update_mask.as_ref(), "sync_config") {
        repo = with_source(&repos, &ctx, repo).await?;
    }
    let fields = mask::patch(repo, request.update_mask, convert::spec_to_wire, convert::spec_from_wire);
    // The readme is no field of it.
    let patch: Patch<RepoSpec> = Arc::new(move |current| Ok(RepoSpec { readme: current.readme.clone(), ..fields(current)? }));
    Ok(answer(&ctx, &repos.update(&ctx, &uid, patch).await?, convert::to_wire))
}

async fn update_readme(repos: Arc<Repos>, ctx: Arc<Ctx>, request: UpdateRepoReadmeRequest) -> Result<Reply<RepoReadme>> {
    let readme = request.repo_readme.unwrap_or_default();
    let uid = uidp::one("uid", &readme.uid)?;
    let to_wire = |readme: &Readme| RepoReadme { content: readme.to_string(), ..RepoReadme::default() };
    let from_wire = |wire: RepoReadme| {
        let mut violations = Violations::default();
        let readme = Readme::parse("content", &wire.content, &mut violations);
        violations.finish(readme)
    };
    let content = mask::patch(readme, request.update_mask, to_wire, from_wire);
    let patch: Patch<RepoSpec> = Arc::new(move |current| Ok(RepoSpec { readme: content(&current.readme)?, ..current.clone() }));
    Ok(answer(&ctx, &repos.update(&ctx, &uid, patch).await?, convert::readme_to_wire))
}

/// What the readme of a repository is called where it is all there is.
fn readme_name(path: &str) -> Option<String> {
    (path == "readme").then(|| "content".to_owned())
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
