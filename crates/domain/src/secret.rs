//! Values that must never reach a log, an error message or a debug print.

use std::fmt;

use serde::{Deserialize, Deserializer};
use zeroize::Zeroize;

/// A secret: prints as `[secret]` and is wiped when dropped.
#[derive(Clone)]
pub struct Secret<T: Zeroize>(T);

impl<T: Zeroize> Secret<T> {
    /// Wraps `value`.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// The value itself. Name the reason where this is called far from its use.
    pub fn expose(&self) -> &T {
        &self.0
    }
}

/// What is read from outside is a secret from the beginning.
impl<'de, T: Zeroize + Deserialize<'de>> Deserialize<'de> for Secret<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self)
    }
}

impl Secret<String> {
    /// The same secret, lent.
    #[must_use]
    pub fn lend(&self) -> LentSecret<'_> {
        LentSecret(&self.0)
    }
}

/// A secret text that stays with its owner, as a header stays with its request: prints as `[secret]`. Nothing is copied, so
/// nothing has to be wiped.
#[derive(Clone, Copy)]
pub struct LentSecret<'a>(&'a str);

impl<'a> LentSecret<'a> {
    /// Wraps `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// The text itself. Name the reason where this is called far from its use.
    #[must_use]
    pub fn expose(self) -> &'a str {
        self.0
    }

    /// A copy, for whoever keeps it longer than its owner.
    #[must_use]
    pub fn keep(self) -> Secret<String> {
        Secret::new(self.0.to_owned())
    }
}

impl fmt::Debug for LentSecret<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// A secret as [`crate::ports::Seal`] has sealed it, which is how it is stored. Prints as `[sealed]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed(Box<str>);

impl Sealed {
    /// What the seal has made, or the store has kept, taken as it is.
    #[must_use]
    pub fn trusted(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The sealed text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[sealed]")
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}
