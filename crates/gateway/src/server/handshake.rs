//! TLS handshakes: bounded in number and time, and polite to those who speak without TLS.

use std::net::SocketAddr;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{Duration, timeout},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::Shared;
use crate::tls::Tls;

/// The content type of a handshake record: what every TLS connection begins with (RFC 8446 section 5.1).
const HANDSHAKE: u8 = 22;

/// How long, and how much, is read of what came without TLS, so that the answer is not lost with it.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: u64 = 64 << 10;

/// The stream in TLS; `None` when there is none.
pub(super) async fn shake(shared: &Shared, tls: &Tls, stream: TcpStream, peer: SocketAddr) -> Option<TlsStream<TcpStream>> {
    match timeout(shared.settings.limits.handshake_timeout, begin(shared, tls, stream)).await {
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

async fn begin(shared: &Shared, tls: &Tls, stream: TcpStream) -> std::io::Result<Option<TlsStream<TcpStream>>> {
    let mut first = [0];
    // Whoever says nothing takes no place from those who do.
    if stream.peek(&mut first).await? == 0 {
        return Ok(None);
    }
    if first != [HANDSHAKE] {
        return explain(stream).await.map(|()| None);
    }
    let _place = shared.handshakes.acquire().await.map_err(std::io::Error::other)?;
    TlsAcceptor::from(tls.config()).accept(stream).await.map(Some)
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
