//! JSON over HTTP/1.1, by hand: a request is bytes that were made before, an answer is read and not taken apart.

use std::{net::SocketAddr, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::{Asks, Clients};
use crate::{Error, Result};

/// Longest answer that is read.
const LONGEST: usize = 16 << 20;
/// How long one answer may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// A connection that asks for the same thing again and again.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Connection {
    /// Connects, to send `request` whenever asked to.
    pub(crate) async fn open(address: SocketAddr, request: Vec<u8>) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, request, answer: Vec::with_capacity(64 << 10) })
    }

    /// As many connections as `count`, opened by the clients.
    pub(crate) async fn crowd(clients: &Clients, address: SocketAddr, request: Vec<u8>, count: usize) -> Result<Vec<Self>> {
        let open = clients.run(async move {
            let mut connections = Vec::with_capacity(count);
            for _ in 0..count {
                connections.push(Self::open(address, request.clone()).await?);
            }
            Ok(connections)
        });
        open.await.map_err(|error| Error::new(format!("cannot connect {count} times: {error}")))
    }

    /// Another request from now on.
    pub(crate) fn set(&mut self, request: Vec<u8>) {
        self.request = request;
    }

    /// Sends the request; the answer's body. An answer that is no success is an error.
    pub(crate) async fn body(&mut self) -> Result<&[u8]> {
        match self.answer().await? {
            (200, body) => Ok(body),
            (status, body) => Err(Error::new(format!("the server answered {status}: {}", String::from_utf8_lossy(body)))),
        }
    }

    /// Sends another request, once; what is answered, which must be a success.
    pub(crate) async fn json(&mut self, request: Vec<u8>) -> Result<Value> {
        self.set(request);
        Ok(serde_json::from_slice(self.body().await?)?)
    }

    /// Sends the request; status and body of the answer.
    pub(crate) async fn answer(&mut self) -> Result<(u16, &[u8])> {
        let (status, body) = tokio::time::timeout(PATIENCE, self.exchange()).await??;
        Ok((status, self.answer.get(body..).unwrap_or_default()))
    }

    /// The status, and where the body begins.
    async fn exchange(&mut self) -> Result<(u16, usize)> {
        self.stream.write_all(&self.request).await?;
        self.answer.clear();
        let (mut head, mut status, mut length) = (None, 0, 0);
        loop {
            if head.is_none() {
                head = self.answer.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4);
                if let Some(end) = head {
                    (status, length) = self.head(end)?;
                    length += end;
                }
            }
            match head {
                Some(end) if self.answer.len() >= length => return Ok((status, end)),
                _ if self.answer.len() > LONGEST => return Err(Error::new("an answer is too long")),
                _ => {}
            }
            if self.stream.read_buf(&mut self.answer).await? == 0 {
                return Err(Error::new("the server has closed the connection"));
            }
        }
    }

    /// The status, and the length of the body, of which some answers have none.
    fn head(&self, end: usize) -> Result<(u16, usize)> {
        let head = String::from_utf8_lossy(self.answer.get(..end).unwrap_or_default());
        let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        let status = status.ok_or_else(|| Error::new("the server does not speak HTTP/1.1"))?;
        let header = head.lines().filter_map(|line| line.split_once(':'));
        let length = header.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let length = length.and_then(|(_, length)| length.trim().parse().ok()).or((status == 204).then_some(0));
        Ok((status, length.ok_or_else(|| Error::new("an answer does not tell its length"))?))
    }
}

impl Asks for Connection {
    async fn ask(&mut self) -> Result<()> {
        self.body().await.map(drop)
    }
}

/// A text in an answer.
pub(crate) fn text(answer: &Value, at: &str) -> Result<String> {
    let found = answer.pointer(at).and_then(Value::as_str);
    found.map(str::to_owned).ok_or_else(|| Error::new(format!("an answer has no text at {at}")))
}

/// An exchange of this token by assuming this identity.
pub(crate) fn exchange(identity: &str, token: &str) -> Vec<u8> {
    post(&format!("/sts/exchange?identity={identity}"), token, "{}")
}

/// A GET of `path` with this token.
pub(crate) fn get(path: &str, token: &str) -> Vec<u8> {
    head("GET", path, token, "").into_bytes()
}

/// A DELETE of `path` with this token.
pub(crate) fn delete(path: &str, token: &str) -> Vec<u8> {
    head("DELETE", path, token, "").into_bytes()
}

/// A POST of JSON to `path` with this token.
pub(crate) fn post(path: &str, token: &str, body: &str) -> Vec<u8> {
    send("POST", path, token, body, "")
}

/// A POST of JSON to `path` with this token, which is to be applied once however often it is sent with the same key.
pub(crate) fn post_once(path: &str, token: &str, body: &str, key: &str) -> Vec<u8> {
    send("POST", path, token, body, &format!("idempotency-key: {key}\r\n"))
}

/// A PATCH of `path` with this token.
pub(crate) fn patch(path: &str, token: &str, body: &str) -> Vec<u8> {
    send("PATCH", path, token, body, "")
}

fn send(method: &str, path: &str, token: &str, body: &str, more: &str) -> Vec<u8> {
    let about = format!("{more}content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    format!("{}{body}", head(method, path, token, &about)).into_bytes()
}

fn head(method: &str, path: &str, token: &str, about: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n{about}\r\n")
}
