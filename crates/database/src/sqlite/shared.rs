//! A connection of SQLite that may be shared by its owner and whoever is in a transaction on it, one after the other.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(super) type Shared = Arc<Mutex<rusqlite::Connection>>;

/// The raw connection. A panic while somebody held it leaves nothing half done: statements reset when dropped.
pub(super) fn lock(raw: &Shared) -> MutexGuard<'_, rusqlite::Connection> {
    raw.lock().unwrap_or_else(PoisonError::into_inner)
}
