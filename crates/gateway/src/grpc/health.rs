//! `grpc.health.v1.Health`: tells the truth, by asking the same parts as `/readyz`.

use std::{sync::Arc, time::Duration};

use futures::{StreamExt as _, stream, stream::BoxStream};
use tonic::{Request, Response, Status};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse, health_check_response::ServingStatus, health_server::Health};

use crate::meta::Readiness;

/// How often a watcher's answer is made anew.
const PERIOD: Duration = Duration::from_secs(5);

pub(super) struct HealthService(Arc<Readiness>);

impl HealthService {
    pub(super) fn new(readiness: Arc<Readiness>) -> Self {
        Self(readiness)
    }
}

/// Whether a service of that name is served here; the empty name means the server as a whole.
fn is_known(service: &str) -> bool {
    service.is_empty() || contract::pool().services().any(|known| known.full_name() == service)
}

fn status(serves: bool) -> ServingStatus {
    if serves { ServingStatus::Serving } else { ServingStatus::NotServing }
}

fn answer(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse { status: status.into() }
}

#[tonic::async_trait]
impl Health for HealthService {
    type WatchStream = BoxStream<'static, Result<HealthCheckResponse, Status>>;

    async fn check(&self, request: Request<HealthCheckRequest>) -> Result<Response<HealthCheckResponse>, Status> {
        if !is_known(&request.get_ref().service) {
            return Err(Status::not_found("the server has no such service"));
        }
        Ok(Response::new(answer(status(self.0.recent().await.is_ok()))))
    }

    /// Sends the status at once and whenever it changed, at once also when the server is withdrawn; ends when the server stops.
    async fn watch(&self, request: Request<HealthCheckRequest>) -> Result<Response<Self::WatchStream>, Status> {
        if !is_known(&request.get_ref().service) {
            let unknown = stream::iter([Ok(answer(ServingStatus::ServiceUnknown))]);
            return Ok(Response::new(unknown.chain(stream::pending()).boxed()));
        }
        let changes = stream::unfold((Arc::clone(&self.0), None), |(readiness, told)| async move {
            loop {
                if told.is_some() {
                    tokio::select! {
                        () = tokio::time::sleep(PERIOD) => {}
                        () = readiness.withdrawn(), if told == Some(ServingStatus::Serving) => {}
                        () = readiness.stopped() => return None,
                    }
                }
                let now = status(readiness.recent().await.is_ok());
                if told != Some(now) {
                    return Some((Ok(answer(now)), (readiness, Some(now))));
                }
            }
        });
        Ok(Response::new(changes.boxed()))
    }
}
