//! Places in lists.

use domain::{Timestamp, Uidp};
use serde::{Deserialize, Serialize};

/// A place in an ordered list: that of an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cursor {
    /// What the list is ordered by.
    pub key: CursorKey,
    /// The item.
    pub uid: Uidp,
}

/// The order key of an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CursorKey {
    /// Ordered by the identifier alone.
    Uid,
    /// Ordered by this name.
    Name(String),
    /// Ordered by this time.
    Time(Timestamp),
}
