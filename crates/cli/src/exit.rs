//! How a command fails: what the user reads and the exit code that scripts read.

use std::{fmt, process::ExitCode};

use client::Code;
use domain::Kind;
use serde::{Deserialize, Serialize};

/// The exit codes; [`Exit::HELP`] documents them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Exit {
    Failed = 1,
    Usage = 2,
    NotLoggedIn = 3,
    Denied = 4,
    NotFound = 5,
    Conflict = 6,
    Unreachable = 7,
    Due = 8,
}

impl Exit {
    /// What `provost --help` says about exit codes.
    pub(crate) const HELP: &str = "\
Exit codes:
  0  done
  1  failed for another reason; standard error says why
  2  wrong usage, or a value that the server refuses
  3  not logged in, or the login has expired
  4  permission denied
  5  not found
  6  conflict: it exists already, is still in use, or has changed
  7  no server answers
  8  the database needs a migration (`admin migrate --check`)";

    /// The code that a server's answer leads to.
    fn of(error: &client::Error) -> Self {
        match error.code() {
            Code::InvalidArgument | Code::OutOfRange => Self::Usage,
            Code::Unauthenticated => Self::NotLoggedIn,
            Code::PermissionDenied => Self::Denied,
            Code::NotFound => Self::NotFound,
            Code::AlreadyExists | Code::FailedPrecondition | Code::Aborted => Self::Conflict,
            Code::Unavailable | Code::DeadlineExceeded => Self::Unreachable,
            _ => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// A failed command.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    /// What to do next.
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// A failure of `exit` that `message` explains.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: None }
    }

    /// The command cannot work as it was called.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Something of this machine failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(Exit::Failed, message)
    }

    /// Adds what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<client::Error> for Failure {
    fn from(error: client::Error) -> Self {
        let exit = Exit::of(&error);
        // The exit code stands for the answer's code, and the message says the same in words.
        let mut failure = Self::new(exit, error.message());
        match (exit, error.request_id()) {
            (Exit::Denied, _) => failure.hint = Some("see what you may do, and where: provost auth status".into()),
            (Exit::NotLoggedIn, _) => failure.hint = Some("log in again: provost auth login --help".into()),
            (Exit::Unreachable, _) if error.is_unreachable() => {
                failure.hint = Some("set --api or PROVOST_API, or start a server: provost serve --dev".into());
            }
            (Exit::Failed, Some(id)) => failure.hint = Some(format!("the server's log has more under the request id {id}")),
            _ => {}
        }
        failure
    }
}

/// What failed in this process rather than behind the API.
impl From<domain::Error> for Failure {
    fn from(error: domain::Error) -> Self {
        let exit = match error.kind() {
            Kind::InvalidArgument => Exit::Usage,
            Kind::Unauthenticated => Exit::NotLoggedIn,
            Kind::PermissionDenied => Exit::Denied,
            Kind::NotFound => Exit::NotFound,
            Kind::AlreadyExists | Kind::FailedPrecondition | Kind::Aborted => Exit::Conflict,
            Kind::ResourceExhausted | Kind::DeadlineExceeded | Kind::Unimplemented | Kind::Unavailable | Kind::Internal => {
                Exit::Failed
            }
        };
        let cause = std::error::Error::source(&error).filter(|_| error.kind() == Kind::Internal);
        // Whoever asks is the operator, who may read what the log would say.
        Self::new(exit, cause.map_or_else(|| error.message().to_owned(), ToString::to_string))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::failed(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}
