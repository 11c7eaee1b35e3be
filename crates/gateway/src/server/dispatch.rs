//! Who answers a request: gRPC, the server's own routes, the contract's HTTP rules, or everything else.

use std::{
    future::Future,
    pin::pin,
    sync::{Arc, PoisonError},
    task::Poll,
    time::{Duration, Instant},
};

use contract::Verb;
use domain::{
    Error, Kind, Rule,
    ports::{Answered, Failed},
    text::excerpt,
};
use futures::poll;
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ALLOW, AUTHORIZATION},
};
use http_body::Body as _;
use hyper::body::Incoming;
use tokio::time::timeout;
use tower_service::Service as _;

use super::{Shared, respond::too_slow};
use crate::{
    body::{Body, Counted, Failure},
    gate::Origin,
    grpc, json, meta,
    metrics::Transport,
    observe::Record,
    router::Found,
};

/// What is counted for an answer that is made as it is sent, beyond its parts.
const STREAMED: usize = 256 << 10;

impl Shared {
    pub(super) async fn dispatch(
        &self,
        request: Box<Request<Incoming>>,
        head: usize,
        origin: &Origin,
        limit: Duration,
        record: &mut Record,
    ) -> Response<Body> {
        let path = contract::canonical_path(request.uri().path()).into_owned();
        let is_grpc = record.transport == Transport::Grpc;
        let route = if is_grpc { None } else { meta::Route::of(&path) };
        let begun = match route {
            Some(meta::Route::Live | meta::Route::Ready) => record.load.begin_health(false),
            None if is_grpc && grpc::is_health_check(&path) => record.load.begin_health(true),
            _ => record.load.begin(head),
        };
        if let Err(error) = begun {
            return self.refuse(error, record);
        }
        // Boxed, as what follows: a request takes the room of what it turns out to be.
        if is_grpc {
            let started = record.started;
            let answer = Box::pin(grpc::serve(&self.port, &self.extras, request, origin, record));
            return match within(limit, started, answer).await {
                Ok(Ok(response)) => response,
                Ok(Err(error)) | Err(error) => self.refuse(error, record),
            };
        }
        if let Some(route) = route {
            return match *request.method() {
                Method::GET | Method::HEAD => self.itself(route, record).await,
                _ => self.other_verb(request.method(), &[Verb::Get], record),
            };
        }
        let found = match self.routes.find(verb(request.method()), &path) {
            Ok(found) => found,
            Err(error) => return self.refuse(error, record),
        };
        match found {
            Found::Route { target, captures } => {
                record.transport = Transport::Json;
                let answered =
                    within(limit, record.started, Box::pin(json::serve(&self.port, target, captures, request, origin, record)))
                        .await;
                match answered {
                    Ok(Ok(response)) => response,
                    Ok(Err(error)) | Err(error) => self.refuse(error, record),
                }
            }
            Found::OtherVerbs(verbs) => self.other_verb(request.method(), &verbs, record),
            Found::Nothing => Box::pin(self.fall_back(request, record)).await,
        }
    }

    /// The server about itself.
    pub(super) async fn itself(&self, route: meta::Route, record: &mut Record) -> Response<Body> {
        match Box::pin(meta::serve(&self.readiness, route)).await {
            Ok(response) => response,
            Err(error) => self.refuse(error, record),
        }
    }

    /// The answer for a path that is there, but not with this verb (RFC 9110 section 15.5.6), and for OPTIONS.
    pub(super) fn other_verb(&self, verb: &Method, verbs: &[Verb], record: &mut Record) -> Response<Body> {
        let mut names: Vec<&str> = verbs.iter().map(|verb| verb.as_str()).collect();
        if verbs.contains(&Verb::Get) {
            names.push("HEAD");
        }
        names.push("OPTIONS");
        let names = names.join(", ");
        let mut response = if *verb == Method::OPTIONS {
            let mut response = Response::new(Body::whole(""));
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        } else {
            self.refuse(method_not_allowed(verb, &names), record)
        };
        if let Ok(names) = HeaderValue::try_from(names) {
            response.headers_mut().insert(ALLOW, names);
        }
        response
    }

    async fn fall_back(&self, request: Box<Request<Incoming>>, record: &mut Record) -> Response<Body> {
        // Who brings a token may turn out to be somebody.
        if !request.headers().contains_key(AUTHORIZATION)
            && let Err(error) = record.load.prove(None)
        {
            return self.refuse(error, record);
        }
        let (verb, path) = (request.method().clone(), request.uri().path().to_owned());
        let (failure, most) = (Failure::default(), self.settings.limits.public_body_bytes);
        let request = request.map(|body| Counted::new(body, &record.load, most, &failure));
        let answer = self.fallback.clone().call(request);
        let answered = match self.settings.limits.fallback_timeout {
            Some(limit) => within(limit, record.started, answer).await,
            None => Ok(answer.await),
        };
        let mut response = match answered {
            Ok(Ok(response)) => response,
            Ok(Err(never)) => match never {},
            Err(error) => return self.refuse(error, record),
        };
        record.caller = response.extensions_mut().remove::<Answered>().map(|Answered(caller)| caller);
        if let Err(error) = record.load.prove(record.caller.as_ref().map(|caller| &caller.identity)) {
            return self.refuse(error, record);
        }
        if let Some(Failed(error)) = response.extensions_mut().remove()
            && let Some(error) = Arc::into_inner(error)
        {
            record.transport = Transport::Json;
            return self.refuse(error, record);
        }
        let failure = failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(error) = failure {
            return self.refuse(error, record);
        }
        let size = response.body().size_hint().exact();
        let held = size.map_or(STREAMED, |size| usize::try_from(size).unwrap_or(usize::MAX));
        if let Err(error) = record.load.answer(held, false) {
            return self.refuse(error, record);
        }
        if size != Some(0) {
            return response.map(Body::stream);
        }
        // Routes that do not exist, or not with this verb, have nothing of their own to say.
        let allow = response.headers().get(ALLOW).cloned();
        let error = match response.status() {
            StatusCode::NOT_FOUND => no_such_path(&path),
            StatusCode::METHOD_NOT_ALLOWED => {
                method_not_allowed(&verb, allow.as_ref().and_then(|allow| allow.to_str().ok()).unwrap_or("nothing"))
            }
            _ => return response.map(|_| Body::whole("")),
        };
        let mut response = self.refuse(error, record);
        if let Some(allow) = allow {
            response.headers_mut().insert(ALLOW, allow);
        }
        response
    }
}

pub(super) fn no_such_path(path: &str) -> Error {
    Error::new(Kind::NotFound, Rule::NoSuchPath, format!("there is nothing at {}", excerpt(path)))
}

fn method_not_allowed(verb: &Method, allowed: &str) -> Error {
    let message = format!("{} is not offered here; allowed are {allowed}", excerpt(verb.as_str()));
    Error::new(Kind::Unimplemented, Rule::MethodNotAllowed, message)
}

fn verb(method: &Method) -> Option<Verb> {
    match *method {
        Method::GET | Method::HEAD => Some(Verb::Get),
        Method::POST => Some(Verb::Post),
        Method::PUT => Some(Verb::Put),
        Method::PATCH => Some(Verb::Patch),
        Method::DELETE => Some(Verb::Delete),
        _ => None,
    }
}

/// What `work` gives. It may wait until `limit` after `start`; most of it never waits, and needs no timer.
pub(super) async fn within<T>(limit: Duration, start: Instant, work: impl Future<Output = T>) -> Result<T, Error> {
    // Timers count milliseconds. What is shorter is over by now, and nothing is begun.
    if limit < Duration::from_millis(1) {
        return Err(too_slow(limit));
    }
    let mut work = pin!(work);
    if let Poll::Ready(done) = poll!(&mut work) {
        return Ok(done);
    }
    let left = limit.saturating_sub(start.elapsed());
    timeout(left, work).await.map_err(|_| too_slow(limit))
}
