//! One connection from its acceptance to its end.

use std::{
    net::{IpAddr, SocketAddr},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use futures::{FutureExt as _, StreamExt as _, stream::FuturesUnordered};
use hyper::{Request, body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::coop::unconstrained,
};
use tokio_util::sync::CancellationToken;

use super::{Door, Shared, guard::Guarded, seats::Seat, streams::Streams, unreadable};
use crate::{
    activity::Activity,
    budget::{Line, Load},
    metrics::{Limit, Meter},
    settings::Limits,
};

/// How long a connection that was told to end may take for it.
const FAREWELL: Duration = Duration::from_secs(5);

/// How many header bytes beyond its own limits the server lets hyper read, so that it can answer with its own error.
const SLACK: usize = 32 << 10;

/// How much of the bodies of one stream, and of all streams of a connection, HTTP/2 may take in before the server asks for it.
/// The server asks at once for what it has room for, so that this is what clients far away may have on their way.
const STREAM_WINDOW: u32 = 256 << 10;
const CONNECTION_WINDOW: u32 = 512 << 10;

/// How the server ends a connection.
enum End {
    /// After what is under way.
    Polite,
    AtOnce,
    /// At once, because nobody reads its answers.
    Unread,
}

/// A connection, as its requests share it.
pub(super) struct Connection {
    shared: Arc<Shared>,
    pub(super) meter: Meter,
    pub(super) door: Door,
    /// Who is at its other end.
    pub(super) peer: IpAddr,
    line: Arc<Line>,
}

impl Connection {
    /// The load of a request that comes from `client`.
    pub(super) fn load(&self, client: IpAddr) -> Arc<Load> {
        Load::new(&self.line, client)
    }
}

/// How hyper serves connections under these limits.
pub(super) fn protocol(limits: &Limits, streams: Streams) -> auto::Builder<Streams> {
    let heads = limits.header_bytes + limits.url_bytes + SLACK;
    let mut builder = auto::Builder::new(streams);
    // The head deadline and the idle timeout are ours (`Guarded`, `watch`): hyper's one timer cannot tell them apart.
    builder.http1().timer(TokioTimer::new()).header_read_timeout(None).max_buf_size(heads);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams_per_connection)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_header_list_size(u32::try_from(heads).unwrap_or(u32::MAX))
        .keep_alive_interval(limits.keep_alive_interval)
        .keep_alive_timeout(limits.keep_alive_timeout);
    builder
}

/// Serves the connection until it ends, is idle for too long, nobody reads its answers, somebody else needs its seat, or the
/// server stops: politely at `stop`, at once at `abort`.
#[expect(clippy::too_many_arguments, reason = "what belongs to one connection, from one caller alone")]
pub(super) async fn serve(
    shared: Arc<Shared>,
    door: Door,
    protocol: auto::Builder<Streams>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    seat: &Seat,
    stop: CancellationToken,
    abort: CancellationToken,
) {
    let activity = &seat.activity;
    let limits = &shared.settings.limits;
    let (idle, head, send) = (limits.idle_timeout, limits.header_timeout, limits.send_timeout);
    let (line, metrics) = (Line::new(&shared.budget, peer.ip()), Arc::clone(&shared.metrics));
    let unread = Arc::clone(&line);
    let ours = Arc::new(Connection { meter: Meter::new(&shared.metrics), shared, door, peer: peer.ip(), line });
    let refuse = {
        let ours = Arc::clone(&ours);
        Box::new(move |status| {
            let peer = ours.peer.to_canonical();
            unreadable::answer(&ours.shared, peer, &ours.meter, ours.load(peer), status)
        })
    };
    let guarded = Guarded::new(stream, Arc::clone(activity), head, refuse);
    let requests = Arc::clone(activity);
    let service = service_fn(move |request: Request<Incoming>| {
        // Boxed: it is handed on from place to place.
        let (ours, request, under_way) = (Arc::clone(&ours), Box::new(request), requests.begin());
        async move { ours.shared.respond(request, &ours, under_way).await }
    });
    let mut connection = pin!(protocol.serve_connection(TokioIo::new(guarded), service));
    // Asked only when one of them has something to say, not with each request, and heard however much the connection has to do.
    let mut ends = FuturesUnordered::from_iter([
        stop.cancelled().map(|()| End::Polite).boxed(),
        watch(activity, idle).map(|()| End::Polite).boxed(),
        unread.stalls(send).map(|()| End::Unread).boxed(),
        seat.leave.cancelled().map(|()| End::AtOnce).boxed(),
        abort.cancelled().map(|()| End::AtOnce).boxed(),
    ]);
    tokio::select! {
        biased;
        result = connection.as_mut() => return log_end(result, peer),
        end = unconstrained(ends.next()) => match end {
            Some(End::Polite) | None => {}
            Some(End::AtOnce) => return,
            Some(End::Unread) => return metrics.reached(Limit::SendTimeout),
        },
    }
    connection.as_mut().graceful_shutdown();
    let overdue = async { if stop.is_cancelled() { std::future::pending().await } else { tokio::time::sleep(FAREWELL).await } };
    tokio::select! {
        result = connection => log_end(result, peer),
        () = overdue => {}
        () = unread.stalls(send) => metrics.reached(Limit::SendTimeout),
        () = seat.leave.cancelled() => {}
        () = abort.cancelled() => {}
    }
}

/// Returns when the connection has had no request for `limit`.
async fn watch(activity: &Activity, limit: Duration) {
    loop {
        match limit.checked_sub(activity.idle_for()) {
            Some(left) if !left.is_zero() => tokio::time::sleep(left).await,
            _ => return,
        }
    }
}

fn log_end(result: Result<(), Box<dyn std::error::Error + Send + Sync>>, peer: SocketAddr) {
    if let Err(error) = result {
        tracing::debug!(%peer, error = &*error as &dyn std::error::Error, "connection ended early");
    }
}
