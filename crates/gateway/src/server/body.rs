//! Bodies: what requests may bring, and what answers carry.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use domain::{Error, Rule};
use http::{HeaderMap, Version, header::EXPECT, request::Parts};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::{BodyExt as _, LengthLimitError, Limited, combinators::UnsyncBoxBody};
use hyper::body::Incoming;

use super::activity::UnderWay;
use crate::observe::Record;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What is still read of a body that is too large: this much, for this long.
const DISCARDED_BYTES: usize = 16 << 20;
const DISCARD_TIME: Duration = Duration::from_secs(1);

/// Reads the body, of at most `limit` bytes, of the request that `head` begins.
///
/// # Errors
/// Invalid argument when it is larger, or when the client stops in the middle.
pub(crate) async fn read(mut body: Incoming, head: &Parts, limit: usize) -> Result<Bytes, Error> {
    if body.size_hint().lower() <= limit as u64 {
        match Limited::new(&mut body, limit).collect().await {
            Ok(body) => return Ok(body.to_bytes()),
            Err(error) if !error.is::<LengthLimitError>() => {
                let error = Error::invalid(Rule::Malformed, "the body ended before it was complete").because(error);
                return Err(error);
            }
            Err(_) => {}
        }
    }
    if head.version == Version::HTTP_2 && !waits(&head.headers) {
        discard(body).await;
    }
    Err(too_large(limit))
}

/// Whether the client sends no body before it has an answer (RFC 9110 section 10.1.1). One that waits has nothing to get rid of,
/// and gives up waiting after about as long as a body would be waited for.
fn waits(headers: &HeaderMap) -> bool {
    headers.get(EXPECT).is_some_and(|wish| wish.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// Reads a body to its end if that is near. Over HTTP/2 an answer that comes earlier is followed by a reset of the stream
/// (RFC 9113 section 8.1), and some clients lose the answer with it. Connections of HTTP/1.1 linger instead.
async fn discard(mut body: Incoming) {
    if body.size_hint().lower() > DISCARDED_BYTES as u64 {
        return;
    }
    let discarded = async {
        let mut left = DISCARDED_BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
            if left == 0 {
                return;
            }
        }
    };
    // Whatever comes of it, the answer is the same.
    let _ = tokio::time::timeout(DISCARD_TIME, discarded).await;
}

/// The error for a body or message above the limit.
pub(crate) fn too_large(limit: usize) -> Error {
    Error::invalid(Rule::TooLarge, format!("the body is larger than {limit} bytes"))
}

/// The body of an answer.
pub(crate) struct Body {
    content: Content,
    tail: Option<Box<Tail>>,
}

enum Content {
    Whole(Option<Bytes>),
    Stream(UnsyncBoxBody<Bytes, BoxError>),
}

/// What happens when the answer has been sent, or the client went away: the request ends and is logged.
struct Tail {
    record: Record,
    status: u16,
    sent: u64,
    _under_way: UnderWay,
}

impl Body {
    /// A body that is known as a whole.
    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self { content: Content::Whole((!bytes.is_empty()).then_some(bytes)), tail: None }
    }

    /// A body that is still being made.
    pub(crate) fn stream<B>(body: B) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self { content: Content::Stream(body.map_err(Into::into).boxed_unsync()), tail: None }
    }

    /// The same body, whose end is the end of the request.
    pub(super) fn ending(self, record: Record, status: u16, under_way: UnderWay) -> Self {
        Self { tail: Some(Box::new(Tail { record, status, sent: 0, _under_way: under_way })), ..self }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let polled = match &mut self.content {
            Content::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Content::Stream(body) => Pin::new(body).poll_frame(cx),
        };
        if let (Poll::Ready(Some(Ok(frame))), Some(tail)) = (&polled, &mut self.tail) {
            tail.sent += frame.data_ref().map_or(0, |data| data.len() as u64);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Whole(bytes) => bytes.is_none(),
            Content::Stream(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Content::Stream(body) => body.size_hint(),
        }
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        self.record.end(self.status, self.sent);
    }
}
