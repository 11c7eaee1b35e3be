//! The contract over gRPC, with reflection and health.

use std::sync::{Arc, OnceLock};

use contract::Bytes;
use domain::{Ctx, Error, Kind, Rule, text::excerpt};
use futures::future::BoxFuture;
use http::{Request, Response, Version, header::CONTENT_TYPE};
use http_body_util::Full;
use hyper::body::Incoming;
use tonic::{
    Code, Status,
    codec::CompressionEncoding::Gzip,
    metadata::{Ascii, MetadataValue},
    server::{Grpc, UnaryService},
};

mod codec;
mod extras;
mod health;
mod reflection;
mod timeout;

use extras::Extra;
pub(crate) use extras::Extras;
pub(crate) use timeout::of as timeout;

use crate::{
    body::{self, Body, too_large},
    budget::Load,
    gate::{Entry, Gate, Origin},
    observe::Record,
    port::Port,
    status,
};

/// What stands before a message: whether it is compressed, and its length.
const PREFIX: usize = 5;
/// How a compressed message is announced.
const ENCODING: &str = "grpc-encoding";
/// How much longer a compressed message can be than what was sent (RFC 1951: 258 bytes in two bits).
const INFLATION: usize = 1032;

/// Whether this is the path of a question how the server is.
pub(crate) fn is_health_check(path: &str) -> bool {
    path == "/grpc.health.v1.Health/Check"
}

/// Whether a request is gRPC: HTTP/2 with a content type of `application/grpc`, alone or with a `+` suffix.
pub(crate) fn is_grpc<B>(request: &Request<B>) -> bool {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let suffix = kind.and_then(|kind| kind.strip_prefix("application/grpc"));
    request.version() == Version::HTTP_2 && suffix.is_some_and(|rest| rest.is_empty() || rest.starts_with(['+', ';']))
}

/// The gRPC answer for an error.
pub(crate) fn error(error: &Error, error_domain: &str) -> Response<Body> {
    status::to_tonic(error, error_domain).into_http::<tonic::body::Body>().map(Body::stream)
}

/// Answers a gRPC request.
///
/// # Errors
/// Whatever the request's reading, the gate or the handler answers.
pub(crate) async fn serve(
    port: &Port,
    extras: &Extras,
    request: Box<Request<Incoming>>,
    origin: &Origin,
    record: &mut Record,
) -> Result<Response<Body>, Error> {
    if let Some(extra) = extras.find(request.uri().path()) {
        let request = question(extra, *request, &record.load).await?;
        return Ok(extra.answer(request).await.map(Body::stream));
    }
    Ok(unary(port, request, origin, record).await?.map(Body::stream))
}

/// A request of one of the services beside the contract's. One that asks once is read here, at the rate of all bodies.
async fn question(extra: &Extra, request: Request<Incoming>, load: &Arc<Load>) -> Result<Request<tonic::body::Body>, Error> {
    load.begin_watch(extras::QUESTION)?;
    if !extra.asks_once {
        return Ok(request.map(tonic::body::Body::new));
    }
    let (head, body) = request.into_parts();
    let message = body::read(body, &head, extras::QUESTION, PREFIX, load).await?;
    Ok(Request::from_parts(head, tonic::body::Body::new(Full::new(message))))
}

async fn unary(
    port: &Port,
    request: Box<Request<Incoming>>,
    origin: &Origin,
    record: &mut Record,
) -> Result<Response<tonic::body::Body>, Error> {
    let path = contract::canonical_path(request.uri().path());
    let method = contract::find_method(&path).ok_or_else(|| unknown(request.uri().path()))?;
    let entry = port.methods.entry(method)?;
    let ctx = port.gate.admit(entry, origin, request.headers(), record).await?;
    let limit = entry.body_limit(&port.settings.limits);
    let (head, body) = request.into_parts();
    let message = body::read(body, &head, limit, PREFIX, &record.load).await?;
    if head.headers.contains_key(ENCODING) {
        record.load.hold(message.len().saturating_mul(INFLATION).min(limit))?;
    }
    let failure = OnceLock::new();
    let handler = Handler { gate: &port.gate, entry, ctx: Some(ctx), load: &record.load, failure: &failure };
    // The limit holds for the message as it was sent, and for what it unpacks to.
    let mut grpc = Grpc::new(codec::Wire::default()).max_decoding_message_size(limit).accept_compressed(Gzip);
    let response = grpc.unary(handler, Request::from_parts(head, Full::new(message))).await;
    match failure.into_inner() {
        Some(error) => Err(error),
        None => misread(&response, limit).map_or(Ok(response), Err),
    }
}

/// What is wrong with a request that tonic refused by itself, before the handler saw a message.
fn misread(response: &Response<tonic::body::Body>, limit: usize) -> Option<Error> {
    let status = Status::from_header_map(response.headers())?;
    let why = || format!("the gRPC message cannot be read: {}", status.message());
    match status.code() {
        Code::Ok => None,
        Code::OutOfRange | Code::ResourceExhausted => Some(too_large(limit)),
        Code::Unimplemented => Some(Error::new(Kind::Unimplemented, Rule::Protobuf, why())),
        _ => Some(Error::invalid(Rule::Protobuf, why())),
    }
}

fn unknown(path: &str) -> Error {
    let message = format!("unknown service or method {}", excerpt(path));
    Error::new(Kind::Unimplemented, Rule::NoSuchPath, message)
}

/// One admitted call. Its failure goes to `failure`, past tonic, so that errors become a status at one place.
struct Handler<'a> {
    gate: &'a Gate,
    entry: &'a Entry,
    /// Taken by the call.
    ctx: Option<Arc<Ctx>>,
    load: &'a Load,
    failure: &'a OnceLock<Error>,
}

impl<'a> UnaryService<Bytes> for Handler<'a> {
    type Response = Bytes;
    type Future = BoxFuture<'a, Result<tonic::Response<Bytes>, Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let Self { gate, entry, load, failure, .. } = *self;
        let ctx = self.ctx.take().ok_or_else(|| Error::internal("a gRPC call was asked for its answer twice"));
        Box::pin(async move {
            let performed = async {
                load.place(entry.answer_bytes).await?;
                let turn = load.turn(entry.method.read_only).await?;
                let (ctx, wire) = (ctx?, request.into_inner());
                // What is not well-formed names no place, and is refused when it is decoded.
                let place = contract::scope::find(entry.method.scope, &wire).ok().flatten().map(str::to_owned);
                let answer = gate.perform(entry, ctx, place, load, || Ok(wire)).await?;
                let wire = answer.wire();
                drop(turn);
                load.answer(wire.len(), entry.method.read_only)?;
                let data_age = answer.data_age.map(|age| age.to_string());
                Ok((wire, [("etag", answer.etag), ("x-provost-warning", answer.warning), ("x-provost-data-age", data_age)]))
            };
            match performed.await {
                Ok((wire, notes)) => {
                    let mut response = tonic::Response::new(wire);
                    for (name, note) in notes {
                        if let Some(note) = note.and_then(|note| MetadataValue::<Ascii>::try_from(note).ok()) {
                            response.metadata_mut().insert(name, note);
                        }
                    }
                    Ok(response)
                }
                Err(error) => {
                    let _ = failure.set(error);
                    Err(Status::internal("replaced by the failure itself"))
                }
            }
        })
    }
}
