//! A bare tonic handler behind bare hyper: one method, no interceptors.

use std::{convert::Infallible, marker::PhantomData, sync::Arc};

use contract::Rpc;
use http::Request;
use hyper::{body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;
use tonic::{
    Response, Status,
    server::{Grpc, UnaryService},
};
use tonic_prost::ProstCodec;

use super::Serving;
use crate::Result;

/// Serves the method `R`, always with what `answer` gives.
pub(crate) async fn serve<R: Rpc>(answer: impl Fn() -> R::Response + Send + Sync + 'static) -> Result<Serving> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let handler = Handler::<R> { answer: Arc::new(answer), rpc: PhantomData };
    let task = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // Without it the server is slower, not broken.
            let _ = stream.set_nodelay(true);
            let handler = handler.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let handler = handler.clone();
                async move {
                    let mut grpc = Grpc::new(ProstCodec::<R::Response, R::Request>::default());
                    Ok::<_, Infallible>(grpc.unary(handler, request).await)
                }
            });
            tokio::spawn(http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service));
        }
    });
    Ok(Serving { address, task })
}

struct Handler<R: Rpc> {
    answer: Arc<dyn Fn() -> R::Response + Send + Sync>,
    rpc: PhantomData<fn() -> R>,
}

impl<R: Rpc> Clone for Handler<R> {
    fn clone(&self) -> Self {
        Self { answer: Arc::clone(&self.answer), rpc: PhantomData }
    }
}

impl<R: Rpc> UnaryService<R::Request> for Handler<R> {
    type Response = R::Response;
    type Future = std::future::Ready<std::result::Result<Response<R::Response>, Status>>;

    fn call(&mut self, _: tonic::Request<R::Request>) -> Self::Future {
        std::future::ready(Ok(Response::new((self.answer)())))
    }
}
