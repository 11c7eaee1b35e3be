//! Why a call failed.

use std::{error::Error as StdError, fmt};

use contract::google::rpc;
use prost::Message;
use tonic::{Code, Status};

use crate::details::Details;

/// A failed call: the server's answer, or why there is none.
#[derive(Debug)]
pub struct Error {
    code: Code,
    message: String,
    details: Box<Details>,
    status: Box<rpc::Status>,
    request_id: Option<String>,
    origin: Origin,
}

/// Where an error was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// The server answered it.
    Server,
    /// No server answered.
    Unreachable,
    /// Here, before sending or while reading.
    Client,
}

impl Error {
    /// The canonical code. [`Code::Unavailable`] when the server could not be reached.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// The code's canonical name, such as `NOT_FOUND`.
    #[must_use]
    pub fn code_name(&self) -> &'static str {
        match self.code {
            Code::Ok => "OK",
            Code::Cancelled => "CANCELLED",
            Code::Unknown => "UNKNOWN",
            Code::InvalidArgument => "INVALID_ARGUMENT",
            Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Code::NotFound => "NOT_FOUND",
            Code::AlreadyExists => "ALREADY_EXISTS",
            Code::PermissionDenied => "PERMISSION_DENIED",
            Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Code::FailedPrecondition => "FAILED_PRECONDITION",
            Code::Aborted => "ABORTED",
            Code::OutOfRange => "OUT_OF_RANGE",
            Code::Unimplemented => "UNIMPLEMENTED",
            Code::Internal => "INTERNAL",
            Code::Unavailable => "UNAVAILABLE",
            Code::DataLoss => "DATA_LOSS",
            Code::Unauthenticated => "UNAUTHENTICATED",
        }
    }

    /// What the server says, without the code.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The decoded google.rpc details.
    #[must_use]
    pub fn details(&self) -> &Details {
        &self.details
    }

    /// The whole answer as the server sent it: code, message and details undecoded. Without details when it sent none.
    #[must_use]
    pub fn status(&self) -> &rpc::Status {
        &self.status
    }

    /// The request id under which the server's log has more.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    /// Whether no server answered at all.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        self.origin == Origin::Unreachable
    }

    /// The call cannot be made as it was asked for; nothing was sent.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::local(Code::InvalidArgument, message.into(), Origin::Client)
    }

    /// Nothing answers at `url`.
    pub(crate) fn no_server(url: &str, cause: &(dyn StdError + 'static)) -> Self {
        let cause = innermost(cause);
        let message = if cause.starts_with("invalid peer certificate") {
            format!("the certificate of {url} is not trusted ({cause})")
        } else {
            format!("no server answers at {url} ({cause}); check the URL, or start one there")
        };
        Self::local(Code::Unavailable, message, Origin::Unreachable)
    }

    /// The server's answer could not be understood.
    pub(crate) fn garbled(message: impl Into<String>) -> Self {
        Self::local(Code::Internal, message.into(), Origin::Client)
    }

    fn local(code: Code, message: String, origin: Origin) -> Self {
        let status = rpc::Status { code: code.into(), message: message.clone(), details: Vec::new() };
        Self { code, message, details: Box::default(), status: Box::new(status), request_id: None, origin }
    }
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        let request_id = status.metadata().get("x-request-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
        let mut message = status.message().to_owned();
        if let Some(cause) = status.source() {
            message = format!("{message}: {}", innermost(cause));
        }
        // Statuses that the server sent have no cause; those of a lost connection do.
        let lost = status.code() == Code::Unavailable && status.source().is_some();
        let origin = if lost { Origin::Unreachable } else { Origin::Server };
        let code = status.code();
        // Broken details are left out: code and message stand without them.
        let whole = rpc::Status::decode(status.details()).ok().filter(|whole| whole.code == i32::from(code));
        let whole = whole.unwrap_or_else(|| rpc::Status { code: code.into(), message: message.clone(), details: Vec::new() });
        Self { code, message, details: Box::new(Details::of(&whole)), status: Box::new(whole), request_id, origin }
    }
}

/// The last link of a chain of causes, which names what really happened.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.origin {
            Origin::Server => write!(f, "{}: {}", self.code_name(), self.message),
            Origin::Unreachable | Origin::Client => f.write_str(&self.message),
        }
    }
}

impl StdError for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_reads_code_then_message() {
        let error = Error::from(Status::not_found("group g not found"));
        assert_eq!(error.to_string(), "NOT_FOUND: group g not found");
        assert_eq!((error.code(), error.is_unreachable(), error.request_id()), (Code::NotFound, false, None));
    }

    #[test]
    fn an_absent_server_is_named_with_the_cause() {
        let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        let error = Error::no_server("http://127.0.0.1:1", &refused);
        assert_eq!(
            error.to_string(),
            "no server answers at http://127.0.0.1:1 (connection refused); check the URL, or start one there"
        );
        assert!(error.is_unreachable());
    }
}
