//! Instants and the clock that gives them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An instant in milliseconds since 1970-01-01T00:00:00Z, the resolution of every stored time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The instant `seconds` after 1970 (a JWT `NumericDate`, RFC 7519 section 2).
    #[must_use]
    pub fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// Whole seconds since 1970, rounded down.
    #[must_use]
    pub fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// This instant moved by `seconds`, which may be negative.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1000)))
    }
}

/// Where the present comes from. The program wires the system clock; tests wire one that stands still.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The present.
    fn now(&self) -> Timestamp;
}
