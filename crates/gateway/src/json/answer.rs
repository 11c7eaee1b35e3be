//! JSON answers.

use bytes::Bytes;
use http::{
    HeaderName, HeaderValue, Response,
    header::{CACHE_CONTROL, CONTENT_TYPE, ETAG},
};

use crate::{
    body::Body,
    status::{self, Refusal},
};

/// What the caller should know that is no error.
const WARNING: HeaderName = HeaderName::from_static("x-provost-warning");
/// How old what the answer was made from is, in seconds.
const DATA_AGE: HeaderName = HeaderName::from_static("x-provost-data-age");

/// A successful answer. It is meant for this caller now: no cache may keep it.
pub(crate) fn answer(json: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Body::whole(json));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A successful answer with the version of the resource that it shows, and what else its caller should know.
pub(super) fn with_notes(json: String, etag: Option<String>, warning: Option<String>, age: Option<i64>) -> Response<Body> {
    let mut response = answer(json);
    for (name, note) in [(ETAG, etag), (WARNING, warning), (DATA_AGE, age.map(|age| age.to_string()))] {
        if let Some(note) = note.and_then(|note| HeaderValue::try_from(note).ok()) {
            response.headers_mut().insert(name, note);
        }
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
