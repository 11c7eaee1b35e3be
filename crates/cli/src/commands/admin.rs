//! `provost admin`

use clap::Subcommand;

use crate::{exit::Failure, global::Global};

mod backup;
mod bootstrap;
mod check;
mod keys;
mod log_level;
mod migrate;
mod place;
mod restore;
mod rotate_keys;
mod token;

pub(crate) use token::duration;

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
    /// Write everything in the database to a file, while the server runs
    Backup(backup::Backup),
    /// Read a backup into an empty database, while no server runs
    Restore(restore::Restore),
    /// Compare everything in the database with everything else, and change nothing; a server may be running
    Check(check::Check),
    /// Bring the database to the schema of this program, or say what that would do
    Migrate(migrate::Migrate),
}

impl Admin {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::Bootstrap(bootstrap) => bootstrap.run(global).await,
            Self::Token(token) => token.run().await,
            Self::Keys(keys) => keys.run(global).await,
            Self::RotateKeys(rotate_keys) => rotate_keys.run(global).await,
            Self::LogLevel(log_level) => log_level.run().await,
            Self::Backup(backup) => backup.run(global).await,
            Self::Restore(restore) => restore.run(global).await,
            Self::Check(check) => check.run(global).await,
            Self::Migrate(migrate) => migrate.run(global).await,
        }
    }
}
