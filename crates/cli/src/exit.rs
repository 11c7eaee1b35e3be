//! How a command fails: what the user reads and the exit code that scripts read.

use std::process::ExitCode;

use client::Code;
use server::admin::{self, Reason};

use crate::{
    advice, color,
    plain::{self, plain},
};

/// The exit codes; [`Exit::ALL`] documents them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    NotLoggedIn = 3,
    Denied = 4,
    NotFound = 5,
    Conflict = 6,
    Unreachable = 7,
    Due = 8,
    Damaged = 9,
    Interrupted = 130,
    Terminated = 143,
}

impl Exit {
    /// Every code with its meaning.
    pub(crate) const ALL: &[(Self, &str)] = &[
        (Self::Done, "done; of `serve`: stopped in order, as Ctrl-C or SIGTERM asked"),
        (Self::Failed, "failed for another reason; standard error says why"),
        (Self::Usage, "wrong usage, an ambiguous name, or a value that the server refuses"),
        (Self::NotLoggedIn, "not logged in, or the login has expired"),
        (Self::Denied, "permission denied"),
        (Self::NotFound, "not found"),
        (Self::Conflict, "conflict: it exists already, is still in use, or has changed"),
        (Self::Unreachable, "no server answers"),
        (Self::Due, "the database needs a migration (`admin migrate --check`, `admin check`)"),
        (Self::Damaged, "the database is inconsistent (`admin check`)"),
        (Self::Interrupted, "interrupted by Ctrl-C (every command but `serve`)"),
        (Self::Terminated, "ended by SIGTERM (every command but `serve`)"),
    ];

    /// What the shell sees.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    /// What `provost --help` says about exit codes.
    pub(crate) fn help() -> String {
        let lines = Self::ALL.iter().map(|(exit, meaning)| format!("\n{:>5}  {meaning}", exit.code()));
        format!("Exit codes:{}", lines.collect::<String>())
    }

    /// The code that a server's answer leads to.
    fn of(error: &client::Error) -> Self {
        match error.code() {
            _ if error.is_unreachable() => Self::Unreachable,
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
        Self::from(exit.code())
    }
}

/// A failed command.
#[derive(Debug)]
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

    /// Whoever reads has seen enough: `provost … | head -1` is no failure, but there is no use in going on.
    pub(crate) fn reader_left() -> Self {
        Self::new(Exit::Done, "")
    }

    /// What the user reads, in colour where that is wanted; `None` when there is nothing to explain.
    pub(crate) fn told(&self) -> Option<String> {
        let hint = self.hint.as_ref().map(|hint| format!("\n{} {}", color::hint("hint:"), plain::lines(hint)));
        let told = || format!("{} {}{}", color::error("error:"), plain::lines(&self.message), hint.unwrap_or_default());
        (!self.message.is_empty()).then(told)
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
        let mut failure = Self::new(exit, plain(error.message()));
        match (exit, error.request_id()) {
            (Exit::Denied, _) => failure.hint = Some("see what you may do, and where: provost auth status".into()),
            (Exit::NotLoggedIn, _) => failure.hint = Some("log in again: provost auth login --help".into()),
            (Exit::Unreachable, None) => failure.hint = Some(advice::unreachable(error.message()).into()),
            // Who has to wait is told so in the message.
            (Exit::Failed, Some(id)) if error.code() != Code::ResourceExhausted => {
                failure.hint = Some(format!("the server's log has more under the request id {id}"));
            }
            _ => {}
        }
        failure
    }
}

/// What failed in this process rather than behind the API.
impl From<domain::Error> for Failure {
    fn from(error: domain::Error) -> Self {
        admin::Failure::from(error).into()
    }
}

/// What a server, or this process in its place, has not done for an operator.
impl From<admin::Failure> for Failure {
    fn from(failure: admin::Failure) -> Self {
        let exit = match failure.reason {
            Reason::Failed => Exit::Failed,
            Reason::Usage => Exit::Usage,
            Reason::NotLoggedIn => Exit::NotLoggedIn,
            Reason::Denied => Exit::Denied,
            Reason::NotFound => Exit::NotFound,
            Reason::Conflict => Exit::Conflict,
        };
        Self::new(exit, failure.message)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::failed(error.to_string())
    }
}
