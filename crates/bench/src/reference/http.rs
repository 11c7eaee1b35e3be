//! A bare hyper server: no routes, no checks, no limits.

use std::{convert::Infallible, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header::CONTENT_TYPE};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use super::Serving;
use crate::Result;

/// Serves what `answer` gives for a path, as JSON.
pub(crate) async fn serve(answer: impl Fn(&str) -> Bytes + Send + Sync + 'static) -> Result<Serving> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let (address, answer) = (listener.local_addr()?, Arc::new(answer));
    let task = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // Without it the server is slower, not broken.
            let _ = stream.set_nodelay(true);
            let answer = Arc::clone(&answer);
            let service = service_fn(move |request: Request<Incoming>| {
                let body = answer(request.uri().path());
                async move { Ok::<_, Infallible>(json(body)) }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    Ok(Serving { address, task })
}

fn json(body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
