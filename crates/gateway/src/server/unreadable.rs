//! Requests that are no HTTP, or whose head is larger than anything the server reads.

use std::{net::IpAddr, sync::Arc};

use bytes::Bytes;
use domain::{Error, Rule};
use http::{HeaderMap, Method, StatusCode};

use super::Shared;
use crate::{
    budget::Load,
    metrics::Meter,
    observe::{self, Record, RequestSpan},
    status,
};

/// The whole HTTP/1.1 answer, with the standard error body; `status` is what hyper found.
pub(super) fn answer(shared: &Shared, peer: IpAddr, meter: &Meter, load: Arc<Load>, status: u16) -> Bytes {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    let limits = &shared.settings.limits;
    let error = match status {
        StatusCode::URI_TOO_LONG => url_too_long(limits.url_bytes),
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => headers_too_large(limits.header_bytes),
        _ => Error::invalid(Rule::Malformed, "the request is not HTTP/1.1 or HTTP/2"),
    };
    let request_id = observe::request_id(&HeaderMap::new(), &*shared.gate.entropy);
    let body = status::body(&error, &shared.settings.error_domain);
    let text = format!(
        "HTTP/1.1 {} {}\r\ncontent-type: application/json\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\n\
         x-request-id: {request_id}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        status.as_u16(),
        status.canonical_reason().unwrap_or("Error"),
        body.len(),
    );
    let unknown = Method::from_bytes(b"-").unwrap_or(Method::GET);
    let mut record = Record::new(request_id, unknown, "-", peer, None, Some(meter), RequestSpan::none(), load);
    record.failed(&error);
    record.end(status.as_u16(), body.len() as u64);
    text.into()
}

/// The error for a path and query above the limit.
pub(super) fn url_too_long(limit: usize) -> Error {
    Error::invalid(Rule::TooLarge, format!("path and query are longer than {limit} bytes; use the body or fewer filters"))
}

/// The error for a header block above the limit.
pub(super) fn headers_too_large(limit: usize) -> Error {
    Error::invalid(Rule::TooLarge, format!("the headers are larger than {limit} bytes"))
}
