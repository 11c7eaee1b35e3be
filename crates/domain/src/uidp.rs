//! UIDPs: slash paths that name every resource and say where it lives.

use std::{borrow::Cow, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A resource's path identifier: `^[0-9a-f]{40}(/[0-9a-f]{16})*$`.
///
/// The first segment is a root (an organization, a user identity or a built-in role), each further one a child.
/// Ordering is byte order, which is also the order of both storage engines.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Uidp(Box<str>);

/// A text is not a UIDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAUidp;

impl Uidp {
    /// Length of a root segment in characters: 20 bytes in hex.
    pub const ROOT_LEN: usize = 40;
    /// Length of a child segment in characters: 8 bytes in hex.
    pub const CHILD_LEN: usize = 16;
    /// Longest accepted identifier in characters: a root and 64 levels below it. An index row holds two of them and a name,
    /// and PostgreSQL's index rows end at 2704 bytes.
    pub const MAX_LEN: usize = Self::ROOT_LEN + 64 * (Self::CHILD_LEN + 1);
    /// The text that stands for "above every root" in filters and in the store's `parent` column.
    pub const ROOT: &'static str = "/";

    /// A root made of 20 bytes.
    #[must_use]
    pub fn root_from(bytes: [u8; 20]) -> Self {
        Self(hex(&bytes).into())
    }

    /// The child of `self` made of 8 bytes.
    #[must_use]
    pub fn child(&self, bytes: [u8; 8]) -> Self {
        Self(format!("{}/{}", self.0, hex(&bytes)).into())
    }

    /// The identifier as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The resource one level up; `None` for a root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.into()))
    }

    /// The parent as the store writes it: `/` for a root.
    #[must_use]
    pub fn parent_text(&self) -> &str {
        self.0.rsplit_once('/').map_or(Self::ROOT, |(parent, _)| parent)
    }

    /// The first segment: the organization for everything that lives in one.
    #[must_use]
    pub fn root(&self) -> Self {
        Self(self.root_text().into())
    }

    /// The first segment as text.
    #[must_use]
    pub fn root_text(&self) -> &str {
        self.0.split_once('/').map_or(&*self.0, |(root, _)| root)
    }

    /// Whether this is a root: it has no parent.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.len() == Self::ROOT_LEN
    }

    /// Whether `other` is this resource or lives anywhere below it.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.0.strip_prefix(&*self.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Every proper ancestor, the root first.
    pub fn ancestors(&self) -> impl Iterator<Item = &str> {
        self.0.match_indices('/').filter_map(|(at, _)| self.0.get(..at))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        for nibble in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
        }
        text
    })
}

impl FromStr for Uidp {
    type Err = NotAUidp;

    fn from_str(text: &str) -> Result<Self, NotAUidp> {
        // All of them are looked at, many at a time: most texts are what they should be.
        let hex = |digits: &[u8]| digits.iter().fold(true, |so_far, digit| so_far & matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        let child = |segment: &[u8]| segment.split_first().is_some_and(|(slash, digits)| *slash == b'/' && hex(digits));
        let (root, below) = text.as_bytes().split_at_checked(Self::ROOT_LEN).ok_or(NotAUidp)?;
        let children = below.chunks_exact(1 + Self::CHILD_LEN);
        let valid = text.len() <= Self::MAX_LEN && hex(root) && children.remainder().is_empty() && { children }.all(child);
        valid.then(|| Self(text.into())).ok_or(NotAUidp)
    }
}

impl TryFrom<String> for Uidp {
    type Error = NotAUidp;

    fn try_from(text: String) -> Result<Self, NotAUidp> {
        text.parse()
    }
}

impl From<Uidp> for String {
    fn from(uidp: Uidp) -> Self {
        uidp.0.into()
    }
}

impl<'a> From<&'a Uidp> for Cow<'a, str> {
    fn from(uidp: &'a Uidp) -> Self {
        Cow::Borrowed(&uidp.0)
    }
}

impl AsRef<str> for Uidp {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Uidp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Uidp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for NotAUidp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a UIDP: 40 lower-case hex digits, then /16 hex digits for each level below")
    }
}

impl std::error::Error for NotAUidp {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn accepts_exactly_the_published_shape(text in "[0-9a-f]{39,41}(/[0-9a-fA-F]{15,17}){0,3}/?") {
            let shape = text.split('/').enumerate().all(|(i, s)| {
                s.len() == if i == 0 { 40 } else { 16 } && s.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
            });
            prop_assert_eq!(text.parse::<Uidp>().is_ok(), shape);
        }

        #[test]
        fn never_panics(text in "\\PC{0,200}") {
            let _ = text.parse::<Uidp>();
        }

        #[test]
        fn a_child_is_below_its_ancestors_and_no_sibling(root in any::<[u8; 20]>(), a in any::<[u8; 8]>(), b in any::<[u8; 8]>()) {
            let root = Uidp::root_from(root);
            let child = root.child(a).child(b);
            prop_assert_eq!(child.to_string().parse::<Uidp>(), Ok(child.clone()));
            prop_assert!(root.contains(&child) && child.contains(&child) && !child.contains(&root));
            prop_assert_eq!(child.parent(), Some(root.child(a)));
            prop_assert_eq!(child.root(), root.clone());
            let ancestors: Vec<_> = child.ancestors().map(str::to_owned).collect();
            prop_assert_eq!(ancestors, vec![root.to_string(), root.child(a).to_string()]);
            prop_assert_eq!(root.child(a).contains(&root.child(b)), a == b);
        }
    }
}
