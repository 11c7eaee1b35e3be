//! `provost auth`

use clap::Subcommand;

use crate::{exit::Failure, global::Global};

mod login;
mod logout;
mod status;
mod token;

#[derive(Debug, Subcommand)]
pub(crate) enum Auth {
    /// Exchange an identity token for an API token, and keep it
    Login(login::Login),
    /// Print the API token
    Token,
    /// Show who you are and what you may do
    Status,
    /// Forget the API token
    Logout,
}

impl Auth {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::Login(login) => login.run(global).await,
            Self::Token => token::run(global),
            Self::Status => status::run(global).await,
            Self::Logout => logout::run(global),
        }
    }
}
