//! One request: named, bounded in size and time, isolated, answered, logged.

use std::{any::Any, net::IpAddr, panic::AssertUnwindSafe, time::Duration};

use domain::{Error, Kind, Rule};
use futures::FutureExt as _;
use http::{
    HeaderMap, HeaderValue, Request, Response, StatusCode,
    header::{CONTENT_LENGTH, USER_AGENT, X_CONTENT_TYPE_OPTIONS},
};
use hyper::body::Incoming;
use tracing::Instrument as _;

use super::{Door, Shared, connection::Connection, streams, unreadable};
use crate::{
    activity::UnderWay,
    body::Body,
    gate::Origin,
    grpc, json,
    metrics::Transport,
    observe::{self, Record, RequestSpan},
    status::Refusal,
};

impl Shared {
    /// Answers a request. A panic is an internal error of this request alone.
    ///
    /// # Errors
    /// The reset of its stream, or the end of an HTTP/1.1 connection, when its address reads too few of the answers that refuse.
    pub(super) async fn respond(
        &self,
        request: Box<Request<Incoming>>,
        connection: &Connection,
        under_way: UnderWay,
    ) -> Result<Response<Body>, h2::Error> {
        let door = &connection.door;
        let origin = self.origin(request.headers(), connection.peer);
        let (verb, path) = (request.method().clone(), request.uri().path());
        let (meter, span) = match door {
            Door::Api => (
                Some(&connection.meter),
                RequestSpan::new(&observe::known(verb.clone()), request.headers(), self.traces.as_ref()),
            ),
            Door::Operations(_) => (None, RequestSpan::none()),
        };
        let within = span.span.clone();
        let load = connection.load(origin.peer);
        streams::watch(&load);
        let (id, user_agent) = (origin.request_id.clone(), origin.user_agent.clone());
        let mut record = Record::new(id, verb, path, origin.peer, user_agent, meter, span, load);
        let is_head = request.method() == http::Method::HEAD;
        let is_grpc = matches!(door, Door::Api) && grpc::is_grpc(&request);
        if is_grpc {
            record.transport = Transport::Grpc;
        }
        let limit = self.time_limit(&request, is_grpc);
        let head = self.check_head(&request);
        let dispatched = AssertUnwindSafe(async {
            match (head, door) {
                (Err(refusal), _) => self.refuse(refusal, &mut record),
                (Ok(head), Door::Api) => self.dispatch(request, head, &origin, limit, &mut record).await,
                (Ok(_), Door::Operations(scrape)) => self.operate(&request, &**scrape, &mut record).await,
            }
        })
        .catch_unwind()
        .instrument(within)
        .await;
        let mut response = dispatched
            .unwrap_or_else(|panic| self.refuse(Error::internal(format!("panic: {}", panic_text(&*panic))), &mut record));
        if matches!(door, Door::Api) && !record.load.may_answer() {
            return Err(h2::Reason::REFUSED_STREAM.into());
        }
        if record.outcome.is_some_and(|(_, rule)| leaves_a_body(rule)) {
            under_way.linger();
        }
        if is_head {
            without_body(&mut response);
        }
        let headers = response.headers_mut();
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if let Ok(id) = HeaderValue::from_str(&origin.request_id) {
            headers.insert(observe::REQUEST_ID, id);
        }
        let status = response.status().as_u16();
        Ok(response.map(|body| body.ending(record, status, under_way)))
    }

    /// The answer for an error, in the form of the record's transport. The one place where failures are logged.
    pub(crate) fn refuse(&self, refusal: impl Into<Refusal>, record: &mut Record) -> Response<Body> {
        let refusal = refusal.into();
        record.failed(&refusal.error);
        observe::log_failure(&refusal.error, &record.request_id, record.method.map(|method| method.path));
        match record.transport {
            Transport::Grpc => grpc::error(&refusal.error, &self.settings.error_domain),
            Transport::Json | Transport::Http => json::error(&refusal, &self.settings.error_domain),
        }
    }

    fn origin(&self, headers: &HeaderMap, peer: IpAddr) -> Origin {
        Origin {
            request_id: observe::request_id(headers, &*self.gate.entropy),
            peer: self.settings.trusted_proxies.client(peer, headers),
            user_agent: headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).map(observe::agent),
        }
    }

    /// How many bytes the head has.
    fn check_head(&self, request: &Request<Incoming>) -> Result<usize, Refusal> {
        let limits = &self.settings.limits;
        let url = request.uri().path_and_query().map_or(0, |url| url.as_str().len());
        if url > limits.url_bytes {
            return Err(Refusal { error: unreadable::url_too_long(limits.url_bytes), status: StatusCode::URI_TOO_LONG });
        }
        // As HTTP/1.1 writes them: `name: value` and a line end.
        let headers: usize = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
        if headers > limits.header_bytes {
            let error = unreadable::headers_too_large(limits.header_bytes);
            return Err(Refusal { error, status: StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE });
        }
        Ok(url + headers)
    }

    /// How long a request of the contract may take: the server's limit, or less when a gRPC client wants less.
    fn time_limit(&self, request: &Request<Incoming>, is_grpc: bool) -> Duration {
        let limit = self.settings.limits.request_timeout;
        let wish = if is_grpc { grpc::timeout(request.headers()) } else { None };
        wish.map_or(limit, |wish| wish.min(limit))
    }
}

/// The error for a request that took longer than `limit`.
pub(super) fn too_slow(limit: Duration) -> Error {
    let message = format!("the request took longer than {} ms", limit.as_millis());
    Error::new(Kind::DeadlineExceeded, Rule::Timeout, message)
}

/// Whether a refusal by this rule may come before its request's body has been read.
fn leaves_a_body(rule: Rule) -> bool {
    matches!(rule, Rule::TooLarge | Rule::MemoryShare | Rule::TooManyRequests | Rule::BodyTooSlow)
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a message").to_owned()
}

/// RFC 9110 section 9.3.2: the headers of GET, without its body.
fn without_body(response: &mut Response<Body>) {
    // Where it is said already, the body may be gone.
    if !response.headers().contains_key(CONTENT_LENGTH)
        && let Some(length) = http_body::Body::size_hint(response.body()).exact()
    {
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    *response.body_mut() = Body::whole("");
}
