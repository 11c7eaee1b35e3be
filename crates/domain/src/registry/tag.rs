//! Tags: the names of images in a repository.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    error::{Violations, last_segment},
    revision::Revision,
    text::excerpt,
    time::Timestamp,
    uidp::Uidp,
};

/// A name in a repository that stands for the image with a digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// Its identifier; the parent is the repository.
    pub uid: Uidp,
    /// What callers may set.
    pub spec: TagSpec,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// What callers may set of a tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagSpec {
    /// Unique within its repository.
    pub name: TagName,
    /// The image that it stands for; `None` for a tag that is announced before its image is there.
    pub digest: Option<Digest>,
    /// Whether it should be used no more.
    pub deprecated: bool,
    /// Catalogue bundles it belongs to; order is kept.
    pub bundles: Vec<String>,
}

/// A tag's name: `[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}` (OCI distribution specification 1.1, section "Pulling manifests").
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TagName(Box<str>);

/// What a tag's name says of it. Most have no such form; lists leave out those that have one unless they are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TagForms {
    /// `sha256-…`: it stands for what refers to an image, such as a signature, by the fallback of the OCI distribution
    /// specification (section "Referrers Tag Schema").
    pub referrer: bool,
    /// `…-20YYMMDD`: an image of that day.
    pub date: bool,
    /// `…-rN`: an image of that build of a package.
    pub epoch: bool,
}

/// What identifies content: `algorithm:encoded` (OCI image specification 1.1, section "Digests").
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(Box<str>);

impl TagName {
    /// What a name must match.
    pub const PATTERN: &str = "^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$";
    /// Longest accepted name in bytes.
    pub const MAX_LEN: usize = 128;

    /// The name, or a violation of `field` and `None`.
    pub fn parse(field: &str, text: &str, violations: &mut Violations) -> Option<Self> {
        if !Self::matches(text) {
            violations.add(field, format!("{} must match \"{}\"", last_segment(field), Self::PATTERN));
            return None;
        }
        Some(Self(text.into()))
    }

    /// Whether a tag may have this name.
    #[must_use]
    pub fn matches(text: &str) -> bool {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        text.len() <= Self::MAX_LEN
            && text.bytes().next().is_some_and(is_word)
            && text.bytes().all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
    }

    /// A name that the store wrote, taken as it is.
    #[must_use]
    pub fn trusted(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What it says of the tag.
    #[must_use]
    pub fn forms(&self) -> TagForms {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let last = self.0.rsplit_once('-').map(|(_, last)| last).unwrap_or_default();
        TagForms {
            referrer: self.0.starts_with("sha256-"),
            date: last.len() == 8 && last.starts_with("20") && digits(last),
            epoch: last.strip_prefix('r').is_some_and(digits),
        }
    }
}

impl TagForms {
    /// Every form.
    pub const ALL: Self = Self { referrer: true, date: true, epoch: true };

    /// A bit for each form.
    #[must_use]
    pub fn bits(self) -> u8 {
        u8::from(self.referrer) | u8::from(self.date) << 1 | u8::from(self.epoch) << 2
    }

    /// Those that have no form but these, as [`TagForms::bits`].
    pub fn within(self) -> impl Iterator<Item = u8> {
        (0..=Self::ALL.bits()).filter(move |bits| bits & !self.bits() == 0)
    }
}

impl Digest {
    /// Longest accepted digest in bytes.
    pub const MAX_LEN: usize = 255;

    /// The digest, or a violation of `field` and `None`. SHA-256 and SHA-512 have as many digits as they must; of other algorithms
    /// the form alone is judged.
    pub fn parse(field: &str, text: &str, violations: &mut Violations) -> Option<Self> {
        if !Self::matches(text) {
            let form = "algorithm:encoded, such as sha256: and 64 hexadecimal digits in lower case";
            violations.add(field, format!("{} must be a digest, {form}; {:?} is none", last_segment(field), excerpt(text)));
            return None;
        }
        Some(Self(text.into()))
    }

    fn matches(text: &str) -> bool {
        let Some((algorithm, encoded)) = text.split_once(':') else { return false };
        let hex =
            |digits: usize| encoded.len() == digits && encoded.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let lower = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9');
        match algorithm {
            _ if text.len() > Self::MAX_LEN => false,
            "sha256" => hex(64),
            "sha512" => hex(128),
            _ => {
                let component = |part: &str| !part.is_empty() && part.bytes().all(lower);
                let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'=' | b'_' | b'-');
                algorithm.split(['+', '.', '_', '-']).all(component) && !encoded.is_empty() && encoded.bytes().all(is_digit)
            }
        }
    }

    /// A digest that the store wrote, taken as it is.
    #[must_use]
    pub fn trusted(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The digest as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TagName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_registry() {
        let longest = "a".repeat(128);
        for (text, accepted) in [
            ("latest", true),
            ("_x.1-r0", true),
            ("A", true),
            (longest.as_str(), true),
            ("", false),
            (".x", false),
            ("-x", false),
            ("a/b", false),
            ("a\n", false),
            ("ä", false),
        ] {
            assert_eq!(TagName::matches(text), accepted, "{text:?}");
        }
        assert!(!TagName::matches(&"a".repeat(129)));
    }

    #[test]
    fn names_say_what_they_are_of() {
        let plain = TagForms::default();
        let (referrer, date) = (TagForms { referrer: true, ..plain }, TagForms { date: true, ..plain });
        let epoch = TagForms { epoch: true, ..plain };
        for (text, forms) in [
            ("latest", plain),
            ("1.27", plain),
            ("sha256", plain),
            ("sha256-0a1b.sig", referrer),
            ("latest-20240131", date),
            ("latest-19991231", plain),
            ("20240131", plain),
            ("latest-2024013", plain),
            ("latest-202401311", plain),
            ("1.27-r0", epoch),
            ("1.27-r12", epoch),
            ("1.27-r", plain),
            ("1.27-r1-dev", plain),
            ("r1", plain),
            ("sha256-a-r1", TagForms { referrer: true, ..epoch }),
        ] {
            assert_eq!(TagName::trusted(text).forms(), forms, "{text}");
        }
    }

    #[test]
    fn those_within_have_no_other_form() {
        assert_eq!(TagForms::default().within().collect::<Vec<_>>(), [0]);
        let without_dates = TagForms { referrer: true, date: false, epoch: true };
        assert_eq!(without_dates.within().collect::<Vec<_>>(), [0, 1, 4, 5]);
    }

    #[test]
    fn digests_have_the_length_of_their_algorithm() {
        let (short, long) = ("0a".repeat(32), "0a".repeat(64));
        for (text, accepted) in [
            (format!("sha256:{short}"), true),
            (format!("sha512:{long}"), true),
            ("multihash+base58:QmRZxt2b1FVZPNqd8hsiykDL3TdBDeTSPX9Kv46HmX4Gx8".to_owned(), true),
            ("sha256+b64u:LCa0a2j_xo_5m0U8HTBBNBNCLXBkg7-g-YpeiGJm564".to_owned(), true),
            (format!("sha256:{long}"), false),
            (format!("sha512:{short}"), false),
            (format!("sha256:{}", short.to_uppercase()), false),
            (format!("SHA256:{short}"), false),
            (short.clone(), false),
            ("sha256:".to_owned(), false),
            (":a".to_owned(), false),
            ("a+:b".to_owned(), false),
            ("a:b c".to_owned(), false),
            (format!("a:{}", "b".repeat(254)), false),
            (String::new(), false),
        ] {
            assert_eq!(Digest::matches(&text), accepted, "{text:?}");
        }
    }
}
