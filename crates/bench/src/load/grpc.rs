//! gRPC, by hand: a request is bytes that were made before, of an answer the status alone is looked at.

use std::{net::SocketAddr, time::Duration};

use bytes::{BufMut as _, Bytes, BytesMut};
use contract::Rpc;
use http::{Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message as _;
use tokio::net::TcpStream;

use super::Asks;
use crate::{Error, Result};

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// A connection that any number of callers may share.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    connection: SendRequest<Full<Bytes>>,
    address: SocketAddr,
}

impl Channel {
    /// Connects.
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (connection, driver) = handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
        // It ends with the last caller.
        tokio::spawn(driver);
        Ok(Self { connection, address })
    }

    /// Makes the call `R` once.
    pub(crate) async fn call<R: Rpc>(&self, token: &str, request: &R::Request) -> Result<R::Response> {
        let message = self.caller::<R>(token, request).message().await?;
        R::Response::decode(message).map_err(|error| Error::new(format!("{} answered no message: {error}", R::METHOD.name)))
    }

    /// Who makes the call `R` whenever asked to.
    pub(crate) fn caller<R: Rpc>(&self, token: &str, request: &R::Request) -> Caller {
        let (path, token, message) = (R::METHOD.path, format!("Bearer {token}"), framed(request));
        Caller { channel: self.clone(), path, token, message }
    }
}

/// A caller that asks for the same thing again and again.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    channel: Channel,
    path: &'static str,
    token: String,
    message: Bytes,
}

impl Caller {
    /// Makes the call; the answer's message.
    async fn message(&mut self) -> Result<Bytes> {
        tokio::time::timeout(PATIENCE, self.exchange()).await?
    }

    async fn exchange(&mut self) -> Result<Bytes> {
        self.channel.connection.ready().await?;
        let request = Request::post(format!("http://{}{}", self.channel.address, self.path))
            .header(header::CONTENT_TYPE, "application/grpc")
            .header(header::TE, "trailers")
            .header(header::AUTHORIZATION, &self.token)
            .body(Full::new(self.message.clone()))?;
        let answer = self.channel.connection.send_request(request).await?;
        let (head, body) = answer.into_parts();
        let body = body.collect().await?;
        let status = body.trailers().and_then(|trailers| trailers.get("grpc-status")).or_else(|| head.headers.get("grpc-status"));
        if status.is_none_or(|status| status != "0") {
            return Err(Error::new(format!("{} failed with status {status:?}", self.path)));
        }
        let mut message = body.to_bytes();
        // A byte for compression and four for the length come first.
        if message.len() < 5 {
            return Err(Error::new(format!("{} answered no message", self.path)));
        }
        Ok(message.split_off(5))
    }
}

impl Asks for Caller {
    async fn ask(&mut self) -> Result<()> {
        self.message().await.map(drop)
    }
}

/// The message behind its five bytes of frame, not compressed.
fn framed<T: contract::Message>(message: &T) -> Bytes {
    let mut frame = BytesMut::with_capacity(5 + message.encoded_len());
    frame.put_u8(0);
    frame.put_u32(u32::try_from(message.encoded_len()).unwrap_or(u32::MAX));
    // The buffer grows as it needs to.
    frame.extend_from_slice(&message.encode_to_vec());
    frame.freeze()
}
