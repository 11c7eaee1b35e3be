//! `provost config`

use clap::Subcommand;

use crate::{config::Global, exit::Failure};

mod view;

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Show every setting of the server and where it comes from
    View(view::View),
}

impl Config {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::View(view) => view.run(global),
        }
    }
}
