//! `provost admin`

use clap::Subcommand;

use crate::{config::Global, exit::Failure};

mod bootstrap;
mod keys;
mod log_level;
mod place;
mod rotate_keys;
mod token;

#[derive(Debug, Subcommand)]
pub(crate) enum Admin {
    /// Make the first organization, and the user of your identity provider who owns it
    Bootstrap(bootstrap::Bootstrap),
    /// Print a token that may do everything, for at most an hour; the audit log keeps who asked for it
    Token(token::Token),
    /// Show the keys that sign tokens
    Keys(keys::Keys),
    /// Make a new key that signs tokens; the old one stays valid until its last token has expired
    RotateKeys(rotate_keys::RotateKeys),
    /// Show or change what a running server logs
    LogLevel(log_level::LogLevel),
}

impl Admin {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::Bootstrap(bootstrap) => bootstrap.run(global).await,
            Self::Token(token) => token.run().await,
            Self::Keys(keys) => keys.run(global).await,
            Self::RotateKeys(rotate_keys) => rotate_keys.run(global).await,
            Self::LogLevel(log_level) => log_level.run().await,
        }
    }
}
