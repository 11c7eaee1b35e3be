//! JSON answers.

use bytes::Bytes;
use http::{
    HeaderValue, Response,
    header::{CACHE_CONTROL, CONTENT_TYPE, ETAG},
};

use crate::{
    body::Body,
    status::{self, Refusal},
};

/// A successful answer. It is meant for this caller now: no cache may keep it.
pub(crate) fn answer(json: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Body::whole(json));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A successful answer that shows one version of a resource.
pub(super) fn with_etag(json: String, etag: Option<String>) -> Response<Body> {
    let mut response = answer(json);
    if let Some(etag) = etag.and_then(|etag| HeaderValue::try_from(etag).ok()) {
        response.headers_mut().insert(ETAG, etag);
    }
    response
}

/// The answer for an error: `{"code","message","details"}` (google.rpc.Status).
pub(crate) fn error(refusal: &Refusal, error_domain: &str) -> Response<Body> {
    let mut response = answer(status::body(&refusal.error, error_domain));
    *response.status_mut() = refusal.status;
    status::answer_headers(&refusal.error, response.headers_mut());
    response
}
