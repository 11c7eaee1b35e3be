//! What holds for every command.

use std::time::Duration;

use crate::{
    exit::Failure,
    output::{self, Format},
};

/// The global flags with their defaults applied.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Global {
    pub(crate) api: String,
    pub(crate) issuer: String,
    pub(crate) audience: String,
    /// What of them was said for this run alone.
    pub(crate) said: Said,
    pub(crate) output: Format,
    pub(crate) yes: bool,
    /// Whether somebody is there who can be asked for what is missing.
    pub(crate) ask: bool,
    /// How long calls are made again.
    pub(crate) retry_for: Duration,
    /// Whether a server that is not there yet is waited for.
    pub(crate) wait_for_server: bool,
    /// Whether writes are rehearsed alone.
    pub(crate) dry_run: bool,
    /// The entity tag that what is written must still have.
    pub(crate) if_match: Option<String>,
}

/// What flags and variables say about the server, before defaults and contexts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// `--api`, or its variable.
    pub(crate) api: Option<String>,
    /// Whether that was the flag.
    pub(crate) api_flag: bool,
    /// `--issuer`, or its variable.
    pub(crate) issuer: Option<String>,
    /// `--audience`, or its variable.
    pub(crate) audience: Option<String>,
}

impl Global {
    /// Whether somebody has to confirm before something is destroyed.
    pub(crate) fn is_to_confirm(&self) -> bool {
        !self.yes && !self.dry_run
    }

    /// Prints that `id` was deleted, or would be.
    ///
    /// # Errors
    /// When it cannot be printed.
    pub(crate) fn deleted(&self, id: &str) -> Result<(), Failure> {
        self.output.deleted(id, self.dry_run)
    }

    /// Tells people after a rehearsal that it was one.
    pub(crate) fn finish(&self) {
        if self.dry_run {
            output::remark("this was a dry run: nothing was changed");
        }
    }
}
