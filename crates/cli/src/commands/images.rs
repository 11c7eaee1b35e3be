//! `provost images`

use clap::Subcommand;

use crate::{exit::Failure, global::Global};

mod repos;

#[derive(Debug, Subcommand)]
pub(crate) enum Images {
    /// Image repositories
    #[command(subcommand, visible_alias = "repo")]
    Repos(repos::Repos),
}

impl Images {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::Repos(command) => command.run(global).await,
        }
    }
}
