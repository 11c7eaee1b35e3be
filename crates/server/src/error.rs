//! Why a server does not start.

use std::{error::Error, fmt};

use domain::Kind;

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
        Self { message: format!("{what}: {}", chain(error)), usage: false }
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for StartError {}

impl From<domain::Error> for StartError {
    /// The data could not be opened, by a server or by a command that works on it alone: the reason says all. Whoever asks is
    /// the operator, who reads the cause of what callers of the API only learn as an internal error.
    fn from(error: domain::Error) -> Self {
        let cause = error.source().filter(|_| error.kind() == Kind::Internal);
        Self { message: chain(cause.unwrap_or(&error)), usage: false }
    }
}

/// An error with its causes, down to the last one.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    message
}
