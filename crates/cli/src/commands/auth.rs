//! `provost auth`

use clap::Subcommand;

use crate::{exit::Failure, global::Global};

mod delete_account;
mod exchange;
mod login;
mod logout;
mod pull_token;
mod register;
mod status;
mod token;

#[derive(Debug, Subcommand)]
pub(crate) enum Auth {
    /// Exchange an identity token for an API token and store it
    Login(login::Login),
    /// Exchange an identity token for an API token and print it, without storing it
    Exchange(exchange::Exchange),
    /// Register as a user, and join a group with an invite
    Register(register::Registration),
    /// Print the API token, renewed if necessary
    Token,
    /// Long-lived tokens for pulling from a registry
    #[command(subcommand)]
    PullToken(pull_token::PullToken),
    /// Show who you are and what you may do
    Status,
    /// Delete the stored tokens
    Logout,
    /// Delete your own user with all its role bindings
    DeleteAccount(delete_account::DeleteAccount),
}

impl Auth {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::Login(login) => login.run(global).await,
            Self::Exchange(exchange) => exchange.run(global).await,
            Self::Register(registration) => registration.run(global).await,
            Self::Token => token::run(global).await,
            Self::PullToken(command) => command.run(global).await,
            Self::Status => status::run(global).await,
            Self::Logout => logout::run(global),
            Self::DeleteAccount(account) => account.run(global).await,
        }
    }
}
