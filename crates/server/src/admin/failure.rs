//! Why something that operators ask for was not done.

use domain::{Error, Kind};
use serde::{Deserialize, Serialize};

/// Why there is no result, in words that the command prints as they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of reason it is.
    #[serde(rename = "exit")]
    pub reason: Reason,
    /// The reason itself.
    pub message: String,
}

/// The kinds of reasons that scripts tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Something failed.
    Failed,
    /// What was asked for cannot be.
    Usage,
    /// Nobody knows who asks.
    NotLoggedIn,
    /// Who asks may not.
    Denied,
    /// What it is about is not there.
    NotFound,
    /// It is in the way of something that is there.
    Conflict,
}

impl Failure {
    /// Something failed, as `message` explains.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { reason: Reason::Failed, message: message.into() }
    }

    /// What was asked for cannot be.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self { reason: Reason::Usage, message: message.into() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let reason = match error.kind() {
            Kind::InvalidArgument => Reason::Usage,
            Kind::Unauthenticated => Reason::NotLoggedIn,
            Kind::PermissionDenied => Reason::Denied,
            Kind::NotFound => Reason::NotFound,
            Kind::AlreadyExists | Kind::FailedPrecondition | Kind::Aborted => Reason::Conflict,
            Kind::ResourceExhausted | Kind::DeadlineExceeded | Kind::Unimplemented | Kind::Unavailable | Kind::Internal => {
                Reason::Failed
            }
        };
        let cause = std::error::Error::source(&error).filter(|_| error.kind() == Kind::Internal);
        // Whoever asks is the operator, who may read what the log would say.
        Self { reason, message: cause.map_or_else(|| error.message().to_owned(), ToString::to_string) }
    }
}
