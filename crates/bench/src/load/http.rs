//! JSON over HTTP/1.1, by hand: a request is bytes that were made before, an answer is read and not taken apart.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::Asks;
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

    /// Another request from now on.
    pub(crate) fn set(&mut self, request: Vec<u8>) {
        self.request = request;
    }

    /// Sends the request; the answer's body.
    pub(crate) async fn body(&mut self) -> Result<&[u8]> {
        let body = tokio::time::timeout(PATIENCE, self.exchange()).await??;
        Ok(self.answer.get(body..).unwrap_or_default())
    }

    /// Where the body begins.
    async fn exchange(&mut self) -> Result<usize> {
        self.stream.write_all(&self.request).await?;
        self.answer.clear();
        let (mut head, mut length) = (None, 0);
        loop {
            if head.is_none() {
                head = self.answer.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4);
                if let Some(end) = head {
                    length = end + self.check(end)?;
                }
            }
            match head {
                Some(end) if self.answer.len() >= length => return Ok(end),
                _ if self.answer.len() > LONGEST => return Err(Error::new("an answer is too long")),
                _ => {}
            }
            if self.stream.read_buf(&mut self.answer).await? == 0 {
                return Err(Error::new("the server has closed the connection"));
            }
        }
    }

    /// The length of the body, if the head is that of a success.
    fn check(&self, end: usize) -> Result<usize> {
        let head = String::from_utf8_lossy(self.answer.get(..end).unwrap_or_default());
        if !head.starts_with("HTTP/1.1 200") {
            return Err(Error::new(format!("the server answered {}", head.lines().next().unwrap_or_default())));
        }
        let header = head.lines().filter_map(|line| line.split_once(':'));
        let length = header.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        length.and_then(|(_, length)| length.trim().parse().ok()).ok_or_else(|| Error::new("an answer does not tell its length"))
    }
}

impl Asks for Connection {
    async fn ask(&mut self) -> Result<()> {
        self.body().await.map(drop)
    }
}

/// A GET of `path` with this token.
pub(crate) fn get(path: &str, token: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\r\n").into_bytes()
}

/// A POST of JSON to `path` with this token.
pub(crate) fn post(path: &str, token: &str, body: &str) -> Vec<u8> {
    let head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n");
    format!("{head}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}
