//! `provost config`

use clap::Subcommand;

use crate::{exit::Failure, global::Global};

mod check;
mod init;
mod view;

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Print a provost.toml with every setting commented out
    Init,
    /// Show every setting of the server and where it comes from
    View(view::View),
    /// Try everything that a server under these settings would use; exit code 1 when something fails
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
