//! `provost images`

use clap::Subcommand;

use crate::{exit::Failure, global::Global};

mod deployments;
mod overlays;
mod repos;
mod settings;
mod tags;
mod visibility;

#[derive(Debug, Subcommand)]
pub(crate) enum Images {
    /// Image repositories
    #[command(subcommand, visible_alias = "repo")]
    Repos(repos::Repos),
    /// Image tags
    #[command(subcommand, visible_alias = "tag")]
    Tags(tags::Tags),
    /// Image overlays: packages that are added to images
    #[command(subcommand, visible_alias = "overlay")]
    Overlays(overlays::Overlays),
    /// Deployments: which charts deploy a repo's images
    #[command(subcommand, visible_alias = "deployment")]
    Deployments(deployments::Deployments),
    /// Registry settings of a group
    #[command(subcommand)]
    Settings(settings::Settings),
    /// Visibility: which repos everybody may see without logging in
    #[command(subcommand)]
    Visibility(visibility::Visibility),
}

impl Images {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::Repos(command) => command.run(global).await,
            Self::Tags(command) => command.run(global).await,
            Self::Overlays(command) => command.run(global).await,
            Self::Deployments(command) => command.run(global).await,
            Self::Settings(command) => command.run(global).await,
            Self::Visibility(command) => command.run(global).await,
        }
    }
}
