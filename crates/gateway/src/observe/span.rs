//! One span per request, for whoever follows requests across programs. Its fields are attributes of OpenTelemetry's semantic
//! conventions for servers of HTTP and RPC, version 1.37, and a few of our own.

use std::{fmt, sync::Arc};

use http::{HeaderMap, Method};
use tracing::{Span, field::Empty};

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
    pub(super) traces: Option<Arc<dyn Traces>>,
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
