//! Revisions: the order of commits, and the entity tags made of them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The number of the commit that last wrote a row; later commits have greater ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Revision(pub i64);

impl Revision {
    /// The entity tag of a row last written at this revision.
    #[must_use]
    pub fn etag(self) -> Etag {
        Etag(format!("\"{:x}\"", self.0))
    }
}

/// A strong entity tag with its quotes, as in RFC 9110 section 8.8.3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Etag(pub String);

impl Etag {
    /// Whether an `If-Match` value of this text admits a row at `revision`: `*`, the tag itself, or a list holding it
    /// (RFC 9110 section 13.1.1). Weak tags never match.
    #[must_use]
    pub fn admits(&self, revision: Revision) -> bool {
        let tag = revision.etag().0;
        self.0.split(',').map(str::trim).any(|candidate| candidate == "*" || candidate == tag)
    }
}

/// What has an entity tag.
pub trait Versioned {
    /// The commit that last wrote it.
    fn revision(&self) -> Revision;
}

/// Says where nouns have their revision.
macro_rules! versioned {
    ($($noun:ty: $($path:ident).+;)+) => { $(
        impl $crate::revision::Versioned for $noun {
            fn revision(&self) -> $crate::revision::Revision {
                self.$($path).+
            }
        }
    )+ };
}

pub(crate) use versioned;

impl fmt::Display for Etag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_match_admits_the_tag_a_list_and_a_star() {
        let admits = |value: &str| Etag(value.to_owned()).admits(Revision(0x2a));
        assert!(admits("\"2a\"") && admits("*") && admits("\"1\", \"2a\""));
        assert!(!admits("\"2b\"") && !admits("2a") && !admits("W/\"2a\"") && !admits(""));
    }
}
