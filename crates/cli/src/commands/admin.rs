//! `provost admin`

use clap::Subcommand;

use crate::exit::Failure;

mod place;
mod token;

#[derive(Debug, Subcommand)]
pub(crate) enum Admin {
    /// Print a token that may do everything, for at most an hour; the audit log keeps who asked for it
    Token(token::Token),
}

impl Admin {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self {
            Self::Token(token) => token.run().await,
        }
    }
}
