//! The end of the audit log in the server's own log: whoever keeps that elsewhere sees whether the audit log was cut off.

use std::time::Duration;

use store::Store;
use tokio_util::sync::CancellationToken;

/// How often it is told.
const INTERVAL: Duration = Duration::from_hours(1);

/// Tells it now, and each hour in which something was written, until `stop`.
pub(super) async fn tell(store: Store, stop: CancellationToken) {
    let mut told = None;
    let mut ticks = tokio::time::interval(INTERVAL);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = ticks.tick() => tell_once(&store, &mut told).await,
        }
    }
}

/// Tells it, unless it is what was told last.
pub(super) async fn tell_once(store: &Store, told: &mut Option<String>) {
    match store.head().await {
        Ok(Some(head)) if told.as_ref() != Some(&head.code()) => {
            tracing::info!(head = head.code(), revision = head.revision.0, "the end of the audit log");
            *told = Some(head.code());
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(?error, "cannot read the end of the audit log"),
    }
}
