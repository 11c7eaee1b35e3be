//! `provost config`

use clap::Subcommand;

use crate::{exit::Failure, global::Global};

mod check;
mod init;
mod view;

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Print a provost.toml with all settings commented out
    Init,
    /// Show the value and the source of each setting
    View(view::View),
    /// Check the configuration and everything it refers to; exit code 1 on failure
    Check(check::Check),
}

impl Config {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::Init => init::run(),
            Self::View(view) => view.run(global),
            Self::Check(check) => check.run(global).await,
        }
    }
}
