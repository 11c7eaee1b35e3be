//! What holds for every repository.

use domain::{
    Violations,
    registry::{RepoSpec, TagName},
};

use super::overlay;
use crate::texts;

/// The bundles that a catalogue may have.
const BUNDLES: [&str; 9] = ["application", "base", "byol", "ai", "ai-gpu", "featured", "fips", "commercial", "emeritoss"];
/// Most aliases and most active tags.
const REFERENCES: usize = 1000;
/// Longest accepted alias in bytes.
const ALIAS: usize = 512;

/// Judges texts, lists and the overlay.
pub(super) fn check(spec: &RepoSpec, violations: &mut Violations) {
    check_bundles(&spec.bundles, violations);
    texts::each("aliases", &spec.aliases, REFERENCES, violations, |field, alias, violations| {
        if alias.len() > ALIAS {
            violations.add(field, format!("aliases must be at most {ALIAS} bytes each"));
        } else if !is_alias(alias) {
            violations.add(field, r#"aliases must match "^[a-zA-Z0-9_.\-/]*[a-zA-Z0-9_.\-]:[a-zA-Z0-9_.\-]+$""#);
        }
    });
    texts::each("active_tags", &spec.active_tags, REFERENCES, violations, |field, tag, violations| {
        if !TagName::matches(tag) {
            violations.add(field, format!("active_tags must match \"{}\"", TagName::PATTERN));
        }
    });
    if let Some(wish) = &spec.custom_overlay {
        overlay::check(wish, violations);
    }
}

/// Judges the bundles of a catalogue that something is in.
pub(crate) fn check_bundles(bundles: &[String], violations: &mut Violations) {
    texts::each("bundles", bundles, BUNDLES.len(), violations, |field, bundle, violations| {
        if !BUNDLES.contains(&bundle.as_str()) {
            violations.add(field, format!("bundles must be of {}", BUNDLES.join(", ")));
        }
    });
}

/// A letter or digit of a reference, or one of `_.-`.
fn is_reference_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

fn is_alias(text: &str) -> bool {
    let Some((path, tag)) = text.split_once(':') else { return false };
    let last = path.bytes().last();
    last.is_some_and(is_reference_byte)
        && path.bytes().all(|byte| is_reference_byte(byte) || byte == b'/')
        && !tag.is_empty()
        && tag.bytes().all(is_reference_byte)
}

#[cfg(test)]
mod tests {
    use super::is_alias;

    #[test]
    fn aliases_are_a_path_and_a_tag() {
        for (text, accepted) in [
            ("nginx:latest", true),
            ("docker.io/library/nginx:1.27", true),
            ("/nginx:1", true),
            ("nginx", false),
            ("nginx:", false),
            (":latest", false),
            ("nginx/:latest", false),
            ("nginx:a:b", false),
            ("ngin x:latest", false),
            ("nginx:lat/est", false),
            ("nginx:latest\n", false),
        ] {
            assert_eq!(is_alias(text), accepted, "{text:?}");
        }
    }
}
