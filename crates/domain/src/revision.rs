//! Revisions: the order of commits, and the entity tags made of them.

use std::{fmt, sync::Arc};

use aws_lc_rs::hmac;
use serde::{Deserialize, Serialize};

use crate::{Error, Result, uidp::Uidp};

/// The number of the commit that last wrote a row; later commits have greater ones. It stays inside: it tells how much everybody writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Revision(pub i64);

impl Revision {
    /// The last one that a database is believed to have: whoever makes a million a second gets there in 146,000 years.
    pub const LAST: Self = Self(1 << 62);

    /// The one after it.
    ///
    /// # Errors
    /// Internal beyond [`Revision::LAST`], which only a database comes to that was changed outside this program.
    pub fn next(self) -> Result<Self> {
        let next = self.0.checked_add(1).map(Self).filter(|next| *next <= Self::LAST);
        next.ok_or_else(|| Error::internal(format!("the last commit has the number {}, which no database comes to", self.0)))
    }
}

/// A strong entity tag with its quotes, as in RFC 9110 section 8.8.3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Etag(pub String);

impl Etag {
    /// Whether an `If-Match` value of this text admits what has the entity tag `current`: `*`, the tag itself, or a list holding it
    /// (RFC 9110 section 13.1.1). Weak tags never match.
    #[must_use]
    pub fn admits(&self, current: &Self) -> bool {
        self.0.split(',').map(str::trim).any(|candidate| candidate == "*" || candidate == current.0)
    }

    /// What stands between the quotes.
    #[must_use]
    pub fn opaque(&self) -> &str {
        self.0.trim_matches('"')
    }
}

/// A version of one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version<'a> {
    /// The resource.
    pub uid: &'a Uidp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What has an entity tag.
pub trait Versioned {
    /// What its entity tag is made of.
    fn version(&self) -> Version<'_>;
}

/// Makes entity tags of versions: authentication codes (HMAC-SHA-256, RFC 2104) under a key of the server, of which nobody else learns
/// how much was written meanwhile, or elsewhere. Cheap to clone. The default one has a key that everybody knows, and is for what
/// the server does by itself.
#[derive(Clone)]
pub struct EntityTags(Arc<hmac::Key>);

impl EntityTags {
    /// Entity tags under this key.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self(Arc::new(hmac::Key::new(hmac::HMAC_SHA256, key)))
    }

    /// The entity tag of a version: two versions have the same one by chance in 2^64 cases.
    #[must_use]
    pub fn of(&self, version: Version<'_>) -> Etag {
        self.of_part(version, &[])
    }

    /// The entity tag of a part of a version, which these bytes name.
    #[must_use]
    pub fn of_part(&self, version: Version<'_>, part: &[u8]) -> Etag {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(&version.revision.0.to_be_bytes());
        context.update(version.uid.as_str().as_bytes());
        context.update(part);
        let code = context.sign();
        let (tag, _) = code.as_ref().split_first_chunk().unwrap_or((&[0; 8], &[]));
        Etag(format!("\"{:016x}\"", u64::from_be_bytes(*tag)))
    }
}

impl Default for EntityTags {
    fn default() -> Self {
        Self::new(&[0; 32])
    }
}

impl fmt::Debug for EntityTags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EntityTags")
    }
}

/// Says where nouns have their identifier and revision: in themselves, or in a part.
macro_rules! versioned {
    ($($noun:ty: $self:ident $(.$part:ident)*;)+) => { $(
        impl $crate::revision::Versioned for $noun {
            fn version(&$self) -> $crate::revision::Version<'_> {
                let row = &$self $(.$part)*;
                $crate::revision::Version { uid: &row.uid, revision: row.revision }
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
        let admits = |value: &str| Etag(value.to_owned()).admits(&Etag("\"2a\"".to_owned()));
        assert!(admits("\"2a\"") && admits("*") && admits("\"1\", \"2a\""));
        assert!(!admits("\"2b\"") && !admits("2a") && !admits("W/\"2a\"") && !admits(""));
    }

    #[test]
    fn tags_follow_from_key_resource_and_revision_alone() {
        let tag = |key: u8, uid: u8, revision: i64| {
            let uid = Uidp::root_from([uid; 20]);
            EntityTags::new(&[key; 32]).of(Version { uid: &uid, revision: Revision(revision) })
        };
        let all = [tag(1, 1, 1), tag(2, 1, 1), tag(1, 2, 1), tag(1, 1, 2)];
        for (at, one) in all.iter().enumerate() {
            assert!(one.0.len() == 18 && one.0.starts_with('"') && one.0.ends_with('"'), "{one}");
            assert!(all.iter().skip(at + 1).all(|other| one != other), "{all:?}");
        }
        assert_eq!(tag(1, 1, 1), all[0]);
        assert_eq!(format!("\"{}\"", all[0].opaque()), all[0].0);
    }
}
