//! Names and descriptions: the two texts that almost every noun carries.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

use crate::error::{Violations, last_segment};

/// How much of a text that a caller chose an error repeats, in bytes.
const EXCERPT: usize = 100;

/// A text that a caller chose, or its beginning and a mark that there is more: short enough to be repeated in an error.
#[must_use]
pub fn excerpt(text: &str) -> Cow<'_, str> {
    match text.get(..text.floor_char_boundary(EXCERPT)) {
        Some(begin) if begin.len() < text.len() => Cow::Owned(format!("{begin}…")),
        _ => Cow::Borrowed(text),
    }
}

/// A noun's name: `^[a-z0-9 ._-]{1,}$`, at most 255 bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Name(Box<str>);

impl Name {
    /// Longest accepted name in bytes.
    pub const MAX_LEN: usize = 255;

    /// The name, or a violation of `field` and `None`.
    ///
    /// An absent name arrives as the empty text and is answered like any other that does not match.
    pub fn parse(field: &str, text: &str, violations: &mut Violations) -> Option<Self> {
        let matches = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b' ' | b'.' | b'_' | b'-');
        if text.is_empty() || !text.bytes().all(matches) {
            violations.add(field, format!("{} must match \"^[a-z0-9 ._-]{{1,}}$\"", last_segment(field)));
            None
        } else if text.len() > Self::MAX_LEN {
            violations.add(field, format!("{} must be at most {} bytes", last_segment(field), Self::MAX_LEN));
            None
        } else {
            Some(Self(text.into()))
        }
    }

    /// A name that the store or this program wrote, taken as it is.
    #[must_use]
    pub fn trusted(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A noun's description: `^[\S ]{0,512}$` as RE2 reads it, whose `\S` is everything but the tab, the line feed, the form feed, the
/// carriage return and the space of ASCII; and no NUL, which databases do not keep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Description(Box<str>);

impl Description {
    /// Longest accepted description in characters.
    pub const MAX_CHARS: usize = 512;

    /// The description, or a violation of `field` and `None`. Empty is allowed.
    pub fn parse(field: &str, text: &str, violations: &mut Violations) -> Option<Self> {
        let is_refused = |c: char| matches!(c, '\t' | '\n' | '\x0c' | '\r' | '\0');
        if text.contains(is_refused) || text.chars().count() > Self::MAX_CHARS {
            let max = Self::MAX_CHARS;
            violations.add(field, format!("{} must match \"^[\\S ]{{0,{max}}}$\"", last_segment(field)));
            return None;
        }
        Some(Self(text.into()))
    }

    /// A description that the store or this program wrote, taken as it is.
    #[must_use]
    pub fn trusted(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The description as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_end_between_characters() {
        assert_eq!(excerpt("short"), "short");
        assert_eq!(excerpt(&"a".repeat(100)), "a".repeat(100));
        assert_eq!(excerpt(&"a".repeat(101)), format!("{}…", "a".repeat(100)));
        assert_eq!(excerpt(&"漢".repeat(50)), format!("{}…", "漢".repeat(33)));
    }

    fn name(text: &str) -> std::result::Result<String, String> {
        let mut violations = Violations::default();
        let name = Name::parse("name", text, &mut violations);
        violations.check().map_err(|e| e.message().to_owned())?;
        Ok(name.map(|n| n.to_string()).unwrap_or_default())
    }

    #[test]
    fn names_follow_the_published_rule() {
        let refused = Err("Invalid argument: name: name must match \"^[a-z0-9 ._-]{1,}$\"".to_owned());
        assert_eq!(name("my-team 1._"), Ok("my-team 1._".to_owned()));
        for bad in ["", "Team", "a/b", "é", "a\n", "a\0"] {
            assert_eq!(name(bad), refused, "{bad:?}");
        }
        assert_eq!(name(&"a".repeat(256)), Err("Invalid argument: name: name must be at most 255 bytes".to_owned()));
    }

    #[test]
    fn descriptions_follow_the_published_rule() {
        let text = ["", "Ünïcode is fine", "a\u{a0}b", "\u{2003}", "\u{85}", "\x0b", "\x7f"];
        let none = ["a\tb", "a\nb", "\r", "\x0c", "a\0"];
        for (text, accepted) in text.map(|text| (text, true)).into_iter().chain(none.map(|text| (text, false))) {
            let mut violations = Violations::default();
            assert_eq!(Description::parse("description", text, &mut violations).is_some(), accepted, "{text:?}");
        }
    }
}
