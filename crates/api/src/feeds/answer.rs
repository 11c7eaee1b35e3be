//! Answers of feeds, and what their callers send along.

use std::sync::Arc;

use axum::{
    body::{Body, Bytes},
    http::{
        HeaderMap, HeaderName, HeaderValue, Response, StatusCode,
        header::{
            ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH,
            LAST_MODIFIED, VARY,
        },
    },
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use domain::{Error, Rule, Secret, Timestamp, ports::Failed, revision::Etag};
use futures::stream::try_unfold;
use jiff::fmt::rfc2822;
use services::vulnerabilities::feeds::{Content, File, Has};

/// Bytes of an answer that are read at once. More than one part of the gateway's, so that a reader who stops is noticed.
const CHUNK: usize = 128 << 10;
/// Whoever has an answer asks whether it still holds.
const CACHED: HeaderValue = HeaderValue::from_static("private, no-cache");

/// What the caller should know that is no error.
const WARNING: HeaderName = HeaderName::from_static("x-provost-warning");

/// The answer for an error, which the gateway writes.
pub(super) fn failed(error: Error) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    response.extensions_mut().insert(Failed(Arc::new(error)));
    response
}

/// The answer for a path that is not there.
pub(super) fn nothing() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// The answer for a path that is there, but not with this verb.
pub(super) fn other_verb(allowed: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// An answer in JSON.
pub(super) fn json(text: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Body::from(text.into()));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A file of a feed, or that the caller has it.
///
/// # Errors
/// Internal when a header cannot be written.
pub(super) fn file(name: &str, file: File) -> Result<Response<Body>, Error> {
    let File { etag, changed_at, content, is_unfounded } = file;
    let mut headers = HeaderMap::new();
    let mut put = |name: HeaderName, value: String| {
        HeaderValue::try_from(value).map(|value| headers.insert(name, value)).map(drop).map_err(Error::internal)
    };
    put(ETAG, etag.0)?;
    if let Some(at) = changed_at.and_then(date) {
        put(LAST_MODIFIED, at)?;
    }
    if is_unfounded {
        put(WARNING, "this organization has never had an advisory; import or create some".to_owned())?;
    }
    if let Some(content) = &content {
        put(CONTENT_LENGTH, content.len().to_string())?;
        put(CONTENT_TYPE, kind(name).to_owned())?;
    }
    headers.insert(CACHE_CONTROL, CACHED);
    headers.insert(VARY, HeaderValue::from_static("authorization"));
    let status = if content.is_some() { StatusCode::OK } else { StatusCode::NOT_MODIFIED };
    let mut response = Response::new(content.map_or_else(Body::empty, body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "zip")) => "application/zip",
        Some((_, "json")) => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}

/// The bytes as they are read. Its size stands in a header: what is not read yet takes no memory.
fn body(content: Content) -> Body {
    let parts = try_unfold(0_u64, move |at| {
        let content = content.clone();
        async move {
            let part = content.read(at, CHUNK).await?;
            let end = at + part.len() as u64;
            Ok::<_, Error>((!part.is_empty()).then(|| (Bytes::from(part), end)))
        }
    });
    Body::from_stream(parts)
}

/// What the caller has already.
pub(super) fn has(headers: &HeaderMap) -> Has {
    let text = |name: HeaderName| {
        let values: Option<Vec<&str>> = headers.get_all(name).iter().map(|value| value.to_str().ok()).collect();
        values.filter(|values| !values.is_empty()).map(|values| values.join(", "))
    };
    let since = text(IF_MODIFIED_SINCE).and_then(|text| rfc2822::parse(&text).ok());
    Has { etag: text(IF_NONE_MATCH).map(Etag), changed_at: since.map(|at| Timestamp(at.timestamp().as_millisecond())) }
}

/// The moment as headers write it (RFC 9110 section 5.6.7).
fn date(at: Timestamp) -> Option<String> {
    let at = jiff::Timestamp::from_millisecond(at.0).ok()?;
    rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&at).ok()
}

/// The token of a request: as a bearer (RFC 6750 section 2.1), or as the password of Basic (RFC 7617), which is all that some scanners
/// can send.
///
/// # Errors
/// Unauthenticated when there is none.
pub(super) fn token(headers: &HeaderMap) -> Result<Secret<String>, Error> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        let message = "this feed is not public: send a token, as `authorization: Bearer <token>` or as the password of Basic";
        return Err(Error::unauthenticated(Rule::TokenMissing, message));
    };
    let malformed = || {
        let message = "the authorization header is neither `Bearer <token>` nor Basic with a token as the password";
        Error::unauthenticated(Rule::TokenInvalid, message)
    };
    if values.next().is_some() {
        return Err(Error::unauthenticated(Rule::TokenInvalid, "there is more than one authorization header"));
    }
    let (scheme, value) = value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(malformed)?;
    let value = value.trim_matches(' ');
    let token = if scheme.eq_ignore_ascii_case("bearer") {
        value.to_owned()
    } else if scheme.eq_ignore_ascii_case("basic") {
        let pair = BASE64_STANDARD.decode(value).ok().and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(malformed)?;
        pair.split_once(':').map(|(_, password)| password.to_owned()).ok_or_else(malformed)?
    } else {
        return Err(malformed());
    };
    if token.is_empty() { Err(malformed()) } else { Ok(Secret::new(token)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Option<String> {
        let headers = [(AUTHORIZATION, value.parse().unwrap())].into_iter().collect();
        token(&headers).ok().map(|token| token.expose().to_owned())
    }

    #[test]
    fn tokens_come_as_bearer_or_password() {
        let some = Some("a.b".to_owned());
        let basic = |pair: &str| format!("basic {}", BASE64_STANDARD.encode(pair));
        assert_eq!(
            [read("Bearer a.b"), read("bearer  a.b"), read(&basic("any:a.b")), read(&basic(":a.b"))],
            [const { None }; 4].map(|_: Option<()>| some.clone())
        );
        for bad in ["a.b", "Bearer ", "Basic %", &basic("a"), &basic("a:"), "Digest a"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn dates_are_written_as_headers_want_them() {
        assert_eq!(date(Timestamp(784_111_777_000)).as_deref(), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
        let headers = [(IF_MODIFIED_SINCE, "Sun, 06 Nov 1994 08:49:37 GMT".parse().unwrap())].into_iter().collect();
        assert_eq!(has(&headers).changed_at, Some(Timestamp(784_111_777_000)));
    }
}
