//! Deployments, of which there is no later version.

use std::sync::Arc;

use contract::{
    Reply,
    chainguard::platform::registry::{
        CreateDeploymentRequest, Deployment as Wire, GetDeploymentRequest, HelmChart as WireChart, UpdateDeploymentRequest, rpc,
    },
};
use domain::{
    Ctx, Result,
    registry::{Deployment, HelmChart},
};
use services::Deployments;

use crate::{
    endpoint::{Endpoint, answer, on},
    uidp,
};

/// The RPCs of deployments.
pub(crate) fn endpoints(deployments: &Deployments) -> Vec<Endpoint> {
    vec![
        on(rpc::CreateDeployment, deployments, create),
        on(rpc::UpdateDeployment, deployments, update),
        on(rpc::GetDeployment, deployments, get),
    ]
}

async fn create(deployments: Arc<Deployments>, ctx: Arc<Ctx>, request: CreateDeploymentRequest) -> Result<Reply<Wire>> {
    let repo = uidp::one("parent_id", &request.parent_id)?;
    Ok(answer(&ctx, &deployments.create(&ctx, &repo, charts(request.charts)).await?, to_wire))
}

async fn update(deployments: Arc<Deployments>, ctx: Arc<Ctx>, request: UpdateDeploymentRequest) -> Result<Reply<Wire>> {
    let repo = uidp::one("repo_id", &request.repo_id)?;
    let gone = Wire { id: repo.to_string(), charts: Vec::new() };
    let left = deployments.update(&ctx, &repo, charts(request.charts)).await?;
    Ok(left.map_or(Reply::from(gone), |deployment| answer(&ctx, &deployment, to_wire)))
}

async fn get(deployments: Arc<Deployments>, ctx: Arc<Ctx>, request: GetDeploymentRequest) -> Result<Reply<Wire>> {
    let repo = uidp::one("repo_id", &request.repo_id)?;
    Ok(answer(&ctx, &deployments.get(&repo).await?, to_wire))
}

fn charts(wire: Vec<WireChart>) -> Vec<HelmChart> {
    wire.into_iter().map(|WireChart { source, repo, chart }| HelmChart { source, repo, chart }).collect()
}

/// A deployment for an answer.
fn to_wire(deployment: &Deployment) -> Wire {
    let chart = |HelmChart { source, repo, chart }| WireChart { source, repo, chart };
    Wire { id: deployment.uid.to_string(), charts: deployment.charts.iter().cloned().map(chart).collect() }
}
