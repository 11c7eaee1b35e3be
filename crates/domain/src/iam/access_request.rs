//! Access requests: users who ask to be let into an organization.

use std::time::Duration;

use serde::Serialize;

use crate::{revision::Revision, time::Timestamp, uidp::Uidp};

/// How long who was refused has to wait before asking again.
const WAIT: Duration = Duration::from_hours(30 * 24);

/// A user who asks to be let into an organization. An organization has at most one of each user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccessRequest {
    /// Its identifier; the parent is the organization.
    pub uid: Uidp,
    /// Who asks.
    pub identity: Uidp,
    /// The verified address of who asks, as it was then.
    pub email: String,
    /// When it was refused; `None` while it is open.
    pub refused_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

impl AccessRequest {
    /// When the user may ask again; `None` while this one is open.
    #[must_use]
    pub fn again_at(&self) -> Option<Timestamp> {
        self.refused_at.map(|at| at.plus_seconds(i64::try_from(WAIT.as_secs()).unwrap_or(i64::MAX)))
    }
}
