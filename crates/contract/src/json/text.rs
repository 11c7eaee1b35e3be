//! Text in JSON.

use prost_types::FieldMask;

/// Appends a JSON string.
///
/// Escaped are quotation marks, backslashes and control characters, nothing else: the same set that the published API
/// escapes.
pub fn string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = special(rest.as_bytes()) {
        // Escaped bytes are ASCII, so both cuts fall on character boundaries.
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        let (character, tail) = tail.split_at(1);
        escape(out, character);
        rest = tail;
    }
    out.push_str(rest);
    out.push('"');
}

/// Where the first byte is that needs an escape. Eight bytes are looked at together, as most text has none.
fn special(text: &[u8]) -> Option<usize> {
    let needs_escape = |byte: &u8| *byte < b' ' || *byte == b'"' || *byte == b'\\';
    let (words, rest) = text.as_chunks::<8>();
    match words.iter().position(|word| has_special(u64::from_ne_bytes(*word))) {
        Some(word) => {
            let start = word * 8;
            let within = text.get(start..)?.iter().position(needs_escape)?;
            Some(start + within)
        }
        None => rest.iter().position(needs_escape).map(|at| words.len() * 8 + at),
    }
}

/// Whether one of eight bytes needs an escape.
///
/// `(x - n) & !x & 0x80` is set in some byte exactly when some byte of `x` is below `n`, borrows between bytes included; a byte
/// is equal to another when their difference by bits is below 1.
fn has_special(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let below = |word: u64, n: u64| word.wrapping_sub(ONES * n) & !word & (ONES * 0x80);
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    below(word, 0x20) | equal(b'"') | equal(b'\\') != 0
}

fn escape(out: &mut String, special: &str) {
    const HEX: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    match special {
        "\"" => out.push_str("\\\""),
        "\\" => out.push_str("\\\\"),
        "\n" => out.push_str("\\n"),
        "\r" => out.push_str("\\r"),
        "\t" => out.push_str("\\t"),
        "\u{8}" => out.push_str("\\b"),
        "\u{c}" => out.push_str("\\f"),
        _ => {
            out.push_str("\\u00");
            for byte in special.bytes() {
                out.extend([byte >> 4, byte & 15].iter().filter_map(|digit| HEX.get(usize::from(*digit))));
            }
        }
    }
}

/// Appends a field mask: its paths in lower camel case, joined by commas.
pub fn field_mask(out: &mut String, mask: &FieldMask) {
    let paths: Vec<_> = mask.paths.iter().map(|path| camel_case(path)).collect();
    string(out, &paths.join(","));
}

/// The lower camel case of a snake case path; dots stay.
fn camel_case(path: &str) -> String {
    let mut camel = String::with_capacity(path.len());
    let mut upper = false;
    for c in path.chars() {
        match c {
            '_' => upper = true,
            c if upper => {
                camel.push(c.to_ascii_uppercase());
                upper = false;
            }
            c => camel.push(c),
        }
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut out = String::new();
        string(&mut out, text);
        out
    }

    #[test]
    fn strings_are_escaped_like_json_asks() {
        assert_eq!(written(""), r#""""#);
        assert_eq!(
            written("a\"b\\c/d\n\r\t\u{8}\u{c}\0\u{1f}\u{7f}é\u{2028}<&>😀"),
            "\"a\\\"b\\\\c/d\\n\\r\\t\\b\\f\\u0000\\u001f\u{7f}é\u{2028}<&>😀\""
        );
        for text in ["\"", "\\\\", "é\"é", "\u{1}", "plain"] {
            assert_eq!(serde_json::from_str::<String>(&written(text)).ok().as_deref(), Some(text));
        }
    }

    #[test]
    fn specials_are_found_wherever_they_are() {
        for special in ['"', '\\', '\0', '\u{1f}', '\n'] {
            for length in 0..20 {
                for at in 0..=length {
                    for filler in ['a', ' ', '!', '#', '[', ']', '\u{7f}', 'é'] {
                        let before: String = std::iter::repeat_n(filler, at).collect();
                        let text = format!("{before}{special}{}", "z".repeat(length - at));
                        assert_eq!(super::special(text.as_bytes()), Some(before.len()), "{text:?}");
                        assert_eq!(super::special(before.as_bytes()), None);
                    }
                }
            }
        }
    }

    #[test]
    fn masks_are_camel_case() {
        let mut out = String::new();
        field_mask(&mut out, &FieldMask { paths: vec!["claim_match.issuer_pattern".to_owned(), "name".to_owned()] });
        assert_eq!(out, r#""claimMatch.issuerPattern,name""#);
    }
}
