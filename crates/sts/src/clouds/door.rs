//! Requests to clouds.

use std::sync::Arc;

use domain::Secret;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{
    Method, Request, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue},
};
use url::form_urlencoded::Serializer;

use super::Failure;
use crate::{
    Settings,
    issuers::{FetchError, GuardedClient, Resolver},
};

/// Largest answer that is read, in bytes: tokens of clouds have some thousand.
const MAX_ANSWER: usize = 64 * 1024;
/// What stands for itself in URLs (RFC 3986 section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// How clouds are asked: through the guard, at the places that the operator has set.
#[derive(Debug)]
pub(super) struct Door(GuardedClient);

/// What a request brings.
pub(super) enum Body<'a> {
    /// A form (RFC 6749 appendix B).
    Form(&'a [(&'a str, &'a str)]),
    /// JSON, in the name of whom the token is.
    Json(&'a str, &'a Secret<String>),
}

/// What a cloud answers. The body may hold credentials.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Secret<Vec<u8>>,
}

impl Door {
    pub(super) fn new(settings: &Settings, resolver: Arc<dyn Resolver>) -> Self {
        Self(GuardedClient::new(settings, resolver))
    }

    /// What `what` answers at `url` to a `POST`.
    pub(super) async fn post(
        &self,
        what: &'static str,
        url: &str,
        accept: &'static str,
        body: Body<'_>,
    ) -> Result<Answer, FetchError> {
        let mut request = Request::new(Method::POST, self.0.admit(what, url)?);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        let text = match body {
            Body::Form(fields) => {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
                Serializer::new(String::new()).extend_pairs(fields).finish()
            }
            Body::Json(text, token) => {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                let unfit = |_| FetchError::Refused(format!("{what} was to be shown a token that cannot be sent"));
                let mut bearer = HeaderValue::from_str(&format!("Bearer {}", token.expose())).map_err(unfit)?;
                bearer.set_sensitive(true);
                headers.insert(AUTHORIZATION, bearer);
                text.to_owned()
            }
        };
        *request.body_mut() = Some(text.into());
        let answer = self.0.send(what, request, MAX_ANSWER).await?;
        Ok(Answer { status: answer.status, body: Secret::new(answer.body) })
    }
}

/// The text as one segment of a path, whatever it holds.
///
/// # Errors
/// For dots that would lead elsewhere however they are written (WHATWG URL, "double-dot URL path segment"); `field` names them.
pub(super) fn segment(field: &str, text: &str) -> Result<String, Failure> {
    if matches!(text, "" | "." | "..") {
        return Err(Failure::Unfit(format!("`{field}` is {text:?}, which names nothing at the provider; correct it")));
    }
    Ok(utf8_percent_encode(text, RESERVED).to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::*;

    proptest! {
        #[test]
        fn a_segment_is_one_and_leads_nowhere_else(text in "(?s).{0,60}|[./\\\\%?#@:]{0,6}") {
            let written = segment("tenant_id", &text);
            prop_assert_eq!(written.is_err(), text.is_empty() || text == "." || text == "..");
            if let Ok(written) = written {
                let url = Url::parse(&format!("https://cloud.example/{written}/token")).expect("a URL");
                prop_assert_eq!(url.origin().ascii_serialization(), "https://cloud.example");
                prop_assert_eq!((url.query(), url.fragment()), (None, None));
                let segments: Vec<_> = url.path_segments().expect("a path").collect();
                prop_assert_eq!(segments.len(), 2);
                prop_assert_eq!(segments[1], "token");
                let read = percent_encoding::percent_decode_str(segments[0]).decode_utf8().expect("UTF-8");
                prop_assert_eq!(read.as_ref(), &text);
            }
        }
    }
}
