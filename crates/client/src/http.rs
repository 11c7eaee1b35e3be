//! Plain JSON over HTTP: for what gRPC cannot show, and for the paths that are no RPC.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use serde_json::Value;

use crate::{
    USER_AGENT,
    error::{Error, innermost},
    stranger::Stranger,
    token::Token,
};

/// A connection pool for one server. Clones share it.
#[derive(Clone, Debug)]
pub struct Http {
    base: String,
    token: Option<Token>,
    inner: reqwest::Client,
}

/// What to send. Built with the methods named after the parts.
#[derive(Clone, Debug)]
pub struct Request {
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Bytes>,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as it arrived.
    pub bytes: Bytes,
}

impl Request {
    /// A request for `path`, which begins with a slash and may carry a query.
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), headers: Vec::new(), body: None }
    }

    /// A GET.
    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// A POST with a JSON body.
    pub fn post(path: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::POST, path).json(body)
    }

    /// A PATCH with a JSON body.
    pub fn patch(path: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::PATCH, path).json(body)
    }

    /// A DELETE.
    pub fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets a JSON body.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.bytes(body.to_string()).header("content-type", "application/json")
    }

    /// Sets the body to these bytes and no content type.
    #[must_use]
    pub fn bytes(mut self, body: impl Into<Bytes>) -> Self {
        self.body = Some(body.into());
        self
    }
}

impl Answer {
    /// The body as JSON; [`Value::Null`] when it is not JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or(Value::Null)
    }

    /// The body as text; bytes that are no UTF-8 are replaced.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// A header's first value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl Http {
    /// A client for the server at `base`, such as `http://127.0.0.1:8080`. Nothing is sent yet.
    ///
    /// # Errors
    /// When TLS cannot be set up on this system.
    pub fn new(base: &str, token: Option<Token>) -> Result<Self, Error> {
        let inner = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .connect_timeout(Duration::from_secs(5))
            .timeout(Duration::from_mins(1))
            // gRPC knows no proxies either, and the paths asked here are this machine's or a test's.
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| Error::usage(format!("HTTP cannot be set up: {error}")))?;
        Ok(Self { base: base.trim_end_matches('/').to_owned(), token, inner })
    }

    /// The same pool with another token, or none.
    #[must_use]
    pub fn with_token(&self, token: Option<Token>) -> Self {
        Self { token, ..self.clone() }
    }

    /// Sends `request` and reads the whole answer. Redirects are not followed and no status is an error.
    ///
    /// # Errors
    /// When the request cannot be written or nothing answers.
    pub async fn send(&self, request: Request) -> Result<Answer, Error> {
        let url = format!("{}{}", self.base, request.path);
        let mut outgoing = self.inner.request(request.method, &url);
        if let Some(token) = &self.token {
            outgoing = outgoing.bearer_auth(token.expose());
        }
        for (name, value) in &request.headers {
            let name = HeaderName::try_from(name.as_str())
                .map_err(|_| Error::usage(format!("{name:?} cannot be the name of a header")))?;
            let value = HeaderValue::try_from(value.as_str())
                .map_err(|_| Error::usage(format!("the value of {name} has characters that a header cannot carry")))?;
            outgoing = outgoing.header(name, value);
        }
        if let Some(body) = request.body {
            outgoing = outgoing.body(body);
        }
        let response = outgoing.send().await.map_err(|error| self.failed(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.bytes().await.map_err(|error| self.failed(&error))?;
        Ok(Answer { status, headers, bytes })
    }

    /// Checks that a server of ours gave `answer` to what it answers in JSON.
    ///
    /// # Errors
    /// Who answered instead.
    pub fn check(&self, answer: &Answer) -> Result<(), Error> {
        let is_json = answer.header("content-type").is_some_and(|kind| kind.starts_with("application/json"));
        if is_json { Ok(()) } else { Err(Error::stranger(&self.base, &Stranger::of(answer.status, &answer.headers))) }
    }

    fn failed(&self, error: &reqwest::Error) -> Error {
        if error.is_builder() {
            Error::usage(format!("{:?} is not the URL of a server", self.base))
        } else if error.is_connect() {
            Error::no_server(&self.base, error)
        } else if error.is_timeout() {
            Error::silent(&self.base)
        } else {
            Error::lost(&self.base, &innermost(error))
        }
    }
}
