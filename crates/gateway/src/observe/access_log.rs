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
    path::{MAX_TEXT, tellable, tellable_words},
    span::RequestSpan,
};
use crate::{
    budget::Load,
    metrics::{Meter, Transport},
    status,
};

/// What is known about a request; filled while it is served, logged and counted when its answer is finished. One that is
/// dropped before that was given up by its client.
///
/// Holds no query, no header but the user agent, no body, and of the path nothing that looks like a token: nothing that may carry a
/// secret.
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
            verb: known(verb),
            path: tellable(path),
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
        finish(&self.span, self, code, status);
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

/// The verb, or in the place of one that this server does not know a word that says so: its client may have put anything there.
pub(crate) fn known(verb: HttpMethod) -> HttpMethod {
    let standard = [
        HttpMethod::GET,
        HttpMethod::HEAD,
        HttpMethod::POST,
        HttpMethod::PUT,
        HttpMethod::PATCH,
        HttpMethod::DELETE,
        HttpMethod::OPTIONS,
        HttpMethod::TRACE,
        HttpMethod::CONNECT,
    ];
    if standard.contains(&verb) { verb } else { HttpMethod::from_bytes(b"OTHER").unwrap_or_default() }
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

/// The beginning of a user agent, short enough to be repeated, up to a word that may be a token.
pub(crate) fn agent(text: &str) -> Arc<str> {
    tellable_words(text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text)).into()
}

/// Notes in the span what became of the request. `code` is the canonical one.
fn finish(request: &RequestSpan, record: &Record, code: Option<&'static str>, status: Option<u16>) {
    let span = &request.span;
    if span.is_disabled() {
        return;
    }
    if let Some((service, method)) = record.method.and_then(|method| method.path.strip_prefix('/')?.split_once('/')) {
        if let Some(traces) = &request.traces {
            traces.rename(span, format!("{service}/{method}"));
        }
        span.record("rpc.service", service);
        span.record("rpc.method", method);
    }
    if record.transport == Transport::Grpc {
        span.record("rpc.system", "grpc");
        span.record("rpc.grpc.status_code", record.outcome.map_or(0, |(kind, _)| status::code(kind)));
    }
    if let Some(status) = status {
        span.record("http.response.status_code", status);
    }
    if let Some(caller) = &record.caller {
        span.record("enduser.id", caller.identity.as_str());
    }
    if let Some(user_agent) = record.user_agent.as_deref() {
        span.record("user_agent.original", user_agent);
    }
    span.record("client.address", tracing::field::display(record.peer));
    span.record("provost.request_id", &*record.request_id);
    if let Some((kind, rule)) = record.outcome {
        span.record("provost.rule", rule.as_str());
        span.record("error.type", kind.as_str());
    } else if let Some("CANCELLED") = code {
        span.record("error.type", "CANCELLED");
    }
    // What the caller did wrong is no error of this server.
    if status.is_some_and(|status| status >= 500) || record.outcome.is_some_and(|(kind, _)| is_servers(kind)) {
        span.record("otel.status_code", "ERROR");
    }
}

/// Whether an error of this kind is the server's own.
fn is_servers(kind: Kind) -> bool {
    matches!(kind, Kind::Internal | Kind::Unavailable | Kind::DeadlineExceeded | Kind::Unimplemented)
}
