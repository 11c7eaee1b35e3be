//! TLS handshakes: bounded in number and time, and polite to those who speak without TLS.

use std::{
    io,
    net::SocketAddr,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::{Semaphore, SemaphorePermit},
    time::{Duration, sleep, timeout},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::{Shared, permits};
use crate::{budget::Client, metrics::Limit, tls::Tls};

/// The content type of a handshake record: what every TLS connection begins with (RFC 8446 section 5.1).
const HANDSHAKE: u8 = 22;

/// How long, and how much, is read of what came without TLS, so that the answer is not lost with it.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: u64 = 64 << 10;

/// How long a handshake may take while others wait for its place, and how often it looks whether they do. The server's part of a
/// handshake takes milliseconds; the rest is waiting for the client.
const PATIENCE: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(100);

/// The places for handshakes.
pub(crate) struct Handshakes {
    places: Semaphore,
    /// How many wait for a place.
    waiting: AtomicUsize,
}

/// Somebody who waits for a place.
struct Waiting<'a>(&'a AtomicUsize);

impl Handshakes {
    pub(super) fn new(most: usize) -> Self {
        Self { places: Semaphore::new(permits(most)), waiting: AtomicUsize::new(0) }
    }

    async fn place(&self) -> io::Result<SemaphorePermit<'_>> {
        if let Ok(place) = self.places.try_acquire() {
            return Ok(place);
        }
        self.waiting.fetch_add(1, Relaxed);
        let _waiting = Waiting(&self.waiting);
        self.places.acquire().await.map_err(io::Error::other)
    }

    /// Completes when a handshake that begins now has taken long enough, because others wait.
    async fn are_needed(&self) {
        sleep(PATIENCE).await;
        while self.waiting.load(Relaxed) == 0 {
            sleep(LOOK).await;
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// The stream in TLS; `None` when there is none. The handshakes of a `client` that is counted apart wait for each other first.
pub(super) async fn shake(
    shared: &Shared,
    tls: &Tls,
    stream: TcpStream,
    peer: SocketAddr,
    client: Option<Client>,
) -> Option<TlsStream<TcpStream>> {
    let limits = &shared.settings.limits;
    match timeout(limits.handshake_timeout.min(limits.header_timeout), begin(shared, tls, stream, client)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            tracing::debug!(%peer, %error, "TLS handshake failed");
            None
        }
        Err(_) => {
            tracing::debug!(%peer, "TLS handshake took too long");
            None
        }
    }
}

async fn begin(
    shared: &Shared,
    tls: &Tls,
    stream: TcpStream,
    client: Option<Client>,
) -> io::Result<Option<TlsStream<TcpStream>>> {
    let mut first = [0];
    // Whoever says nothing takes no place from those who do.
    if stream.peek(&mut first).await? == 0 {
        return Ok(None);
    }
    if first != [HANDSHAKE] {
        return explain(stream).await.map(|()| None);
    }
    let address = client.map(|client| shared.budget.address(client));
    let _own = match &address {
        Some(address) => {
            let own = address.handshakes(shared.settings.limits.handshakes_per_address);
            Some(own.acquire().await.map_err(io::Error::other)?)
        }
        None => None,
    };
    let _place = shared.handshakes.place().await?;
    tokio::select! {
        shaken = TlsAcceptor::from(tls.config()).accept(stream) => shaken.map(Some),
        () = shared.handshakes.are_needed() => {
            shared.metrics.reached(Limit::Handshakes);
            Err(io::Error::new(io::ErrorKind::TimedOut, "others wait for the place of a handshake that takes long"))
        }
    }
}

/// Tells a client that speaks HTTP/1.1 what it should speak, and closes.
async fn explain(mut stream: TcpStream) -> std::io::Result<()> {
    const SENTENCE: &str = "this port speaks HTTPS alone\n";
    let answer = format!(
        "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{SENTENCE}",
        SENTENCE.len()
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    let mut rest = tokio::io::sink();
    let mut unread = stream.take(LINGER_BYTES);
    // The answer has been sent; how the rest goes makes no difference.
    let _ = timeout(LINGER, tokio::io::copy(&mut unread, &mut rest)).await;
    Ok(())
}
