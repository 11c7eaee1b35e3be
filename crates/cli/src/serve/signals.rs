//! The signals that end the server.

use tokio::signal::unix::{SignalKind, signal};

/// Waits for SIGTERM or SIGINT and names it.
///
/// # Errors
/// When the system refuses to watch for signals.
pub(crate) async fn termination() -> std::io::Result<&'static str> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
    })
}
