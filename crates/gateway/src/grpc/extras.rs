//! The services beside the contract's: reflection, in both versions that clients ask for, and health.

use std::sync::Arc;

use futures::future::BoxFuture;
use http::{Request, Response};
use hyper::body::Incoming;
use tonic_health::pb::health_server::HealthServer;
use tower_service::Service;

use super::health::HealthService;
use crate::{StartError, meta::Readiness};

/// Largest message that these services read: a question with a name in it.
const QUESTION: usize = 64 << 10;

/// A service that takes its requests whole.
pub(super) type Extra = Box<dyn Fn(Request<Incoming>) -> BoxFuture<'static, Response<tonic::body::Body>> + Send + Sync>;

/// The services by the beginning of their paths.
pub(crate) struct Extras(Vec<(&'static str, Extra)>);

impl Extras {
    pub(crate) fn new(readiness: Arc<Readiness>) -> Result<Self, StartError> {
        let refuse = |error: tonic_reflection::server::Error| StartError::Reflection(error.to_string());
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(contract::descriptors())
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
        Ok(Self(vec![
            (
                "/grpc.reflection.v1.ServerReflection/",
                extra(reflection().build_v1().map_err(refuse)?.max_decoding_message_size(QUESTION)),
            ),
            (
                "/grpc.reflection.v1alpha.ServerReflection/",
                extra(reflection().build_v1alpha().map_err(refuse)?.max_decoding_message_size(QUESTION)),
            ),
            (
                "/grpc.health.v1.Health/",
                extra(HealthServer::new(HealthService::new(readiness)).max_decoding_message_size(QUESTION)),
            ),
        ]))
    }

    pub(super) fn find(&self, path: &str) -> Option<&Extra> {
        self.0.iter().find(|(prefix, _)| path.starts_with(prefix)).map(|(_, extra)| extra)
    }
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
