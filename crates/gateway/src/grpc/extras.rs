//! The services beside the contract's: reflection, in both versions that clients ask for, and health.

use std::sync::Arc;

use futures::future::BoxFuture;
use http::{Request, Response};
use hyper::body::Incoming;
use tonic::codec::CompressionEncoding::Gzip;
use tonic_health::pb::health_server::HealthServer;
use tonic_reflection::pb::v1::server_reflection_server::ServerReflectionServer;
use tower_service::Service;

use super::{health::HealthService, reflection::ReflectionService};
use crate::{StartError, meta::Readiness};

/// Largest message that these services read: a question with a name in it.
pub(super) const QUESTION: usize = 64 << 10;

const V1: &str = "/grpc.reflection.v1.ServerReflection/";
const V1ALPHA: &str = "/grpc.reflection.v1alpha.ServerReflection/";

/// A service that takes its requests whole.
pub(super) type Extra = Box<dyn Fn(Request<Incoming>) -> BoxFuture<'static, Response<tonic::body::Body>> + Send + Sync>;

/// The services by the beginning of their paths.
pub(crate) struct Extras(Vec<(&'static str, Extra)>);

impl Extras {
    pub(crate) fn new(readiness: Arc<Readiness>) -> Result<Self, StartError> {
        let reflection = ReflectionService::new().map_err(|error| StartError::Reflection(error.to_string()))?;
        let reflection = ServerReflectionServer::new(reflection).max_decoding_message_size(QUESTION).accept_compressed(Gzip);
        let older = extra(reflection.clone());
        Ok(Self(vec![
            (V1, extra(reflection)),
            (V1ALPHA, Box::new(move |request| older(as_v1(request)))),
            (
                "/grpc.health.v1.Health/",
                extra(
                    HealthServer::new(HealthService::new(readiness)).max_decoding_message_size(QUESTION).accept_compressed(Gzip),
                ),
            ),
        ]))
    }

    pub(super) fn find(&self, path: &str) -> Option<&Extra> {
        self.0.iter().find(|(prefix, _)| path.starts_with(prefix)).map(|(_, extra)| extra)
    }
}

/// A request of the older reflection service, for the newer one.
fn as_v1(mut request: Request<Incoming>) -> Request<Incoming> {
    let path = request.uri().path().strip_prefix(V1ALPHA).map(|method| format!("{V1}{method}"));
    if let Some(uri) = path.and_then(|path| path.parse().ok()) {
        *request.uri_mut() = uri;
    }
    request
}

fn extra<S>(service: S) -> Extra
where
    S: Service<Request<Incoming>, Response = Response<tonic::body::Body>, Error = std::convert::Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
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
