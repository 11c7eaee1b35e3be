//! Package URLs (ECMA-427), as far as they name a package: `pkg:TYPE/NAMESPACE/NAME@VERSION?QUALIFIERS#SUBPATH`.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What is not written as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/').remove(b':');

/// The same for what is no path.
const SEGMENT: &AsciiSet = &ENCODED.add(b'/');

/// A package URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PackageUrl {
    /// The type, such as `apk`.
    pub(crate) kind: String,
    /// Namespace and name, with `/` between them.
    pub(crate) name: String,
    /// The version, if there is one.
    pub(crate) version: Option<String>,
    /// The qualifier `arch`, if there is one.
    pub(crate) arch: Option<String>,
}

impl PackageUrl {
    /// The package that the text names, if it is a package URL.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("pkg:")?.trim_start_matches('/');
        let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
        let (rest, qualifiers) = rest.split_once('?').unwrap_or((rest, ""));
        let (kind, rest) = rest.split_once('/')?;
        // A scope such as `@angular` may stand unencoded in front; the version is behind the last segment's name.
        let last = rest.rfind('/').map_or(0, |at| at + 1);
        let (path, segment) = rest.split_at_checked(last)?;
        let (segment, version) = match segment.split_once('@') {
            Some((name, version)) if !name.is_empty() => (name, Some(version)),
            _ => (segment, None),
        };
        let decode = |text: &str| percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned);
        let name = decode(&format!("{path}{segment}"))?;
        let is_kind = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+-".contains(&byte));
        let mut pairs = qualifiers.split('&').filter_map(|pair| pair.split_once('='));
        let arch = pairs.find(|(key, _)| *key == "arch").and_then(|(_, value)| decode(value));
        let version = version.map(decode).map_or(Some(None), |version| version.map(Some))?;
        (is_kind && !name.is_empty()).then(|| Self { kind: kind.to_ascii_lowercase(), name, version, arch })
    }

    /// It as a text.
    pub(crate) fn text(&self) -> String {
        let Self { kind, name, version, arch } = self;
        let kind: String = kind.chars().filter(|c| c.is_ascii_alphanumeric() || ".+-".contains(*c)).collect();
        let kind = if kind.is_empty() { "generic".to_owned() } else { kind.to_ascii_lowercase() };
        let mut text = format!("pkg:{kind}/{}", utf8_percent_encode(name, ENCODED));
        if let Some(version) = version {
            text = format!("{text}@{}", utf8_percent_encode(version, SEGMENT));
        }
        if let Some(arch) = arch {
            text = format!("{text}?arch={}", utf8_percent_encode(arch, SEGMENT));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn package_urls_are_read() {
        let read = |text| PackageUrl::parse(text).map(|url| (url.kind, url.name, url.version, url.arch));
        let text = |text: &str| Some(text.to_owned());
        let expected = Some(("apk".into(), "wolfi/curl".into(), text("8.1.2-r0"), text("x86_64")));
        assert_eq!(read("pkg:apk/wolfi/curl@8.1.2-r0?distro=1&arch=x86_64#x"), expected);
        let expected = Some(("npm".into(), "@angular/core".into(), text("1"), None));
        assert_eq!(read("pkg:npm/%40angular/core@1"), expected);
        assert_eq!(read("pkg:npm/@angular/core@1"), expected);
        assert_eq!(read("pkg:golang/k8s.io/api").map(|read| read.2), Some(None));
        assert_eq!(
            [read("https://a"), read("pkg:apk"), read("pkg:/a"), read("pkg:a b/c"), read("pkg:apk/%ff")],
            [None, None, None, None, None]
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(name in "[a-zA-Z@./ é%?#&=_-]{1,20}", version: Option<String>, arch: Option<String>) {
            prop_assume!(!name.starts_with('/') && !name.ends_with('/') && version.as_deref() != Some(""));
            let url = PackageUrl { kind: "apk".to_owned(), name, version, arch };
            prop_assert_eq!(PackageUrl::parse(&url.text()), Some(url));
        }

        #[test]
        fn nothing_makes_it_panic(text in "(pkg:)?\\PC{0,40}") {
            let _ = PackageUrl::parse(&text);
        }
    }
}
