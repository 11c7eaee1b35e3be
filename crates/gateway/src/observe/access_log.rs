//! One event per request.

use std::{
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use contract::Method;
use domain::{Caller, Error, Kind, Rule};
use http::Method as HttpMethod;

use super::{
    metrics::Meter,
    span::{self, RequestSpan},
};
use crate::budget::Load;

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

/// What is known about a request; filled while it is served, logged and counted when its answer is finished. One that is
/// dropped before that was given up by its client.
///
/// Holds no query, no header but the user agent, and no body: nothing that may carry a secret.
pub(crate) struct Record {
    pub(crate) request_id: Arc<str>,
    pub(crate) transport: Transport,
    pub(crate) verb: HttpMethod,
    pub(crate) path: String,
    /// The method of the contract.
    pub(crate) method: Option<&'static Method>,
    pub(crate) caller: Option<Arc<Caller>>,
    pub(crate) peer: IpAddr,
    pub(crate) user_agent: Option<Arc<str>>,
    pub(crate) outcome: Option<(Kind, Rule)>,
    pub(crate) started: Instant,
    ended: bool,
    meter: Option<Meter>,
    span: RequestSpan,
    /// What it holds of the budget.
    pub(crate) load: Arc<Load>,
}

impl Record {
    /// The record of a request. Those without a `meter` are neither counted nor logged: they come from the operators' own
    /// tools, again and again.
    #[expect(clippy::too_many_arguments, reason = "what is known when a request begins, from one caller alone")]
    pub(crate) fn new(
        request_id: Arc<str>,
        verb: HttpMethod,
        path: &str,
        peer: IpAddr,
        user_agent: Option<Arc<str>>,
        meter: Option<&Meter>,
        span: RequestSpan,
        load: Arc<Load>,
    ) -> Self {
        if let Some(meter) = meter {
            meter.begin();
        }
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
            ended: false,
            span,
            load,
            meter: meter.cloned(),
        }
    }

    /// Notes that the request failed, and how.
    pub(crate) fn failed(&mut self, error: &Error) {
        self.outcome = Some((error.kind(), error.rule()));
    }

    /// Writes the event and counts the request. `status` is the HTTP status of the answer, `bytes` the size of its body.
    pub(crate) fn end(&mut self, status: u16, bytes: u64) {
        let code = match (self.outcome, self.transport) {
            (Some((kind, _)), _) => Some(kind.as_str()),
            // Routes outside the contract speak HTTP alone: what their status means is theirs to say.
            (None, Transport::Http) => None,
            (None, Transport::Grpc | Transport::Json) => Some("OK"),
        };
        self.tell(code, Some(status), bytes);
    }

    fn tell(&mut self, code: Option<&'static str>, status: Option<u16>, bytes: u64) {
        self.ended = true;
        let Some(meter) = &self.meter else { return };
        let took = self.started.elapsed();
        meter.end((self.method, self.transport), code.unwrap_or_else(|| class(status)), took, bytes);
        span::finish(&self.span, self, code, status);
        tracing::info!(
            target: "access",
            transport = self.transport.as_str(),
            verb = self.verb.as_str(),
            path = self.path,
            method = self.method.map(|method| method.path),
            status,
            code,
            rule = self.outcome.map(|(_, rule)| rule.as_str()),
            duration_us = micros(took),
            caller = self.caller.as_ref().map(|caller| caller.identity.as_str()),
            peer = %self.peer,
            user_agent = self.user_agent.as_deref(),
            bytes,
            request_id = &*self.request_id,
            "request"
        );
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if !self.ended {
            // As google.rpc.Code calls it; no client sees this.
            self.tell(Some("CANCELLED"), None, 0);
        }
    }
}

impl Transport {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Grpc => "grpc",
            Self::Json => "json",
            Self::Http => "http",
        }
    }
}

/// The class of an HTTP status (RFC 9110 section 15).
fn class(status: Option<u16>) -> &'static str {
    match status.map(|status| status / 100) {
        Some(1) => "1xx",
        Some(2) => "2xx",
        Some(3) => "3xx",
        Some(4) => "4xx",
        _ => "5xx",
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// The beginning of a text that a client chose, short enough to be repeated.
pub(crate) fn shorten(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text)
}
