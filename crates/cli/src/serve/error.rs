//! Why a server does not start.

use std::{error::Error, fmt};

/// Why a server did not start, and what to do about it.
#[derive(Debug)]
pub struct StartError {
    message: String,
    /// Whether a setting is wrong, and nothing was tried.
    usage: bool,
}

impl StartError {
    /// Whether a setting is wrong; other reasons lie outside the settings.
    #[must_use]
    pub fn is_setting(&self) -> bool {
        self.usage
    }

    /// A setting that must not be.
    pub(crate) fn setting(message: impl Into<String>) -> Self {
        Self { message: message.into(), usage: true }
    }

    /// Something outside the settings that must not be.
    pub(crate) fn outside(message: impl Into<String>) -> Self {
        Self { message: message.into(), usage: false }
    }

    /// What was tried, and why it failed, down to the last cause.
    pub(crate) fn while_doing(what: impl fmt::Display, error: &(dyn Error + 'static)) -> Self {
        let mut message = format!("{what}: {error}");
        let mut cause = error.source();
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        Self { message, usage: false }
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for StartError {}

impl From<domain::Error> for StartError {
    fn from(error: domain::Error) -> Self {
        Self::while_doing("the server cannot start", &error)
    }
}
