//! How input can be wrong.

use std::{borrow::Cow, fmt};

/// How much of a caller's text an error repeats, in bytes.
const SHOWN: usize = 100;

/// A caller's text in quotes, or its beginning.
pub(super) fn shown(text: &str) -> String {
    format!("{:?}", cut(text))
}

/// A caller's text, or its beginning.
pub(super) fn cut(text: &str) -> Cow<'_, str> {
    match text.get(..text.floor_char_boundary(SHOWN)) {
        Some(begin) if begin.len() < text.len() => Cow::Owned(format!("{begin}…")),
        _ => Cow::Borrowed(text),
    }
}

/// A path variable or query parameter that does not fit the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Its name, as the caller wrote it.
    pub field: String,
    /// What is wrong and what would be right.
    pub problem: String,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.problem)
    }
}

impl std::error::Error for FieldError {}

/// A body that is not JSON, or not the JSON of the message that it should hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong and what would be right.
    pub message: String,
    /// The line of the offending text, counted from 1.
    pub line: usize,
    /// The character within that line, counted from 1.
    pub column: usize,
    /// The field that the text stands for, such as `claimMatch.claims`; empty for the body as a whole and for malformed JSON.
    pub path: String,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, line, column, path } = self;
        if path.is_empty() {
            write!(f, "{message} (line {line}, column {column})")
        } else {
            write!(f, "{path}: {message} (line {line}, column {column})")
        }
    }
}

impl std::error::Error for JsonError {}

impl JsonError {
    /// The error with the place that byte `at` of `text` has.
    pub(super) fn at(text: &[u8], at: usize, path: String, message: String) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let line = before.split(|byte| *byte == b'\n').count();
        // Continuation bytes of UTF-8 do not begin a character.
        let column = 1 + before.iter().skip(line_start).filter(|byte| **byte & 0xC0 != 0x80).count();
        Self { message, line, column, path }
    }
}
