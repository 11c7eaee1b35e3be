//! The door for the operators' own tools: `/metrics`, `/livez` and `/readyz`, on a listener of its own.

use async_trait::async_trait;
use http::{HeaderValue, Method, Request, Response, header::CONTENT_TYPE};
use hyper::body::Incoming;

use super::{
    Shared,
    dispatch::{no_such_path, within},
};
use crate::{body::Body, meta, observe::Record};

/// Who writes what `/metrics` answers.
#[async_trait]
pub trait Scrape: Send + Sync {
    /// The present values in the OpenMetrics text format, version 1.0.0.
    async fn scrape(&self) -> String;
}

/// The media type of OpenMetrics text.
const OPEN_METRICS: HeaderValue = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

impl Shared {
    pub(super) async fn operate(&self, request: &Request<Incoming>, scrape: &dyn Scrape, record: &mut Record) -> Response<Body> {
        let path = request.uri().path();
        let probe = meta::Route::of(path).filter(|route| *route != meta::Route::OpenApi);
        if path != "/metrics" && probe.is_none() {
            return self.refuse(no_such_path(path), record);
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return self.other_verb(request.method(), &[contract::Verb::Get], record);
        }
        match probe {
            Some(route) => self.itself(route, record).await,
            None => match within(self.settings.limits.request_timeout, record.started, scrape.scrape()).await {
                Ok(text) => {
                    let mut response = Response::new(Body::whole(text));
                    response.headers_mut().insert(CONTENT_TYPE, OPEN_METRICS);
                    response
                }
                Err(error) => self.refuse(error, record),
            },
        }
    }
}
