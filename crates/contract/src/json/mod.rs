//! Writes the pieces of proto3 JSON; the generated writers are made of these.

use std::{collections::BTreeMap, fmt::Write as _};

use base64::{Engine as _, engine::general_purpose::STANDARD};

mod any;
mod text;
mod time;

pub use any::any;
#[cfg(test)]
pub(crate) use any::message;
pub use text::{field_mask, string};
pub use time::{duration, timestamp};

/// Appends a comma unless an object or list was just opened.
pub fn separate(out: &mut String) {
    if !out.ends_with(['{', '[']) {
        out.push(',');
    }
}

/// Appends `null`.
pub fn null(out: &mut String) {
    out.push_str("null");
}

/// Appends `true` or `false`.
pub fn boolean(out: &mut String, value: bool) {
    out.push_str(if value { "true" } else { "false" });
}

/// Appends a number.
pub fn integer(out: &mut String, value: impl itoa::Integer) {
    out.push_str(itoa::Buffer::new().format(value));
}

/// Appends a number in quotes, which is how 64-bit integers are written.
pub fn quoted_integer(out: &mut String, value: impl itoa::Integer) {
    quoted(out, itoa::Buffer::new().format(value));
}

/// Appends a floating-point number, or its name in quotes when JSON has no number for it.
pub fn float(out: &mut String, value: f64) {
    if value.is_nan() {
        quoted(out, "NaN");
    } else if value.is_infinite() {
        quoted(out, if value > 0.0 { "Infinity" } else { "-Infinity" });
    } else {
        // Writing to a String never fails.
        let _ = write!(out, "{value}");
    }
}

/// Appends text in quotes as it is: for names that need no escapes.
pub fn quoted(out: &mut String, text: &str) {
    out.push('"');
    out.push_str(text);
    out.push('"');
}

/// Appends bytes in base64 with padding.
pub fn bytes(out: &mut String, value: &[u8]) {
    out.push('"');
    STANDARD.encode_string(value, out);
    out.push('"');
}

/// Appends a list whose items `item` writes.
pub fn list<T>(out: &mut String, items: &[T], item: impl Fn(&mut String, &T)) {
    out.push('[');
    for (index, value) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        item(out, value);
    }
    out.push(']');
}

/// Appends a map whose keys `key` writes, quotes included, and whose values `value` writes.
pub fn map<K, V>(out: &mut String, entries: &BTreeMap<K, V>, key: impl Fn(&mut String, &K), value: impl Fn(&mut String, &V)) {
    out.push('{');
    for (index, (k, v)) in entries.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        key(out, k);
        out.push(':');
        value(out, v);
    }
    out.push('}');
}

#[cfg(test)]
mod tests;
