//! Traces for OpenTelemetry, sent as OTLP over HTTP (feature `otel`). The standard variables `OTEL_…` steer them; the SDK
//! reads those itself.
//!
//! What becomes a span are the `tracing` spans of target [`TARGET`] and nothing else: no event of the log is sent.

use std::time::Duration;

use async_trait::async_trait;
use http::HeaderMap;
use opentelemetry::{
    Context, KeyValue,
    propagation::TextMapPropagator,
    trace::{TraceContextExt, TracerProvider},
};
use opentelemetry_http::{Bytes, HeaderExtractor, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    resource::EnvResourceDetector,
    trace::{SdkTracer, SdkTracerProvider},
};
use tokio::runtime::Handle;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::{OpenTelemetryLayer, OpenTelemetrySpanExt};
use tracing_subscriber::{Layer, filter::filter_fn, registry::LookupSpan};

use super::StartError;
use crate::env;

/// The target of the spans that are sent.
const TARGET: &str = "otel";
/// How long one delivery may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The traces of this process.
#[derive(Clone, Debug)]
pub(super) struct Traces(SdkTracerProvider);

impl Traces {
    /// Starts sending, if the variables name a receiver. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// When a variable cannot be used.
    pub(super) fn start() -> Result<Option<Self>, StartError> {
        if !env::sends_traces() {
            return Ok(None);
        }
        let failed = |error: &(dyn std::error::Error + 'static)| StartError::while_doing("cannot send traces", error);
        let client = reqwest::Client::builder().timeout(TIMEOUT).build().map_err(|error| failed(&error))?;
        let sender = Sender { client, runtime: Handle::current() };
        let exporter = SpanExporter::builder().with_http().with_http_client(sender).build().map_err(|error| failed(&error))?;
        let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource()).build();
        Ok(Some(Self(provider)))
    }

    /// Turns spans into what is sent.
    pub(super) fn layer<S>(&self) -> Box<dyn Layer<S> + Send + Sync>
    where
        S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    {
        let layer: OpenTelemetryLayer<S, SdkTracer> = tracing_opentelemetry::layer().with_tracer(self.0.tracer("provost"));
        let layer = layer.with_location(false).with_threads(false).with_tracked_inactivity(false).with_target(false);
        layer.with_filter(filter_fn(|metadata| metadata.is_span() && metadata.target() == TARGET)).boxed()
    }

    /// Sends what is waiting. Blocks for as long as that takes.
    pub(super) fn stop(&self) {
        if let Err(error) = self.0.shutdown_with_timeout(TIMEOUT) {
            tracing::warn!(%error, "the last traces could not be sent");
        }
    }
}

/// What all spans say about this program; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` come first.
fn resource() -> Resource {
    let own = [KeyValue::new("service.name", "provost"), KeyValue::new("service.version", env!("CARGO_PKG_VERSION"))];
    let resource = Resource::builder_empty().with_attributes(own).with_detector(Box::new(EnvResourceDetector::new()));
    match env::service_name() {
        Some(name) => resource.with_service_name(name),
        None => resource,
    }
    .build()
}

/// Takes the caller's `traceparent` (W3C Trace Context) over as the parent of its request. A caller that does not sample its
/// trace is followed in that, unless `OTEL_TRACES_SAMPLER` says otherwise.
#[derive(Debug, Default)]
pub(super) struct Callers(TraceContextPropagator);

impl gateway::Traces for Callers {
    fn adopt(&self, span: &Span, headers: &HeaderMap) {
        let caller = self.0.extract_with_context(&Context::new(), &HeaderExtractor(headers));
        if caller.span().span_context().is_valid() {
            // Fails where the span is not sent, which is no harm.
            _ = span.set_parent(caller);
        }
    }

    fn rename(&self, span: &Span, name: String) {
        span.context().span().update_name(name);
    }
}

/// Delivers on the server's runtime: the SDK calls it from a thread of its own.
#[derive(Debug)]
struct Sender {
    client: reqwest::Client,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let delivered = self.runtime.spawn(async move {
            let answer = client.execute(request.try_into()?).await?;
            let mut response = Response::builder().status(answer.status());
            if let Some(headers) = response.headers_mut() {
                headers.clone_from(answer.headers());
            }
            Ok::<_, HttpError>(response.body(answer.bytes().await?)?)
        });
        delivered.await?
    }
}
