//! One event per request.

use std::{
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{Error, Kind, Rule};
use http::Method;

/// Longest part of a path or a user agent that is logged, in bytes.
const MAX_TEXT: usize = 512;

/// How a request arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Transport {
    /// gRPC over HTTP/2.
    Grpc,
    /// JSON by the contract's HTTP rules.
    Json,
    /// Everything else.
    #[default]
    Http,
}

/// What is known about a request; filled while it is served and logged when its answer is finished.
///
/// Holds no query, no header but the user agent, and no body: nothing that may carry a secret.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) request_id: Arc<str>,
    pub(crate) transport: Transport,
    pub(crate) verb: Method,
    pub(crate) path: String,
    /// The full name of the RPC.
    pub(crate) method: Option<&'static str>,
    pub(crate) caller: Option<String>,
    pub(crate) peer: IpAddr,
    pub(crate) user_agent: Option<Arc<str>>,
    pub(crate) outcome: Option<(Kind, Rule)>,
    started: Instant,
}

impl Record {
    pub(crate) fn new(request_id: Arc<str>, verb: Method, path: &str, peer: IpAddr, user_agent: Option<Arc<str>>) -> Self {
        Self {
            request_id,
            transport: Transport::default(),
            verb,
            path: shorten(path).to_owned(),
            method: None,
            caller: None,
            peer,
            user_agent,
            outcome: None,
            started: Instant::now(),
        }
    }

    /// Notes that the request failed, and how.
    pub(crate) fn failed(&mut self, error: &Error) {
        self.outcome = Some((error.kind(), error.rule()));
    }

    /// Writes the event. `status` is the HTTP status of the answer, `bytes` the size of its body.
    pub(crate) fn log(&self, status: u16, bytes: u64) {
        let transport = match self.transport {
            Transport::Grpc => "grpc",
            Transport::Json => "json",
            Transport::Http => "http",
        };
        // Routes outside the contract speak HTTP alone: what their status means is theirs to say.
        let code = match (self.outcome, self.transport) {
            (Some((kind, _)), _) => Some(kind.as_str()),
            (None, Transport::Http) => None,
            (None, Transport::Grpc | Transport::Json) => Some("OK"),
        };
        let rule = self.outcome.map(|(_, rule)| rule.as_str());
        tracing::info!(
            target: "access",
            transport,
            verb = self.verb.as_str(),
            path = self.path,
            method = self.method,
            status,
            code,
            rule,
            duration_us = micros(self.started.elapsed()),
            caller = self.caller,
            peer = %self.peer,
            user_agent = self.user_agent.as_deref(),
            bytes,
            request_id = &*self.request_id,
            "request"
        );
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// The beginning of a text that a client chose, short enough to be repeated.
pub(crate) fn shorten(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text)
}
