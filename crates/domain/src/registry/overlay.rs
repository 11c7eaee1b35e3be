//! Overlays: named lists of packages that go into images, and which tags of which repository they are bound to.

use serde::{Deserialize, Serialize};

use super::TagName;
use crate::{revision::Revision, text::Name, time::Timestamp, uidp::Uidp};

/// A named list of packages. It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlay {
    /// Its identifier; the parent is the group.
    pub uid: Uidp,
    /// What callers may set.
    pub spec: OverlaySpec,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What callers may set of an overlay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverlaySpec {
    /// Unique within its group.
    pub name: Name,
    /// What is added; order is kept.
    pub packages: Vec<String>,
}

/// An overlay at work in tags of a repository. It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverlayBinding {
    /// Its identifier; the parent is the repository.
    pub uid: Uidp,
    /// What callers may set.
    pub spec: OverlayBindingSpec,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What callers may set of an overlay binding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverlayBindingSpec {
    /// The overlay, of the same organization.
    pub overlay: Uidp,
    /// The tags by name, whether there are such or not; order is kept.
    pub tags: Vec<TagName>,
}

/// An overlay binding with its overlay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverlayBindingView {
    /// The binding.
    pub binding: OverlayBinding,
    /// What it binds.
    pub overlay: Overlay,
}
