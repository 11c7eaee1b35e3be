//! What stands behind a backslash.

use super::{Reader, fault};

/// What stands for all words that mean one of the general categories of Unicode, in lower case and without what may stand between
/// words. Every other name is that of a script.
const CATEGORIES: [&str; 83] = [
    "any",
    "assigned",
    "ascii",
    "c",
    "casedletter",
    "cc",
    "cf",
    "closepunctuation",
    "cn",
    "cntrl",
    "co",
    "combiningmark",
    "connectorpunctuation",
    "control",
    "cs",
    "currencysymbol",
    "dashpunctuation",
    "decimalnumber",
    "digit",
    "enclosingmark",
    "finalpunctuation",
    "format",
    "initialpunctuation",
    "l",
    "lc",
    "letter",
    "letternumber",
    "lineseparator",
    "ll",
    "lm",
    "lo",
    "lowercaseletter",
    "lt",
    "lu",
    "m",
    "mark",
    "mathsymbol",
    "mc",
    "me",
    "mn",
    "modifierletter",
    "modifiersymbol",
    "n",
    "nd",
    "nl",
    "no",
    "nonspacingmark",
    "number",
    "openpunctuation",
    "other",
    "otherletter",
    "othernumber",
    "otherpunctuation",
    "othersymbol",
    "p",
    "paragraphseparator",
    "pc",
    "pd",
    "pe",
    "pf",
    "pi",
    "po",
    "privateuse",
    "ps",
    "punct",
    "punctuation",
    "s",
    "sc",
    "separator",
    "sk",
    "sm",
    "so",
    "spaceseparator",
    "spacingmark",
    "surrogate",
    "symbol",
    "titlecaseletter",
    "unassigned",
    "uppercaseletter",
    "z",
    "zl",
    "zp",
    "zs",
];

/// Reads a class of characters: `\d`, `\pL`, `\p{Greek}` and the like. `None` if something else comes, of which nothing is read.
pub(super) fn class(reader: &mut Reader<'_>, at: usize) -> Result<Option<String>, String> {
    let text = match reader.peek() {
        Some('d') => "[0-9]",
        Some('D') => "[^0-9]",
        Some('s') => r"[\t\n\f\r\x20]",
        Some('S') => r"[^\t\n\f\r\x20]",
        Some('w') => "[0-9A-Za-z_]",
        Some('W') => "[^0-9A-Za-z_]",
        Some(p @ ('p' | 'P')) => {
            reader.next();
            return property(reader, p == 'P', at).map(Some);
        }
        _ => return Ok(None),
    };
    reader.next();
    Ok(Some(text.to_owned()))
}

fn property(reader: &mut Reader<'_>, is_negated: bool, at: usize) -> Result<String, String> {
    let unknown = || fault("there is no such class of characters behind \\p", at);
    let mut one = [0; 4];
    let name = if reader.takes("{") {
        match reader.until("}") {
            Some(name) => name,
            None => return fault("the name behind \\p{ has no closing }", at),
        }
    } else {
        match reader.next() {
            Some(c) => c.encode_utf8(&mut one),
            None => return unknown(),
        }
    };
    let (name, is_negated) = name.strip_prefix('^').map_or((name, is_negated), |name| (name, !is_negated));
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b' ')) {
        return unknown();
    }
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let kind = if CATEGORIES.contains(&plain.as_str()) { "gc" } else { "sc" };
    Ok(format!("\\{}{{{kind}={plain}}}", if is_negated { 'P' } else { 'p' }))
}

/// Reads a character behind a backslash.
pub(super) fn character(reader: &mut Reader<'_>, at: usize) -> Result<char, String> {
    let unknown = || fault("there is no such escape; write \\x{5C} for a backslash", at);
    let Some(c) = reader.next() else { return fault("nothing stands behind \\", at) };
    let number = match c {
        'a' => 0x07,
        'f' => 0x0c,
        'n' => 0x0a,
        'r' => 0x0d,
        't' => 0x09,
        'v' => 0x0b,
        // One digit alone would stand for what a group has caught.
        '1'..='7' if !matches!(reader.peek(), Some('0'..='7')) => {
            return fault("RE2 cannot refer to what a group has caught", at);
        }
        '0'..='7' => octal(reader, c),
        'x' => match hexadecimal(reader) {
            Some(number) => number,
            None => return unknown(),
        },
        _ if c.is_ascii() && !c.is_ascii_alphanumeric() => u32::from(c),
        _ => return unknown(),
    };
    char::from_u32(number).map_or_else(unknown, Ok)
}

/// A number of up to three octal digits, of which the first is read.
fn octal(reader: &mut Reader<'_>, first: char) -> u32 {
    let mut number = first.to_digit(8).unwrap_or_default();
    for _ in 0..2 {
        let Some(digit) = reader.peek().and_then(|c| c.to_digit(8)) else { break };
        reader.next();
        number = number * 8 + digit;
    }
    number
}

/// Two hexadecimal digits, or any number of them in braces.
fn hexadecimal(reader: &mut Reader<'_>) -> Option<u32> {
    let digits = if reader.takes("{") {
        reader.until("}")?
    } else {
        let digits = reader.rest().get(..2)?;
        reader.at += 2;
        digits
    };
    // A sign is no digit.
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}
