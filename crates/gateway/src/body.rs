//! Bodies: what requests may bring, and what answers carry.

mod inflow;

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use domain::{Error, Rule};
use http::{HeaderMap, Version, header::EXPECT, request::Parts};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::{BodyExt as _, combinators::UnsyncBoxBody};
use hyper::body::Incoming;

use self::inflow::Inflow;
pub(crate) use self::inflow::{Counted, Failure};
use crate::{
    activity::UnderWay,
    budget::{Load, ORDINARY},
    observe::Record,
};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What is still read of a body that is too large: this much, for this long.
const DISCARDED_BYTES: usize = 16 << 20;
const DISCARD_TIME: Duration = Duration::from_secs(1);

/// The largest part of an answer that is handed over at once. What is handed over cannot be taken back from the stream.
const PART: usize = 64 << 10;

/// Reads the body, of at most `limit` bytes and `frame` more around them, of the request that `head` begins. What it takes is
/// counted in `load`.
///
/// # Errors
/// Invalid argument when it is larger, or when the client stops in the middle; deadline exceeded when it arrives too slowly;
/// resource exhausted when there is no room for it.
pub(crate) async fn read(body: Incoming, head: &Parts, limit: usize, frame: usize, load: &Arc<Load>) -> Result<Bytes, Error> {
    let most = limit.saturating_add(frame);
    let mut inflow = Inflow::new(body, load);
    if inflow.size_hint().lower() <= most as u64
        && let Some(body) = gather(&mut inflow, most).await?
    {
        return Ok(body);
    }
    if head.version == Version::HTTP_2 && !waits(&head.headers) {
        discard(inflow.body).await;
    }
    Err(too_large(limit))
}

/// The whole body, unless it has more than `most` bytes. Parts are copied together: as they come, each may hold on to much more
/// memory than it has bytes.
async fn gather(inflow: &mut Inflow<Incoming>, most: usize) -> Result<Option<Bytes>, Error> {
    let mut whole = Vec::new();
    while let Some(frame) = inflow.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        if whole.is_empty() && inflow.is_end_stream() && data.len() <= most {
            inflow.load.hold(data.len().saturating_sub(ORDINARY))?;
            return Ok(Some(data));
        }
        let needed = whole.len() + data.len();
        if needed > most {
            return Ok(None);
        }
        if needed > whole.capacity() {
            let more = needed.max(2 * whole.capacity()).max(ORDINARY).min(most) - whole.len();
            inflow.load.hold(more - (whole.capacity() - whole.len()))?;
            whole.reserve_exact(more);
        }
        whole.extend_from_slice(&data);
    }
    Ok(Some(whole.into()))
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
    /// What was taken from the content and is still to be handed over.
    rest: Bytes,
    /// Whether the answer has more than one part. Such an answer ends when they are sent, so that until then its stream can be
    /// reset.
    parted: bool,
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
        Self::of(Content::Whole((!bytes.is_empty()).then_some(bytes)))
    }

    /// A body that is still being made.
    pub(crate) fn stream<B>(body: B) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self::of(Content::Stream(body.map_err(Into::into).boxed_unsync()))
    }

    fn of(content: Content) -> Self {
        Self { content, rest: Bytes::new(), parted: false, tail: None }
    }

    /// The same body, whose end is the end of the request.
    pub(crate) fn ending(self, record: Record, status: u16, under_way: UnderWay) -> Self {
        Self { tail: Some(Box::new(Tail { record, status, sent: 0, _under_way: under_way })), ..self }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        while this.rest.is_empty() {
            if this.parted && this.tail.as_ref().is_some_and(|tail| !tail.record.load.is_all_sent(cx)) {
                return Poll::Pending;
            }
            let frame = match &mut this.content {
                Content::Whole(bytes) => bytes.take().map(|bytes| Ok(Frame::data(bytes))),
                Content::Stream(body) => ready!(Pin::new(body).poll_frame(cx)),
            };
            match frame.map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) => {
                    this.parted |= data.len() > PART;
                    this.rest = data;
                }
                Some(Ok(Err(other))) => return Poll::Ready(Some(Ok(other))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        let part = this.rest.split_to(this.rest.len().min(PART));
        Poll::Ready(Some(Ok(Frame::data(match &mut this.tail {
            Some(tail) => {
                tail.sent += part.len() as u64;
                tail.record.load.part(part)
            }
            None => part,
        }))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
            && !self.parted
            && match &self.content {
                Content::Whole(bytes) => bytes.is_none(),
                Content::Stream(body) => body.is_end_stream(),
            }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64) + self.rest.len() as u64)
            }
            Content::Stream(body) => body.size_hint(),
        }
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        self.record.end(self.status, self.sent);
    }
}
