//! `provost auth`

use clap::Subcommand;

use crate::{exit::Failure, global::Global};

mod delete_account;
mod login;
mod logout;
mod pull_token;
mod register;
mod status;
mod token;

#[derive(Debug, Subcommand)]
pub(crate) enum Auth {
    /// Exchange an identity token for an API token, and keep it; users stay logged in by a refresh token
    Login(login::Login),
    /// Become a user with the token of your login provider, and join a group by an invite
    Register(register::Registration),
    /// Print the API token, renewed if need be
    Token,
    /// Tokens that pull from a registry for a long time
    #[command(subcommand)]
    PullToken(pull_token::PullToken),
    /// Show who you are and what you may do
    Status,
    /// Forget the API token and the refresh token
    Logout,
    /// Delete your own user with all its role bindings
    DeleteAccount,
}

impl Auth {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::Login(login) => login.run(global).await,
            Self::Register(registration) => registration.run(global).await,
            Self::Token => token::run(global).await,
            Self::PullToken(command) => command.run(global).await,
            Self::Status => status::run(global).await,
            Self::Logout => logout::run(global),
            Self::DeleteAccount => delete_account::run(global).await,
        }
    }
}
