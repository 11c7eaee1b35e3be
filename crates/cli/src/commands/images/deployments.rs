//! `provost images deployments`

use clap::{Args, Subcommand};
use client::{Client, Code};
use contract::chainguard::platform::registry::{
    CreateDeploymentRequest, GetDeploymentRequest, HelmChart, UpdateDeploymentRequest,
    rpc::{CreateDeployment, GetDeployment, UpdateDeployment},
};

use crate::{
    confirm::confirm,
    describing::describe,
    exit::Failure,
    global::Global,
    resolve::{self, Kind},
    session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Deployments {
    /// Show the charts that deploy a repo's images
    Describe(Place),
    /// Set the chart that deploys a repo's images, replacing the previous one
    Set(Set),
    /// Remove the charts of a repo
    #[command(visible_alias = "rm")]
    Delete(Place),
}

#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The repo, by name, path or UID
    #[arg(required = true)]
    repo: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Set {
    #[command(flatten)]
    place: Place,
    /// URL of the chart repository
    #[arg(long, value_name = "URL")]
    chart_repo: String,
    /// Name of the chart
    #[arg(long)]
    chart: Option<String>,
    /// Source of the chart
    #[arg(long)]
    source: Option<String>,
}

impl Deployments {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::Describe(Place { repo }) => {
                let repo_id = resolve::uid(global, &client, Kind::Repo, repo).await?;
                describe::<GetDeployment>(global, &client, GetDeploymentRequest { repo_id }).await
            }
            Self::Set(set) => set.run(global, &client).await,
            Self::Delete(Place { repo }) => {
                let found = resolve::find(global, &client, Kind::Repo, repo).await?;
                if global.is_to_confirm() {
                    let title = found.title(global, &client, Kind::Repo).await?;
                    confirm(global, &format!("forget which charts deploy the images of the repo {title}"))?;
                }
                // Without charts there is no deployment.
                let request = UpdateDeploymentRequest { repo_id: found.uid.clone(), charts: Vec::new() };
                client.call::<UpdateDeployment>(request).await?;
                global.deleted(&found.uid)
            }
        }
    }
}

impl Set {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let repo_id = resolve::uid(global, client, Kind::Repo, self.place.repo).await?;
        let charts = vec![HelmChart { source: self.source, repo: self.chart_repo, chart: self.chart }];
        let request = UpdateDeploymentRequest { repo_id: repo_id.clone(), charts: charts.clone() };
        let deployment = match client.call::<UpdateDeployment>(request).await {
            Err(error) if error.code() == Code::NotFound => {
                client.call::<CreateDeployment>(CreateDeploymentRequest { parent_id: repo_id, charts }).await?
            }
            updated => updated?,
        };
        global.output.one(&deployment)
    }
}
