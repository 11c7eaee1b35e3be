//! `provost events`

use clap::Subcommand;

use crate::{exit::Failure, global::Global};

mod dead_letters;
mod subscriptions;

#[derive(Debug, Subcommand)]
pub(crate) enum Events {
    /// Subscriptions: URLs that receive the events of a group
    #[command(subcommand, visible_alias = "subscription")]
    Subscriptions(subscriptions::Subscriptions),
    /// Dead letters: events that the sink of a subscription did not take in time
    #[command(subcommand, visible_alias = "dead-letter")]
    DeadLetters(dead_letters::DeadLetters),
}

impl Events {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::Subscriptions(command) => command.run(global).await,
            Self::DeadLetters(command) => command.run(global).await,
        }
    }
}
