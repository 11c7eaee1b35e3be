//! `provost events`

use clap::Subcommand;

use crate::{exit::Failure, global::Global};

mod subscriptions;

#[derive(Debug, Subcommand)]
pub(crate) enum Events {
    /// Subscriptions: URLs that receive the events of a group
    #[command(subcommand, visible_alias = "subscription")]
    Subscriptions(subscriptions::Subscriptions),
}

impl Events {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::Subscriptions(command) => command.run(global).await,
        }
    }
}
