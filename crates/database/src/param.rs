//! Values that go into SQL.

use std::{borrow::Cow, fmt};

use domain::{Revision, Timestamp, Uidp};

/// A value for a `$n` placeholder.
#[derive(Clone, PartialEq, Eq)]
pub enum Param<'a> {
    /// None.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number, a time or a revision.
    Int(i64),
    /// A text; it must not have the character U+0000.
    Text(Cow<'a, str>),
    /// Bytes.
    Bytes(Cow<'a, [u8]>),
}

impl Param<'_> {
    /// The same value, borrowed from nobody.
    #[must_use]
    pub fn into_owned(self) -> Param<'static> {
        match self {
            Self::Null => Param::Null,
            Self::Bool(value) => Param::Bool(value),
            Self::Int(value) => Param::Int(value),
            Self::Text(value) => Param::Text(Cow::Owned(value.into_owned())),
            Self::Bytes(value) => Param::Bytes(Cow::Owned(value.into_owned())),
        }
    }
}

/// Values are not printed: a client library's log may be on, and they are somebody's data.
impl fmt::Debug for Param<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
        })
    }
}

impl From<bool> for Param<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Param<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<Timestamp> for Param<'_> {
    fn from(value: Timestamp) -> Self {
        Self::Int(value.0)
    }
}

impl From<Revision> for Param<'_> {
    fn from(value: Revision) -> Self {
        Self::Int(value.0)
    }
}

impl<'a> From<&'a str> for Param<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}

impl<'a> From<&'a String> for Param<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}

impl From<String> for Param<'_> {
    fn from(value: String) -> Self {
        Self::Text(Cow::Owned(value))
    }
}

impl<'a> From<&'a Uidp> for Param<'a> {
    fn from(value: &'a Uidp) -> Self {
        Self::Text(Cow::Borrowed(value.as_str()))
    }
}

impl<'a> From<&'a [u8]> for Param<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Bytes(Cow::Borrowed(value))
    }
}

impl<'a, T: Into<Param<'a>>> From<Option<T>> for Param<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
