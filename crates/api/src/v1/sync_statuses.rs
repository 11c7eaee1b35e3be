//! How far repositories are with following their sources, of which there is no later version.

use std::sync::Arc;

use contract::chainguard::platform::registry::{
    GetSyncStatusRequest, ListSyncStatusesRequest, RepoSyncStatus, SyncStatus, SyncStatusList, rpc, sync_status::Status,
};
use domain::{Ctx, Result, UidpFilter, registry::Repo};
use services::{Repos, registry::repos::RepoFilter};

use crate::{
    endpoint::{Endpoint, on},
    list, uidp,
};

/// The RPCs of sync statuses.
pub(crate) fn endpoints(repos: &Repos) -> Vec<Endpoint> {
    vec![on(rpc::GetSyncStatus, repos, get), on(rpc::ListSyncStatuses, repos, list_all)]
}

/// Content is copied by no part of this server, so nothing is known but that.
fn unknown() -> SyncStatus {
    SyncStatus { status: Status::Unknown.into(), create_time: None }
}

async fn get(repos: Arc<Repos>, ctx: Arc<Ctx>, request: GetSyncStatusRequest) -> Result<SyncStatus> {
    repos.get(&ctx, &uidp::one("repo_id", &request.repo_id)?).await?;
    Ok(unknown())
}

/// Of those that follow another one.
async fn list_all(repos: Arc<Repos>, ctx: Arc<Ctx>, request: ListSyncStatusesRequest) -> Result<SyncStatusList> {
    let part = UidpFilter { descendants_of: Some(uidp::one("registry_id", &request.registry_id)?), ..UidpFilter::default() };
    let mut items = list::whole(Some(part), |page| repos.list(&ctx, page, RepoFilter::default()), status).await?;
    items.retain(|status| status.repo_status.is_some());
    Ok(SyncStatusList { items })
}

/// The status of a repository, if it follows another one.
fn status(repo: &Repo) -> RepoSyncStatus {
    RepoSyncStatus { repo_id: repo.uid.to_string(), repo_status: repo.spec.sync_config.is_some().then(unknown) }
}
