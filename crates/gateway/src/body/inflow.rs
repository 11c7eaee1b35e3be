//! Bodies of requests as they arrive: at a rate that is not too slow, and counted.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use domain::{Error, Rule};
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Duration, Instant, Sleep, sleep_until};

use crate::budget::Load;

/// A body that must arrive at the slowest rate that is allowed.
pub(crate) struct Inflow<B> {
    pub(crate) body: B,
    pub(crate) load: Arc<Load>,
    begun: Instant,
    received: usize,
    deadline: Option<Pin<Box<Sleep>>>,
}

/// A body for readers that the server does not know: what they may keep of it is counted as it arrives, and its error is told
/// beside it, because they answer errors of bodies in their own way.
pub(crate) struct Counted<B> {
    inflow: Inflow<B>,
    /// How much of it is still to be counted: what is larger than this is not kept as a whole.
    uncounted: usize,
    failure: Failure,
}

/// Where the error of a [`Counted`] body is told.
pub(crate) type Failure = Arc<Mutex<Option<Error>>>;

impl<B> Inflow<B> {
    pub(crate) fn new(body: B, load: &Arc<Load>) -> Self {
        Self { body, load: Arc::clone(load), begun: Instant::now(), received: 0, deadline: None }
    }

    /// Until when more must have arrived.
    fn due(&self) -> Instant {
        let limits = self.load.limits();
        let rate = u32::try_from(limits.body_rate.max(1)).unwrap_or(u32::MAX);
        let earned = Duration::from_secs(1) / rate * u32::try_from(self.received).unwrap_or(u32::MAX);
        self.begun + limits.body_grace + earned
    }

    /// Waits for the moment from which on the body is too slow.
    fn poll_late(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let due = self.due();
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep_until(due)));
        if deadline.deadline() != due {
            deadline.as_mut().reset(due);
        }
        deadline.as_mut().poll(cx)
    }
}

impl<B> Counted<B> {
    /// Counts at most `most` bytes.
    pub(crate) fn new(body: B, load: &Arc<Load>, most: usize, failure: &Failure) -> Self {
        Self { inflow: Inflow::new(body, load), uncounted: most, failure: Arc::clone(failure) }
    }
}

impl<B> Body for Inflow<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let this = &mut *self;
        match Pin::new(&mut this.body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                this.received = this.received.saturating_add(frame.data_ref().map_or(0, Bytes::len));
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(error))) => {
                Poll::Ready(Some(Err(Error::invalid(Rule::Malformed, "the body ended before it was complete").because(error))))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => this.poll_late(cx).map(|()| Some(Err(this.load.too_slow()))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Body for Counted<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
        let this = &mut *self;
        Pin::new(&mut this.inflow).poll_frame(cx).map(|frame| {
            let counted = frame?.and_then(|frame| {
                let count = frame.data_ref().map_or(0, Bytes::len).min(this.uncounted);
                this.uncounted -= count;
                this.inflow.load.hold(count).map(|()| frame)
            });
            Some(counted.map_err(|error| {
                *this.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                "the body cannot be read"
            }))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.inflow.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inflow.size_hint()
    }
}
