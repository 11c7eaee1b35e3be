//! Settings of all repositories of a group.

use serde::{Deserialize, Serialize};

use crate::{revision::Revision, time::Timestamp, uidp::Uidp};

/// The settings of a group's registry, which always has some.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegistrySettings {
    /// The group's identifier: they have none of their own.
    pub uid: Uidp,
    /// What callers may set.
    pub spec: RegistrySettingsSpec,
    /// When they were first set.
    pub created_at: Timestamp,
    /// When they last changed.
    pub updated_at: Timestamp,
    /// The commit that last wrote them; that of their group where nobody has set any.
    pub revision: Revision,
}

/// What callers may set of a registry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegistrySettingsSpec {
    /// Whether every synced tag also gets one that is never moved.
    pub unique_tags: bool,
    /// Whether images are still built for a while when their main package is at the end of its life.
    pub eol_grace_period: bool,
}
