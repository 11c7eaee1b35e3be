//! Why a call failed.

use std::{error::Error as StdError, fmt};

use contract::google::rpc;
use prost::Message;
use tonic::{Code, ConnectError, Status, TimeoutExpired};

use crate::{details::Details, stranger::Stranger};

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
pub(crate) enum Origin {
    /// The server answered it.
    Server,
    /// Nobody was there.
    Unreachable,
    /// Somebody was there who proved to be nobody that this machine trusts.
    Untrusted,
    /// The call was on its way, and no answer came.
    Lost,
    /// A proxy answered that did not reach the server.
    Proxy,
    /// Something else answered.
    Stranger,
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

    /// Whether no server of ours answered at all.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        !matches!(self.origin, Origin::Server | Origin::Client)
    }

    /// Where it was found.
    pub(crate) fn origin(&self) -> Origin {
        self.origin
    }

    /// Whether the call was on its way, and no answer came.
    pub(crate) fn is_lost(&self) -> bool {
        self.origin == Origin::Lost
    }

    /// Whether a call was lost because what answered spoke something else than HTTP/2.
    pub(crate) fn is_other_protocol(&self) -> bool {
        self.is_lost() && self.code == Code::Internal
    }

    /// The call cannot be made as it was asked for; nothing was sent.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::local(Code::InvalidArgument, message.into(), Origin::Client)
    }

    /// Nothing answers at `url`.
    pub(crate) fn no_server(url: &str, cause: &(dyn StdError + 'static)) -> Self {
        let cause = innermost(cause);
        if cause.starts_with("invalid peer certificate") {
            let message = format!("the certificate of {url} is not trusted ({cause})");
            return Self::local(Code::Unavailable, message, Origin::Untrusted);
        }
        if cause.starts_with("HTTP/2 was not negotiated") {
            return Self { code: Code::Internal, ..Self::lost(url, &cause) };
        }
        let message = format!("no server answers at {url} ({cause}); check the URL, or start one there");
        Self::local(Code::Unavailable, message, Origin::Unreachable)
    }

    /// The connection to `url` ended while a call was under way.
    pub(crate) fn lost(url: &str, cause: &str) -> Self {
        let message = format!("the connection to {url} broke off before the answer ({cause})");
        Self::local(Code::Unavailable, message, Origin::Lost)
    }

    /// Something else than a server of ours is at `url`.
    pub(crate) fn stranger(url: &str, answered: &Stranger) -> Self {
        if answered.is_proxy() {
            let message = format!("a proxy at {url} does not reach the server: it answers {answered}");
            return Self::local(Code::Unavailable, message, Origin::Proxy);
        }
        let message = format!("what answers at {url} is not Provost: it says {answered}");
        Self::local(Code::Unavailable, message, Origin::Stranger)
    }

    /// What is at `url` accepts connections, and that is all.
    pub(crate) fn silent(url: &str) -> Self {
        Self::local(Code::Unavailable, format!("what is at {url} accepts connections and does not answer"), Origin::Lost)
    }

    /// A server of ours is behind `url`, but cannot be reached over gRPC.
    pub(crate) fn no_http2(url: &str) -> Self {
        let message = format!("what is at {url} passes HTTP/1.1 on to a server, and no HTTP/2");
        Self::local(Code::Unavailable, message, Origin::Stranger)
    }

    fn local(code: Code, message: String, origin: Origin) -> Self {
        let status = rpc::Status { code: code.into(), message: message.clone(), details: Vec::new() };
        Self { code, message, details: Box::default(), status: Box::new(status), request_id: None, origin }
    }

    /// The end of a call to `url` that was not OK.
    pub(crate) fn of_call(url: &str, status: &Status) -> Self {
        // Statuses that the server sent have no cause; those of a lost connection do.
        let Some(cause) = status.source() else { return Self::answered(status) };
        if let Some(stranger) = causes(cause).find_map(|cause| cause.downcast_ref::<Stranger>()) {
            return Self::stranger(url, stranger);
        }
        if causes(cause).any(<dyn StdError>::is::<ConnectError>) {
            // It was there when the client connected first.
            return Self { origin: Origin::Lost, ..Self::no_server(url, cause) };
        }
        if causes(cause).any(<dyn StdError>::is::<TimeoutExpired>) {
            let message = format!("the server at {url} did not answer in time");
            return Self::local(Code::DeadlineExceeded, message, Origin::Lost);
        }
        let cause = innermost(cause);
        // What is no frame of HTTP/2 is of something else, which greets first or speaks HTTP/1.1.
        let code = if cause.contains("frame with invalid size") { Code::Internal } else { status.code() };
        Self { code, ..Self::lost(url, &cause) }
    }

    /// What the server answered.
    fn answered(status: &Status) -> Self {
        let request_id = status.metadata().get("x-request-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
        let (code, message) = (status.code(), status.message().to_owned());
        // Broken details are left out: code and message stand without them.
        let whole = rpc::Status::decode(status.details()).ok().filter(|whole| whole.code == i32::from(code));
        let whole = whole.unwrap_or_else(|| rpc::Status { code: code.into(), message: message.clone(), details: Vec::new() });
        let details = Box::new(Details::of(&whole));
        Self { code, message, details, status: Box::new(whole), request_id, origin: Origin::Server }
    }
}

/// The error and what is behind it, link by link.
fn causes<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// The last link of a chain of causes, which names what really happened.
pub(crate) fn innermost(error: &(dyn StdError + 'static)) -> String {
    causes(error).last().map(ToString::to_string).unwrap_or_default()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.origin {
            Origin::Server => write!(f, "{}: {}", self.code_name(), self.message),
            _ => f.write_str(&self.message),
        }
    }
}

impl StdError for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_reads_code_then_message() {
        let error = Error::of_call("http://x", &Status::not_found("group g not found"));
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
