//! A connection's byte stream with what hyper leaves to its user: a deadline for request heads, a body for the refusals
//! that hyper writes itself, and a lingering close.

use std::{
    future::Future,
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf, Bytes};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep},
};

use crate::activity::Activity;

/// How long, and how many bytes, a lingering close reads at most.
const LINGER_TIME: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 16 << 20;
/// Up to how many bytes parts are put together, so that they are written as one: to the system, and in TLS into one record.
const SMALL: usize = 1024;
/// What an HTTP/2 connection begins with (RFC 9113 section 3.4).
const HTTP2: &[u8] = b"PRI ";

/// Makes the whole answer for a request that hyper could not read, from the status that hyper chose.
pub(super) type Refuse = Box<dyn Fn(u16) -> Bytes + Send>;

/// The guarded stream.
pub(super) struct Guarded<S> {
    stream: S,
    activity: Arc<Activity>,
    refuse: Refuse,
    head_timeout: Duration,
    head: Head,
    http2: bool,
    replacement: Option<Replacement>,
    lingering: Option<Lingering>,
}

/// What is known about the request head that may be arriving.
struct Head {
    /// How many requests had begun when its first bytes arrived; none when nothing arrived since the last one began.
    after: Option<usize>,
    deadline: Option<Pin<Box<Sleep>>>,
}

/// An answer that is written in place of the `claimed` bytes of hyper's own.
struct Replacement {
    answer: Bytes,
    claimed: usize,
}

struct Lingering {
    left: usize,
    deadline: Pin<Box<Sleep>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Guarded<S> {
    pub(super) fn new(stream: S, activity: Arc<Activity>, head_timeout: Duration, refuse: Refuse) -> Self {
        let head = Head { after: None, deadline: None };
        Self { stream, activity, refuse, head_timeout, head, http2: false, replacement: None, lingering: None }
    }

    /// Whether a request head should arrive: the first one of the connection, or one that has begun to.
    fn head_is_open(&self) -> bool {
        let begun = self.activity.begun();
        !self.http2 && (begun == 0 || self.head.after == Some(begun)) && self.activity.rests()
    }

    fn poll_head_deadline(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        if !self.head_is_open() {
            self.head.deadline = None;
            return Poll::Pending;
        }
        // The time for the first head runs since the connection was accepted, that for others since they began to arrive.
        let passed = if self.activity.begun() == 0 { self.activity.idle_for() } else { Duration::ZERO };
        let left = self.head_timeout.saturating_sub(passed);
        let deadline = self.head.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(left)));
        deadline.as_mut().poll(cx).map(|()| io::Error::new(io::ErrorKind::TimedOut, "the request head took too long"))
    }

    fn note_read(&mut self, read: &[u8]) {
        if read.is_empty() || self.http2 || !self.activity.rests() {
            return;
        }
        let begun = self.activity.begun();
        if self.head.after != Some(begun) {
            self.http2 = begun == 0 && read.starts_with(HTTP2);
            self.head = Head { after: Some(begun), deadline: None };
        }
    }

    /// Starts a replacement when hyper is about to write a refusal of its own.
    fn intercept(&mut self, buf: &[u8]) {
        if self.replacement.is_none()
            && self.activity.rests()
            && let Some(status) = own_refusal(buf)
        {
            self.activity.linger();
            self.replacement = Some(Replacement { answer: (self.refuse)(status), claimed: buf.len() });
        }
    }

    fn poll_replacement(&mut self, cx: &mut Context<'_>) -> Option<Poll<io::Result<usize>>> {
        let replacement = self.replacement.as_mut()?;
        while replacement.answer.has_remaining() {
            match Pin::new(&mut self.stream).poll_write(cx, &replacement.answer) {
                Poll::Ready(Ok(written)) => replacement.answer.advance(written),
                Poll::Ready(Err(error)) => return Some(Poll::Ready(Err(error))),
                Poll::Pending => return Some(Poll::Pending),
            }
        }
        let claimed = replacement.claimed;
        self.replacement = None;
        Some(Poll::Ready(Ok(claimed)))
    }
}

/// The parts as one text, if there are several and all of them have room in `scrap`.
fn together<'s>(parts: &[IoSlice<'_>], scrap: &'s mut [u8; SMALL]) -> Option<&'s [u8]> {
    let size = parts.iter().map(|part| part.len()).sum();
    if parts.len() < 2 || size > SMALL {
        return None;
    }
    let mut rest = scrap.as_mut_slice();
    for part in parts {
        let (place, after) = rest.split_at_mut_checked(part.len())?;
        place.copy_from_slice(part);
        rest = after;
    }
    scrap.get(..size)
}

/// The status of an answer that hyper makes when it cannot read a request: a 4xx without body that closes the connection.
/// No handler of this server writes such a head: all its errors have a body.
fn own_refusal(buf: &[u8]) -> Option<u16> {
    let text = buf.strip_prefix(b"HTTP/1.1 ").and_then(|rest| std::str::from_utf8(rest).ok())?;
    let (line, headers) = text.split_once("\r\n")?;
    let status = line.get(..3)?.parse().ok()?;
    let is_refusal = matches!(status, 400 | 414 | 431)
        && headers.ends_with("\r\n\r\n")
        && headers.contains("connection: close\r\n")
        && headers.contains("content-length: 0\r\n");
    is_refusal.then_some(status)
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        match Pin::new(&mut self.stream).poll_read(cx, buf) {
            Poll::Ready(Ok(())) => {
                self.note_read(buf.filled().get(before..).unwrap_or_default());
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => self.poll_head_deadline(cx).map(Err),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.intercept(buf);
        match self.poll_replacement(cx) {
            Some(poll) => poll,
            None => Pin::new(&mut self.stream).poll_write(cx, buf),
        }
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        if let Some(first) = bufs.iter().find(|buf| !buf.is_empty()) {
            self.intercept(first);
        }
        if let Some(poll) = self.poll_replacement(cx) {
            return poll;
        }
        let mut scrap = [0; SMALL];
        match together(bufs, &mut scrap) {
            Some(small) => Pin::new(&mut self.stream).poll_write(cx, small),
            None => Pin::new(&mut self.stream).poll_write_vectored(cx, bufs),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.lingering.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
            if !this.activity.should_linger() {
                return Poll::Ready(Ok(()));
            }
        }
        let stream = &mut this.stream;
        let lingering = this.lingering.get_or_insert_with(|| Lingering {
            left: LINGER_BYTES,
            deadline: Box::pin(tokio::time::sleep_until(Instant::now() + LINGER_TIME)),
        });
        let mut scrap = [0; 8192];
        while lingering.left > 0 {
            let mut buf = ReadBuf::new(&mut scrap);
            match Pin::new(&mut *stream).poll_read(cx, &mut buf) {
                Poll::Ready(Ok(())) if !buf.filled().is_empty() => {
                    lingering.left = lingering.left.saturating_sub(buf.filled().len());
                }
                Poll::Ready(_) => break,
                Poll::Pending => return lingering.deadline.as_mut().poll(cx).map(Ok),
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_parts_are_put_together() {
        let together = |parts: &[&[u8]]| {
            let parts: Vec<_> = parts.iter().map(|part| IoSlice::new(part)).collect();
            super::together(&parts, &mut [0; SMALL]).map(<[u8]>::to_vec)
        };
        assert_eq!(together(&[b"head", b"", b"body"]), Some(b"headbody".to_vec()));
        assert_eq!(together(&[&[1; 1000], &[2; 24]]), Some([[1; 1000].as_slice(), &[2; 24]].concat()));
        assert_eq!(together(&[&[1; 1000], &[2; 25]]), None);
        assert_eq!(together(&[b"alone"]), None);
        assert_eq!(together(&[]), None);
    }

    #[test]
    fn only_refusals_without_a_body_are_replaced() {
        let head = |line: &str, headers: &str| own_refusal(format!("HTTP/1.1 {line}\r\n{headers}\r\n\r\n").as_bytes());
        let close = "connection: close\r\ncontent-length: 0\r\ndate: Fri, 20 Nov 2026 10:00:00 GMT";
        assert_eq!(head("414 URI Too Long", close), Some(414));
        assert_eq!(head("431 Request Header Fields Too Large", close), Some(431));
        assert_eq!(head("400 Bad Request", close), Some(400));
        assert_eq!(head("404 Not Found", close), None);
        assert_eq!(head("200 OK", close), None);
        assert_eq!(head("400 Bad Request", "content-length: 0"), None);
        assert_eq!(head("400 Bad Request", "connection: close\r\ncontent-length: 12"), None);
        assert_eq!(own_refusal(b"HTTP/1.1 4"), None);
        assert_eq!(own_refusal(&[0xff; 40]), None);
    }
}
