//! Calls over gRPC.

use std::sync::Arc;

use contract::Rpc;
use http::uri::PathAndQuery;
use tonic::{Request, client::Grpc, transport::Channel};
use tonic_prost::ProstCodec;

use crate::{
    channel::{self, OnlyGrpc},
    error::Error,
    examine::examine,
    options::Options,
    policy::Policy,
    retry::{Attempts, is_repeatable},
    token::Token,
};

/// A connection to a server, with or without a token. Clones share the connection.
#[derive(Clone, Debug)]
pub struct Client {
    url: Arc<str>,
    channel: Channel,
    token: Option<Token>,
    policy: Arc<Policy>,
}

/// A response message and what the server said beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<T> {
    /// The response message.
    pub message: T,
    /// The entity tag of the resource in it.
    pub etag: Option<String>,
    /// What the caller should know that is no error.
    pub warning: Option<String>,
    /// The request id under which the server logged the call.
    pub request_id: Option<String>,
}

impl Client {
    /// The largest response that is accepted: what published clients accept.
    const MAX_RESPONSE: usize = 100 << 20;

    /// Connects to `http://host:port` (HTTP/2 with prior knowledge) or `https://host:port` (system roots).
    ///
    /// # Errors
    /// When `url` is none of these or nothing answers there within 5 seconds.
    pub async fn connect(url: &str, token: Option<Token>) -> Result<Self, Error> {
        Self::connect_with(url, token, Policy::default()).await
    }

    /// As [`Client::connect`], for calls that `policy` holds for. With retries, an error says what is at `url` instead of a server.
    ///
    /// # Errors
    /// As [`Client::connect`].
    pub async fn connect_with(url: &str, token: Option<Token>, policy: Policy) -> Result<Self, Error> {
        let mut attempts = Attempts::begin(policy.retry.as_ref());
        let channel = loop {
            match channel::connect(url, policy.retry.is_some()).await {
                Ok(channel) => break channel,
                Err(error) if policy.retry.is_some() => attempts.wait(examine(url, error).await, true).await?,
                Err(error) => return Err(error),
            }
        };
        Ok(Self { url: url.into(), channel, token, policy: Arc::new(policy) })
    }

    /// The same connection with another token, or none.
    #[must_use]
    pub fn with_token(&self, token: Option<Token>) -> Self {
        Self { token, ..self.clone() }
    }

    /// Makes the call `R`.
    ///
    /// # Errors
    /// Whatever the server answers but OK, or why it did not answer.
    pub async fn call<R: Rpc>(&self, request: R::Request) -> Result<R::Response, Error> {
        Ok(self.call_with::<R>(request, &Options::default()).await?.message)
    }

    /// Makes the call `R` under conditions, and answers also what came beside the message.
    ///
    /// # Errors
    /// As [`Client::call`], and when an option cannot be sent as a header.
    pub async fn call_with<R: Rpc>(&self, request: R::Request, options: &Options) -> Result<Answer<R::Response>, Error> {
        let options = self.policy.complete(R::METHOD, options);
        let Some(retry) = &self.policy.retry else { return Box::pin(self.send::<R>(request, &options)).await };
        let mut attempts = Attempts::begin(Some(retry));
        loop {
            match Box::pin(self.send::<R>(request.clone(), &options)).await {
                Ok(answer) => return Ok(answer),
                Err(error) => attempts.wait(Box::pin(examine(&self.url, error)).await, is_repeatable(R::METHOD)).await?,
            }
        }
    }

    async fn send<R: Rpc>(&self, request: R::Request, options: &Options) -> Result<Answer<R::Response>, Error> {
        let mut request = Request::new(request);
        options.write(self.token.as_ref(), request.metadata_mut())?;
        let mut grpc = Grpc::new(OnlyGrpc(self.channel.clone())).max_decoding_message_size(Self::MAX_RESPONSE);
        grpc.ready().await.map_err(|error| Error::no_server(&self.url, &*error))?;
        let path = PathAndQuery::from_static(R::METHOD.path);
        let response = grpc.unary(request, path, ProstCodec::<R::Request, R::Response>::default()).await;
        let response = response.map_err(|status| Error::of_call(&self.url, &status))?;
        let header = |name: &str| response.metadata().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let (etag, warning, request_id) = (header("etag"), header("x-provost-warning"), header("x-request-id"));
        Ok(Answer { message: response.into_inner(), etag, warning, request_id })
    }
}
