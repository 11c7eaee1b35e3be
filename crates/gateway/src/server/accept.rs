//! The accept loop and the end of the server.

use std::{io, sync::Arc, time::Duration};

use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{Door, Shared, connection, handshake, seats::Seats, streams::Streams};
use crate::budget::Client;

/// How long the loop waits after an error that another attempt would meet again, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// Connections at once to what operators read.
const OPERATIONS: usize = 64;

/// Serves `listener`, which leads to `door`, until `stop`, then lets requests under way finish within the drain time.
pub(super) async fn serve(shared: Arc<Shared>, door: Door, listener: TcpListener, stop: CancellationToken) {
    let limits = &shared.settings.limits;
    // Requests of one connection run in tasks of their own; both kinds are waited for.
    let tasks = shared.gate.tasks.clone();
    let (send_timeout, metrics) = (limits.send_timeout, Arc::clone(&shared.metrics));
    let protocol = connection::protocol(limits, Streams { tasks: tasks.clone(), send_timeout, metrics });
    let seats = match &door {
        Door::Api => Arc::clone(&shared.seats),
        // What the operators read has seats of its own: it tells why the others are taken.
        Door::Operations(_) => Seats::new(OPERATIONS, OPERATIONS),
    };
    let abort = CancellationToken::new();
    loop {
        let next = tokio::select! {
            () = stop.cancelled() => break,
            next = accept(&listener) => next,
        };
        let (stream, peer) = match next {
            Ok(next) => next,
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        // Many clients are behind a proxy.
        let client = (!shared.settings.trusted_proxies.trusts(peer.ip())).then(|| Client::from(peer.ip()));
        let seat = match seats.take(client) {
            Ok(seat) => seat,
            Err(limit) => {
                tracing::debug!(%peer, limit = limit.as_str(), "connection refused");
                shared.metrics.reached(limit);
                continue;
            }
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%peer, %error, "connection refused its options");
        }
        let counted = matches!(door, Door::Api).then(|| shared.metrics.connected());
        let (shared, door, protocol) = (Arc::clone(&shared), door.clone(), protocol.clone());
        let (stop, abort) = (stop.clone(), abort.clone());
        tasks.spawn(async move {
            match shared.tls.as_ref().filter(|_| matches!(door, Door::Api)) {
                None => connection::serve(Arc::clone(&shared), door, protocol, stream, peer, &seat, stop, abort).await,
                Some(tls) => {
                    let shaken = tokio::select! {
                        shaken = handshake::shake(&shared, tls, stream, peer, client) => shaken,
                        () = seat.leave.cancelled() => None,
                        () = stop.cancelled() => None,
                    };
                    if let Some(stream) = shaken {
                        connection::serve(Arc::clone(&shared), door, protocol, stream, peer, &seat, stop, abort).await;
                    }
                }
            }
            drop((seat, counted));
        });
    }
    drop(listener);
    drain(&tasks, limits.drain, &abort).await;
}

async fn accept(listener: &TcpListener) -> io::Result<(tokio::net::TcpStream, std::net::SocketAddr)> {
    loop {
        match listener.accept().await {
            // The client gave up before it was accepted; the next one may be well.
            Err(error) if is_of_one_connection(&error) => {}
            accepted => return accepted,
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn drain(tasks: &TaskTracker, limit: Duration, abort: &CancellationToken) {
    tasks.close();
    if tokio::time::timeout(limit, tasks.wait()).await.is_err() {
        tracing::warn!(tasks = tasks.len(), "requests were still under way when the drain time was over");
        abort.cancel();
    }
}
