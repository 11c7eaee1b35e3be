//! The signals that end the server and long work, or make it look at its files.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Watches for SIGTERM and SIGINT from now on; the future names the one that came.
///
/// # Errors
/// When the system refuses to watch for signals.
pub(super) fn termination() -> std::io::Result<impl Future<Output = &'static str>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        }
    })
}

/// SIGHUP: look at what is watched.
///
/// # Errors
/// When the system refuses to watch for signals.
pub(super) fn hangups() -> std::io::Result<Signal> {
    signal(SignalKind::hangup())
}
