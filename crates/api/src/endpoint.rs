//! Ties RPCs to the functions that serve them.

use std::{future::Future, sync::Arc};

use contract::{Reply, Rpc};
use domain::{Ctx, Error, Versioned};

/// One implemented RPC, ready for the gateway.
pub type Endpoint = contract::Endpoint<Arc<Ctx>, Error>;

/// The endpoint of the RPC `R`, which `serve` answers with the service.
pub(crate) fn on<R, S, F, Fut, A>(_: R, service: &S, serve: F) -> Endpoint
where
    R: Rpc,
    S: Clone + Send + Sync + 'static,
    F: Fn(Arc<S>, Arc<Ctx>, R::Request) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<A, Error>> + Send + 'static,
    A: Into<Reply<R::Response>> + 'static,
{
    let service = Arc::new(service.clone());
    Endpoint::new::<R, _, _, _>(move |ctx, request| serve(Arc::clone(&service), ctx, request))
}

/// How a version of the wire calls a field that a use case names; `None` when both call it the same.
pub(crate) type Rename = fn(&str) -> Option<String>;

/// The same as [`on`], where violations name fields as `rename` says.
pub(crate) fn naming<R, S, F, Fut, A>(rename: Rename, rpc: R, service: &S, serve: F) -> Endpoint
where
    R: Rpc,
    S: Clone + Send + Sync + 'static,
    F: Fn(Arc<S>, Arc<Ctx>, R::Request) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<A, Error>> + Send + 'static,
    A: Into<Reply<R::Response>> + 'static,
{
    on(rpc, service, move |service, ctx, request| {
        let answer = serve(service, ctx, request);
        async move { answer.await.map_err(|error| error.renamed(rename)) }
    })
}

/// A resource with its entity tag.
pub(crate) fn answer<T: Versioned, W>(ctx: &Ctx, found: &T, to_wire: impl Fn(&T) -> W) -> Reply<W> {
    Reply { message: to_wire(found), etag: Some(ctx.etag(found.version()).0), warning: None, data_age: None }
}
