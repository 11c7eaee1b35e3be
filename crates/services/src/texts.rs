//! Limits of free texts, lists and maps that no type of `domain` carries.

use std::collections::BTreeMap;

use domain::Violations;

/// Longest accepted identifier-like text (a subject, a claim, a package name) in bytes.
pub(crate) const SHORT: usize = 255;
/// Longest accepted URL, pattern or claim value in bytes.
pub(crate) const LONG: usize = 2048;

/// The last part of a field path, which is how descriptions call the field.
pub(crate) fn label(field: &str) -> &str {
    field.rsplit('.').next().unwrap_or(field)
}

/// A single-line text of at most `max` bytes without control characters; empty is fine.
pub(crate) fn optional(field: &str, text: &str, max: usize, violations: &mut Violations) {
    if text.len() > max {
        violations.add(field, format!("{} must be at most {max} bytes", label(field)));
    } else if text.chars().any(char::is_control) {
        violations.add(field, format!("{} must not contain control characters", label(field)));
    }
}

/// As [`optional`], and not empty.
pub(crate) fn required(field: &str, text: &str, max: usize, violations: &mut Violations) {
    if text.is_empty() {
        violations.add(field, format!("{} is required", label(field)));
    } else {
        optional(field, text, max, violations);
    }
}

/// A text of several lines, such as a certificate: at most `max` bytes, not empty, no control characters but line ends
/// and tabs.
pub(crate) fn block(field: &str, text: &str, max: usize, violations: &mut Violations) {
    if text.is_empty() {
        violations.add(field, format!("{} is required", label(field)));
    } else if text.len() > max {
        violations.add(field, format!("{} must be at most {max} bytes", label(field)));
    } else if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        violations.add(field, format!("{} must not contain control characters", label(field)));
    }
}

/// At most `max` entries.
pub(crate) fn count(field: &str, entries: usize, max: usize, violations: &mut Violations) -> bool {
    if entries > max {
        violations.add(field, format!("{} must have at most {max} entries", label(field)));
    }
    entries <= max
}

/// At most `max` entries, each judged under its own field, `field[index]`. Nothing is judged in a list that is too long.
pub(crate) fn each<T>(
    field: &str,
    entries: &[T],
    max: usize,
    violations: &mut Violations,
    mut judge: impl FnMut(&str, &T, &mut Violations),
) {
    if count(field, entries.len(), max, violations) {
        entries.iter().enumerate().for_each(|(index, entry)| judge(&format!("{field}[{index}]"), entry, violations));
    }
}

/// At most `max` entries with keys of at most [`SHORT`] and values of at most `longest` bytes. Violations name the map:
/// a bad key cannot be part of a field path.
pub(crate) fn map(
    field: &str,
    entries: &BTreeMap<String, String>,
    max: usize,
    longest: usize,
    violations: &mut Violations,
    mut judge_key: impl FnMut(&str) -> Option<String>,
) {
    if !count(field, entries.len(), max, violations) {
        return;
    }
    for (key, value) in entries {
        let bad_key = key.is_empty() || key.len() > SHORT || key.chars().any(char::is_control);
        if bad_key {
            violations.add(field, format!("{} must have keys of 1 to {SHORT} bytes without control characters", label(field)));
        } else if let Some(description) = judge_key(key) {
            violations.add(field, description);
        } else if value.len() > longest {
            violations.add(field, format!("the value of {key:?} must be at most {longest} bytes"));
        } else if value.chars().any(|c| c == '\0') {
            violations.add(field, format!("the value of {key:?} must not contain a NUL character"));
        }
    }
}
