//! One span per request, for whoever follows requests across programs. Its fields are attributes of OpenTelemetry's semantic
//! conventions for servers of HTTP and RPC, version 1.37, and a few of our own.

use std::{fmt, sync::Arc};

use domain::Kind;
use http::{HeaderMap, Method};
use tracing::{Span, field::Empty};

use super::{Record, Transport};
use crate::status;

/// What `tracing` cannot say of a span to whoever follows requests across programs.
pub trait Traces: Send + Sync {
    /// Makes the span that `headers` name the parent of `span`, if they name one. Called before `span` is entered.
    fn adopt(&self, span: &Span, headers: &HeaderMap);
    /// Names `span`, when it is known what it is about.
    fn rename(&self, span: &Span, name: String);
}

/// The span of one request.
#[derive(Clone)]
pub(crate) struct RequestSpan {
    pub(crate) span: Span,
    traces: Option<Arc<dyn Traces>>,
}

impl RequestSpan {
    /// No span.
    pub(crate) fn none() -> Self {
        Self { span: Span::none(), traces: None }
    }

    /// The span of a request that begins. Where nobody listens, it costs nothing.
    pub(crate) fn new(verb: &Method, headers: &HeaderMap, traces: Option<&Arc<dyn Traces>>) -> Self {
        let span = tracing::trace_span!(
            target: "otel",
            "request",
            otel.name = verb.as_str(),
            otel.kind = "server",
            otel.status_code = Empty,
            error.type = Empty,
            http.request.method = verb.as_str(),
            http.response.status_code = Empty,
            rpc.system = Empty,
            rpc.service = Empty,
            rpc.method = Empty,
            rpc.grpc.status_code = Empty,
            client.address = Empty,
            user_agent.original = Empty,
            enduser.id = Empty,
            provost.request_id = Empty,
            provost.rule = Empty,
        );
        if !span.is_disabled()
            && let Some(traces) = traces
        {
            traces.adopt(&span, headers);
        }
        Self { span, traces: traces.cloned() }
    }
}

impl fmt::Debug for RequestSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.span.fmt(f)
    }
}

/// Notes in the span what became of the request. `code` is the canonical one.
pub(super) fn finish(request: &RequestSpan, record: &Record, code: Option<&'static str>, status: Option<u16>) {
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
