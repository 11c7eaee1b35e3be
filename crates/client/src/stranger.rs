//! What answers where a server should: some other server, or a proxy that does not reach it.

use std::fmt;

use http::{HeaderMap, Response, StatusCode, header};

/// An answer that no server of ours gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stranger {
    status: StatusCode,
    /// What it says about itself, in parentheses; empty when it says nothing.
    about: String,
}

impl Stranger {
    /// How much of a header is told.
    const EXCERPT: usize = 80;

    /// The answer to a gRPC call, if it is none of a gRPC server. That a head is too long is said beneath gRPC by every server.
    pub(crate) fn to_call<T>(response: &Response<T>) -> Option<Self> {
        let is_grpc =
            response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"));
        let is_of_any = response.status() == StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        (!is_grpc && !is_of_any).then(|| Self::of(response.status(), response.headers()))
    }

    /// The answer with this status and these headers.
    pub(crate) fn of(status: StatusCode, headers: &HeaderMap) -> Self {
        let text = |name, before: &str| {
            let value = headers.get(name)?.to_str().ok()?.split(';').next()?;
            Some(format!("{before}{}", value.trim().chars().take(Self::EXCERPT).collect::<String>()))
        };
        let parts = [text(header::CONTENT_TYPE, ""), text(header::SERVER, "from "), text(header::LOCATION, "to ")];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        Self { status, about: if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) } }
    }

    /// Whether it is a proxy that does not reach what it stands for.
    pub(crate) fn is_proxy(&self) -> bool {
        matches!(self.status, StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT)
    }
}

impl fmt::Display for Stranger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.status, self.about)
    }
}

impl std::error::Error for Stranger {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_tell_about_themselves() {
        let told = |status: u16, headers: &[(&'static str, &'static str)]| {
            let mut response = Response::builder().status(status);
            for (name, value) in headers {
                response = response.header(*name, *value);
            }
            Stranger::to_call(&response.body(()).expect("a response")).map(|stranger| (stranger.to_string(), stranger.is_proxy()))
        };
        let html = [("content-type", "text/html; charset=utf-8"), ("server", "nginx/1.26")];
        assert_eq!(told(502, &html), Some(("502 Bad Gateway (text/html, from nginx/1.26)".into(), true)));
        assert_eq!(told(404, &[]), Some(("404 Not Found".into(), false)));
        assert_eq!(told(301, &[("location", "https://x/")]), Some(("301 Moved Permanently (to https://x/)".into(), false)));
        assert_eq!(told(200, &[("content-type", "application/grpc+proto")]), None);
        assert_eq!(told(431, &[]), None);
    }
}
