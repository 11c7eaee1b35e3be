//! Calls over gRPC.

use contract::Rpc;
use http::uri::PathAndQuery;
use tonic::{Request, client::Grpc, transport::Channel};
use tonic_prost::ProstCodec;

use crate::{channel, error::Error, options::Options, token::Token};

/// A connection to a server, with or without a token. Clones share the connection.
#[derive(Clone, Debug)]
pub struct Client {
    channel: Channel,
    token: Option<Token>,
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
        Ok(Self { channel: channel::connect(url).await?, token })
    }

    /// The same connection with another token, or none.
    #[must_use]
    pub fn with_token(&self, token: Option<Token>) -> Self {
        Self { channel: self.channel.clone(), token }
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
        let mut request = Request::new(request);
        options.write(self.token.as_ref(), request.metadata_mut())?;
        let mut grpc = Grpc::new(self.channel.clone()).max_decoding_message_size(Self::MAX_RESPONSE);
        grpc.ready().await.map_err(|error| Error::no_server("the given address", &error))?;
        let path = PathAndQuery::from_static(R::METHOD.path);
        let response = grpc.unary(request, path, ProstCodec::<R::Request, R::Response>::default()).await?;
        let header = |name: &str| response.metadata().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let (etag, warning, request_id) = (header("etag"), header("x-provost-warning"), header("x-request-id"));
        Ok(Answer { message: response.into_inner(), etag, warning, request_id })
    }
}
