//! The connection: cleartext HTTP/2 with prior knowledge for `http`, TLS with the system's roots for `https`.

use std::{
    error::Error as StdError,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use http::{Request, Response};
use tonic::{
    body::Body,
    client::GrpcService,
    transport::{Channel, ClientTlsConfig, Endpoint},
};

use crate::{USER_AGENT, error::Error, stranger::Stranger};

/// How long a connection may take to come up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a call may take.
const CALL_TIMEOUT: Duration = Duration::from_mins(1);

/// How long a connection with a call under way may be silent, and then how long its other end may take to show that it lives.
const SILENCE: Duration = Duration::from_secs(5);

/// Connects to the server at `url`; a path in it plays no role for gRPC. `watched`, the connection ends when its other end is silent.
pub(crate) async fn connect(url: &str, watched: bool) -> Result<Channel, Error> {
    let wrong = |what: &str| Error::usage(format!("{url:?} is not the URL of a server: {what}"));
    let endpoint = Endpoint::from_shared(url.to_owned())
        .and_then(|endpoint| endpoint.user_agent(USER_AGENT))
        .map_err(|_| wrong("it does not parse"))?;
    let endpoint = endpoint.connect_timeout(CONNECT_TIMEOUT).timeout(CALL_TIMEOUT).tcp_nodelay(true);
    let endpoint = if watched { endpoint.http2_keep_alive_interval(SILENCE).keep_alive_timeout(SILENCE) } else { endpoint };
    if endpoint.uri().host().is_none_or(str::is_empty) {
        return Err(wrong("it names no host"));
    }
    let endpoint = match endpoint.uri().scheme_str() {
        Some("http") => endpoint,
        Some("https") => endpoint
            .tls_config(ClientTlsConfig::new().with_native_roots())
            .map_err(|error| Error::usage(format!("TLS cannot be set up: {error}")))?,
        _ => return Err(wrong("it must begin with http:// or https://")),
    };
    endpoint.connect().await.map_err(|error| Error::no_server(url, &error))
}

/// A channel that takes the answers of gRPC servers alone: whatever else answers is an error, which says who it is.
#[derive(Clone, Debug)]
pub(crate) struct OnlyGrpc(pub(crate) Channel);

impl GrpcService<Body> for OnlyGrpc {
    type ResponseBody = Body;
    type Error = Box<dyn StdError + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        <Channel as GrpcService<Body>>::poll_ready(&mut self.0, cx).map_err(Into::into)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answer = GrpcService::call(&mut self.0, request);
        Box::pin(async move {
            let answer = answer.await?;
            Stranger::to_call(&answer).map_or(Ok(answer), |stranger| Err(stranger.into()))
        })
    }
}
