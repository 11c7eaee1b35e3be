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
mod rekey;
mod restore;
mod rotate_keys;
mod seal;
mod token;

pub(crate) use token::duration;

#[derive(Debug, Subcommand)]
pub(crate) enum Admin {
    /// Create the first organization and its owner, a user of your identity provider
    Bootstrap(bootstrap::Bootstrap),
    /// Issue an operator token: all permissions, for at most an hour, audited
    Token(token::Token),
    /// Show the token signing keys
    Keys(keys::Keys),
    /// Rotate the token signing key; the old one stays valid until its last token expires
    RotateKeys(rotate_keys::RotateKeys),
    /// Show or change the log level of a running server
    LogLevel(log_level::LogLevel),
    /// Back up the database to a file; the server may be running
    Backup(backup::Backup),
    /// Restore a backup into an empty database; no server may be running
    Restore(restore::Restore),
    /// Check the database for inconsistencies, read-only; a server may be running
    Check(check::Check),
    /// Accept the database as it is, with a new start of the codes of its audit log
    Seal(seal::Seal),
    /// Change the key-encryption key
    Rekey(rekey::Rekey),
    /// Migrate the database to the schema of this program
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
            Self::Seal(seal) => seal.run(global).await,
            Self::Rekey(rekey) => rekey.run(global).await,
            Self::Migrate(migrate) => migrate.run(global).await,
        }
    }
}
