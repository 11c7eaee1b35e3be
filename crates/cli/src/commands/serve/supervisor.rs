//! What a service manager is told that asked for it in `NOTIFY_SOCKET`: `sd_notify(3)`.

use sd_notify::NotifyState;

/// The server answers.
pub(super) fn ready(url: &str) {
    tell(&[NotifyState::Ready, NotifyState::Status(&format!("serving {url}"))]);
}

/// The server finishes what is under way.
pub(super) fn stopping() {
    tell(&[NotifyState::Stopping]);
}

fn tell(state: &[NotifyState<'_>]) {
    // Without such a manager nothing is told.
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the service manager cannot be told");
    }
}
