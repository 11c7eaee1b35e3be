//! Requests by hand, from an address of one's own: what is sent is what the test made, and everything that comes back is seen.

use std::{
    future::poll_fn,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

use bytes::Bytes;
use client::Code;
use contract::Verb;
use h2::{RecvStream, SendStream, client::SendRequest};
use http::{HeaderMap, Method, Request};
use tokio::net::{TcpSocket, TcpStream};

use crate::derive::json::Rest;

/// Where the neighbour's connections come from, and where the attacker's.
pub(crate) const NEIGHBOUR: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
pub(crate) const ATTACKER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 3));

/// Whether clients here can have these addresses; some systems have one loopback address alone.
pub(crate) fn addresses() -> Result<(), String> {
    let bind = |from: &IpAddr| std::net::TcpListener::bind((*from, 0)).map(drop);
    [NEIGHBOUR, ATTACKER]
        .iter()
        .try_for_each(bind)
        .map_err(|why| format!("this needs the addresses {NEIGHBOUR} and {ATTACKER}: {why}"))
}

/// What an error may take, by transport.
const LONGEST_GRPC: usize = 8 << 10;
const LONGEST_JSON: usize = 64 << 10;

/// How long anybody waits for an answer: longer than a server lets a request take, so that there is one in the end.
pub(crate) const PATIENCE: Duration = Duration::from_secs(75);

/// How a call travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Json,
    Grpc,
}

/// What came back, judged.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The canonical code's name, or the status where there is none.
    pub(crate) code: String,
    /// What is wrong with the answer, whatever was asked.
    pub(crate) wrong: Option<String>,
    pub(crate) body: Bytes,
}

impl Answer {
    /// No answer where one is due.
    pub(crate) fn missing(why: impl std::fmt::Display) -> Self {
        Self { code: "NONE".to_owned(), wrong: Some(format!("no answer: {why}")), body: Bytes::new() }
    }

    /// A code with an error of this size.
    fn of(code: Code, size: usize, longest: usize, body: Bytes) -> Self {
        let wrong = match code {
            Code::Internal | Code::Unknown | Code::DataLoss => {
                Some(format!("{code:?}: {}", String::from_utf8_lossy(&body[..body.len().min(300)])))
            }
            Code::Ok => None,
            _ if size > longest => Some(format!("{code:?} of {size} bytes, where {longest} fit")),
            _ => None,
        };
        Self { code: format!("{code:?}"), wrong, body }
    }
}

/// Connects from an address.
pub(crate) async fn connect(from: IpAddr, to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind((from, 0).into())?;
    socket.set_nodelay(true)?;
    socket.connect(to).await
}

/// An HTTP/2 connection from an address, with the window that each answer gets.
pub(crate) async fn http2(from: IpAddr, to: SocketAddr, window: u32) -> Result<SendRequest<Bytes>, String> {
    let stream = connect(from, to).await.map_err(|why| why.to_string())?;
    let mut builder = h2::client::Builder::new();
    // Zero closes it: what is sent waits at the server.
    builder.initial_window_size(window).enable_push(false).max_header_list_size(1 << 20);
    let (sender, connection) = builder.handshake(stream).await.map_err(|why| why.to_string())?;
    // It ends with the last of its senders and streams.
    tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(sender)
}

/// A gRPC call of the method at `path`; `packed` says that the message is gzip.
pub(crate) fn grpc_head(path: &str, token: Option<&str>, packed: bool, more: &[(&str, &str)]) -> Request<()> {
    let mut request = Request::builder().method(Method::POST).uri(format!("http://provost{path}"));
    request = request.header("content-type", "application/grpc").header("te", "trailers");
    if packed {
        request = request.header("grpc-encoding", "gzip");
    }
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    for (name, value) in more {
        request = request.header(*name, *value);
    }
    request.body(()).expect("the head is well-formed")
}

/// A message in its frame.
pub(crate) fn frame(message: &[u8], packed: bool) -> Bytes {
    let length = u32::try_from(message.len()).expect("messages are of some megabytes");
    [&[u8::from(packed)], &length.to_be_bytes()[..], message].concat().into()
}

/// Makes a gRPC call on a connection of its own.
pub(crate) async fn grpc(from: IpAddr, to: SocketAddr, head: Request<()>, body: Bytes) -> Answer {
    let call = async {
        let mut sender = http2(from, to, 8 << 20).await?.ready().await.map_err(|why| why.to_string())?;
        let (response, mut sending) = sender.send_request(head, false).map_err(|why| why.to_string())?;
        // A server may answer before it has read everything, and then takes no more.
        let (_, answer) = tokio::join!(send(&mut sending, body), read(response));
        answer
    };
    match tokio::time::timeout(PATIENCE, call).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(why)) => Answer::missing(why),
        Err(_) => Answer::missing(format!("within {} s", PATIENCE.as_secs())),
    }
}

/// Sends everything as far as the server takes it, and ends the stream.
pub(crate) async fn send(stream: &mut SendStream<Bytes>, body: Bytes) -> Result<(), h2::Error> {
    send_some(stream, body, true).await
}

/// The same for a stream that is never ended.
pub(crate) async fn send_open(stream: &mut SendStream<Bytes>, body: Bytes) -> Result<(), h2::Error> {
    send_some(stream, body, false).await
}

async fn send_some(stream: &mut SendStream<Bytes>, mut body: Bytes, ends: bool) -> Result<(), h2::Error> {
    loop {
        stream.reserve_capacity(body.len());
        match poll_fn(|cx| stream.poll_capacity(cx)).await {
            Some(Ok(room)) => {
                let part = body.split_to(room.min(body.len()));
                stream.send_data(part, ends && body.is_empty())?;
                if body.is_empty() {
                    return Ok(());
                }
            }
            Some(Err(why)) => return Err(why),
            None => return Ok(()),
        }
    }
}

async fn read(response: h2::client::ResponseFuture) -> Result<Answer, String> {
    let (head, mut stream) = response.await.map_err(|why| why.to_string())?.into_parts();
    let body = body(&mut stream).await?;
    let trailers = stream.trailers().await.map_err(|why| why.to_string())?.unwrap_or_default();
    let status = |headers: &HeaderMap| headers.get("grpc-status").and_then(|value| value.to_str().ok()?.parse::<i32>().ok());
    let Some(code) = status(&trailers).or_else(|| status(&head.headers)) else {
        // HTTP's own refusals of heads that no gRPC server has seen.
        let wrong = (head.status != 431).then(|| format!("status {} without grpc-status", head.status));
        return Ok(Answer { code: format!("HTTP {}", head.status.as_u16()), wrong, body });
    };
    let size = |headers: &HeaderMap| headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum::<usize>();
    let told = trailers.get("grpc-message").or(head.headers.get("grpc-message"));
    let body = if code == 0 { body } else { told.map(|value| Bytes::copy_from_slice(value.as_bytes())).unwrap_or_default() };
    Ok(Answer::of(Code::from(code), size(&head.headers) + size(&trailers), LONGEST_GRPC, body))
}

/// The whole body, taken as it comes.
async fn body(stream: &mut RecvStream) -> Result<Bytes, String> {
    let mut whole = Vec::new();
    while let Some(part) = stream.data().await {
        let part = part.map_err(|why| why.to_string())?;
        let _ = stream.flow_control().release_capacity(part.len());
        whole.extend_from_slice(&part);
    }
    Ok(whole.into())
}

/// A client for JSON over HTTP/1.1; `fresh` makes a connection for each request.
pub(crate) fn http1(from: IpAddr, fresh: bool) -> reqwest::Client {
    let builder = reqwest::Client::builder().no_proxy().http1_only().local_address(from).timeout(PATIENCE);
    let idle = if fresh { 0 } else { 4 };
    builder.pool_max_idle_per_host(idle).tls_danger_accept_invalid_certs(true).build().expect("HTTP can be set up")
}

/// Sends a request over HTTP/1.1.
pub(crate) async fn json(
    client: &reqwest::Client,
    to: SocketAddr,
    rest: Rest,
    token: Option<&str>,
    packed: bool,
    more: &[(&str, &str)],
) -> Answer {
    let verb = match rest.verb {
        Verb::Get => Method::GET,
        Verb::Put => Method::PUT,
        Verb::Post => Method::POST,
        Verb::Delete => Method::DELETE,
        Verb::Patch => Method::PATCH,
    };
    let mut request = client.request(verb, format!("http://{to}{}", rest.path));
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    for (name, value) in more {
        request = request.header(*name, *value);
    }
    if let Some(body) = rest.body {
        request = request.header("content-type", "application/json").body(body);
        if packed {
            request = request.header("content-encoding", "gzip");
        }
    }
    let answer = async {
        let response = request.send().await?;
        Ok((response.status().as_u16(), response.bytes().await?))
    };
    match answer.await {
        Ok((200, body)) => Answer::of(Code::Ok, 0, LONGEST_JSON, body),
        Ok((status, body)) => {
            let code = serde_json::from_slice(&body).ok().and_then(|body: serde_json::Value| body["code"].as_i64());
            match code.and_then(|code| i32::try_from(code).ok()) {
                Some(code) => Answer::of(Code::from(code), body.len(), LONGEST_JSON, body),
                None => Answer {
                    code: format!("HTTP {status}"),
                    wrong: Some(format!("status {status} without the standard body")),
                    body,
                },
            }
        }
        Err(why) => Answer::missing(innermost(&why)),
    }
}

/// The last link of a chain of causes.
fn innermost(error: &reqwest::Error) -> String {
    let mut error: &dyn std::error::Error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
