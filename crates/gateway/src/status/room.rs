//! How much an answer has for an error: what does not fit is cut and counted, so that the client can read the rest.

use std::borrow::Cow;

/// How large the parts of an error may become, as its transport writes them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// The message.
    pub(super) message: usize,
    /// All violations together.
    pub(super) violations: usize,
    /// The field that a violation is about, and what is said of it.
    pub(super) name: usize,
    pub(super) text: usize,
    /// The identifier of a resource.
    pub(super) uid: usize,
    /// How many bytes a character of a message takes.
    pub(super) of_message: fn(char) -> usize,
    /// How many bytes a character of a detail takes.
    pub(super) of_detail: fn(char) -> usize,
}

/// Most bytes of a gRPC status, all its headers together: what clients accept that were told nothing else.
const GRPC: usize = 8 << 10;
/// Most bytes of the JSON body of an error.
const JSON: usize = 64 << 10;

/// An identifier of the deepest place is not cut: programs read it.
const UID: usize = domain::Uidp::MAX_LEN;

impl Room {
    /// A gRPC status: the message is percent-encoded in one header and once more, as it is, among the details, which are in
    /// base64 in another. A kibibyte is left for the other headers.
    pub(crate) const GRPC: Self = Self {
        message: GRPC * 3 / 16,
        violations: GRPC / 4,
        name: 256,
        text: 512,
        uid: UID,
        of_message: |c| if c.is_ascii_alphanumeric() { 1 } else { 3 * c.len_utf8() },
        of_detail: char::len_utf8,
    };

    /// A JSON body.
    pub(crate) const JSON: Self = Self {
        message: JSON / 8,
        violations: JSON * 3 / 4,
        name: 1024,
        text: 2048,
        uid: UID,
        of_message: in_json,
        of_detail: in_json,
    };

    pub(super) fn message<'t>(&self, text: &'t str) -> Cow<'t, str> {
        cut(text, self.message, self.of_message)
    }

    pub(super) fn name<'t>(&self, text: &'t str) -> Cow<'t, str> {
        cut(text, self.name, self.of_detail)
    }

    pub(super) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        cut(text, self.text, self.of_detail)
    }

    pub(super) fn uid<'t>(&self, text: &'t str) -> Cow<'t, str> {
        cut(text, self.uid, self.of_detail)
    }

    /// As many of the violations, each of several texts, as there is room for.
    pub(super) fn fitting<const N: usize>(&self, violations: impl Iterator<Item = [String; N]>) -> Vec<[String; N]> {
        /// What is written around a violation, in either form.
        const AROUND: usize = 64;
        let mut left = self.violations;
        let mut fitting = Vec::new();
        for texts in violations {
            let size = AROUND + texts.iter().map(|text| size(text, self.of_detail)).sum::<usize>();
            let Some(rest) = left.checked_sub(size) else { break };
            left = rest;
            fitting.push(texts);
        }
        fitting
    }
}

/// Control characters become `\u001f`, quotes and backslashes get a backslash.
fn in_json(c: char) -> usize {
    match c {
        '"' | '\\' => 2,
        c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => 6,
        c => c.len_utf8(),
    }
}

fn size(text: &str, of: fn(char) -> usize) -> usize {
    text.chars().map(of).sum()
}

/// The text, or its beginning and its end with the number of bytes that were between them. The end is kept because a count of
/// what the text itself leaves out stands there.
fn cut(text: &str, room: usize, of: fn(char) -> usize) -> Cow<'_, str> {
    /// How much of the room the end takes, and how much the note of the cut.
    const END: usize = 8;
    const NOTE: usize = 96;
    // Most texts are short, and need not be looked at.
    if text.len().saturating_mul(6) <= room || size(text, of) <= room {
        return Cow::Borrowed(text);
    }
    let end = room / END;
    let begin = room.saturating_sub(end + NOTE);
    let head = prefix(text.chars(), begin, of);
    let tail = prefix(text.chars().rev(), end, of);
    let (head, tail) = (text.get(..head).unwrap_or_default(), text.get(text.len() - tail..).unwrap_or_default());
    Cow::Owned(format!("{head}… ({} bytes left out) …{tail}", text.len() - head.len() - tail.len()))
}

/// The bytes of the first characters for which there is room.
fn prefix(characters: impl Iterator<Item = char>, mut room: usize, of: fn(char) -> usize) -> usize {
    let mut length = 0;
    for c in characters {
        let Some(rest) = room.checked_sub(of(c)) else { break };
        room = rest;
        length += c.len_utf8();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_left_alone() {
        for room in [Room::GRPC, Room::JSON] {
            assert!(matches!(room.message("name must match \"^[a-z]$\""), Cow::Borrowed(_)));
            let full = "a".repeat(room.message);
            assert_eq!(room.message(&full), full);
        }
    }

    #[test]
    fn what_is_cut_keeps_both_ends_whole_characters_and_a_count() {
        for c in ["a", "é", "漢", "😀", "\u{1}", "\"", " "] {
            for room in [Room::GRPC, Room::JSON] {
                let text = format!("begin {} and 73 more", c.repeat(100_000));
                let short = room.message(&text);
                assert!(size(&short, room.of_message) <= room.message, "{c:?}: {}", size(&short, room.of_message));
                assert!(
                    short.starts_with("begin ") && short.ends_with(" and 73 more") && short.contains(" bytes left out) "),
                    "{short}"
                );
                let (name, text) = (room.name(&text).into_owned(), room.text(&text).into_owned());
                assert!(size(&name, room.of_detail) <= room.name && size(&text, room.of_detail) <= room.text);
            }
        }
    }

    #[test]
    fn the_first_violation_always_fits() {
        for room in [Room::GRPC, Room::JSON] {
            let violation = || [room.name(&"\u{1}".repeat(1 << 20)).into_owned(), room.text(&"\"".repeat(1 << 20)).into_owned()];
            let fitting = room.fitting(std::iter::repeat_with(violation).take(100));
            assert!((1..100).contains(&fitting.len()), "{}", fitting.len());
        }
    }
}
