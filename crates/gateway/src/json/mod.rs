//! The contract as JSON over HTTP, by its `google.api.http` rules: a codec in front of the gate.

use std::borrow::Cow;

use bytes::Bytes;
use contract::{HttpRule, METHODS, Method, Verb, wire};
use domain::Error;
use http::Request;
use http::Response;
use hyper::body::Incoming;

mod answer;
mod bind;
mod query;

pub(crate) use answer::{answer, error};

use crate::{
    StartError,
    body::{self, Body},
    gate::Origin,
    observe::Record,
    port::Port,
    router::{Found, Router},
};

/// The contract's HTTP rules.
#[derive(Debug)]
pub(crate) struct Routes(Router<Target>);

/// The method that a path leads to, and the rule by which it does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    method: &'static Method,
    rule: &'static HttpRule,
}

impl Routes {
    pub(crate) fn new() -> Result<Self, StartError> {
        let target = |method: &'static Method, rule: &'static HttpRule| (rule.verb, rule.template, Target { method, rule });
        let rules = METHODS.iter().flat_map(|method| method.http.iter().map(move |rule| target(method, rule)));
        Router::new(rules).map(Self).map_err(StartError::Route)
    }

    /// See [`Router::find`].
    pub(crate) fn find(&self, verb: Option<Verb>, path: &str) -> Result<Found<'_, Target>, Error> {
        self.0.find(verb, path)
    }
}

/// Answers a request whose path led to a method.
///
/// # Errors
/// Whatever the request's reading, the gate or the handler answers.
pub(crate) async fn serve(
    port: &Port,
    target: &Target,
    captures: Vec<(&str, String)>,
    request: Box<Request<Incoming>>,
    origin: &Origin,
    record: &mut Record,
) -> Result<Response<Body>, Error> {
    let entry = port.methods.entry(target.method)?;
    let ctx = port.gate.admit(entry, origin, request.headers(), record).await?;
    let (head, body) = request.into_parts();
    let mut wire = wire::Request::new(target.method, target.rule);
    bind::path(&mut wire, captures)?;
    bind::query(&mut wire, head.uri.query().unwrap_or_default())?;
    let body = match target.rule.verb {
        // RFC 9110 sections 9.3.1 and 9.3.5: a body of these means nothing.
        Verb::Get | Verb::Delete => {
            drop(body);
            Bytes::new()
        }
        Verb::Put | Verb::Post | Verb::Patch => {
            body::read(body, &head, entry.body_limit(&port.settings.limits), 0, &record.load).await?
        }
    };
    let is_json = bind::is_json(target, &head.headers, &body);
    if !is_json {
        bind::form(&mut wire, &body)?;
    }
    let body = if is_json { body } else { Bytes::new() };
    // What cannot be read names no place, and is refused when it is read.
    let place = wire.scope(&body).ok().flatten().map(Cow::into_owned);
    record.load.place(entry.answer_bytes).await?;
    let turn = record.load.turn(entry.method.read_only).await?;
    let reply = port.gate.perform(entry, ctx, place, &record.load, move || bind::body(wire, &body)).await?;
    let json = reply.json();
    drop(turn);
    record.load.answer(json.len(), entry.method.read_only)?;
    Ok(answer::with_notes(json, reply.etag, reply.warning, reply.data_age))
}
