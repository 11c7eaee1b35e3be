//! What holds for every command.

use crate::output::Format;

/// The global flags with their defaults applied.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) api: String,
    pub(crate) issuer: String,
    pub(crate) audience: String,
    pub(crate) output: Format,
    pub(crate) yes: bool,
    /// Whether somebody is there who can be asked for what is missing.
    pub(crate) ask: bool,
}
