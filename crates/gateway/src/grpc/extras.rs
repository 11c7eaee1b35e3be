//! The services beside the contract's: reflection, in both versions that clients ask for, and health.

use std::sync::Arc;

use futures::future::BoxFuture;
use http::{Request, Response};
use tonic::{body::Body, codec::CompressionEncoding::Gzip};
use tonic_health::pb::health_server::HealthServer;
use tonic_reflection::pb::v1::server_reflection_server::ServerReflectionServer;
use tower_service::Service as Tower;

use super::{health::HealthService, reflection::ReflectionService};
use crate::{StartError, meta::Readiness};

/// Largest message that these services read: a question with a name in it.
pub(super) const QUESTION: usize = 64 << 10;

const V1: &str = "/grpc.reflection.v1.ServerReflection/";
const V1ALPHA: &str = "/grpc.reflection.v1alpha.ServerReflection/";

/// A service that answers by itself.
type Service = Box<dyn Fn(Request<Body>) -> BoxFuture<'static, Response<Body>> + Send + Sync>;

/// A service beside the contract's.
pub(super) struct Extra {
    /// How its paths begin.
    prefix: &'static str,
    /// Whether a request is one question, and not a conversation that lasts as long as the client likes.
    pub(super) asks_once: bool,
    service: Service,
}

/// The services by the beginning of their paths.
pub(crate) struct Extras([Extra; 3]);

impl Extras {
    pub(crate) fn new(readiness: Arc<Readiness>) -> Result<Self, StartError> {
        let reflection = ReflectionService::new().map_err(|error| StartError::Reflection(error.to_string()))?;
        let reflection = ServerReflectionServer::new(reflection).max_decoding_message_size(QUESTION).accept_compressed(Gzip);
        let older = service(reflection.clone());
        let health = HealthServer::new(HealthService::new(readiness)).max_decoding_message_size(QUESTION).accept_compressed(Gzip);
        Ok(Self([
            Extra { prefix: V1, asks_once: false, service: service(reflection) },
            Extra { prefix: V1ALPHA, asks_once: false, service: Box::new(move |request| older(as_v1(request))) },
            Extra { prefix: "/grpc.health.v1.Health/", asks_once: true, service: service(health) },
        ]))
    }

    pub(super) fn find(&self, path: &str) -> Option<&Extra> {
        self.0.iter().find(|extra| path.starts_with(extra.prefix))
    }
}

impl Extra {
    /// Answers a request of the service.
    pub(super) async fn answer(&self, request: Request<Body>) -> Response<Body> {
        (self.service)(request).await
    }
}

/// A request of the older reflection service, for the newer one.
fn as_v1(mut request: Request<Body>) -> Request<Body> {
    let path = request.uri().path().strip_prefix(V1ALPHA).map(|method| format!("{V1}{method}"));
    if let Some(uri) = path.and_then(|path| path.parse().ok()) {
        *request.uri_mut() = uri;
    }
    request
}

fn service<S>(service: S) -> Service
where
    S: Tower<Request<Body>, Response = Response<Body>, Error = std::convert::Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
{
    Box::new(move |request| {
        let answer = service.clone().call(request);
        Box::pin(async move {
            match answer.await {
                Ok(response) => response,
                Err(never) => match never {},
            }
        })
    })
}
