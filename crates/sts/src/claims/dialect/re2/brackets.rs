//! What stands in brackets: characters, ranges and classes, in which `[`, `&`, `-` and `~` are nothing else.

use super::{Reader, escapes, fault, write_char};

/// The names of `[:name:]`.
const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word", "xdigit",
];

/// Reads brackets behind the first one, and writes all of them.
pub(super) fn read(reader: &mut Reader<'_>, at: usize) -> Result<String, String> {
    let mut text = String::from(if reader.takes("^") { "[^" } else { "[" });
    let mut is_first = true;
    loop {
        if reader.rest().is_empty() {
            return fault("the brackets have no closing ]", at);
        }
        if !is_first && reader.takes("]") {
            text.push(']');
            return Ok(text);
        }
        is_first = false;
        item(reader, &mut text)?;
    }
}

fn item(reader: &mut Reader<'_>, text: &mut String) -> Result<(), String> {
    let at = reader.at;
    if reader.rest().starts_with("[:")
        && let Some(end) = reader.rest().get(2..).and_then(|rest| rest.find(":]"))
    {
        let class = reader.rest().get(..end + 4).unwrap_or_default();
        let name = class.strip_prefix("[:").and_then(|class| class.strip_suffix(":]")).unwrap_or_default();
        // INVARIANT: what is copied is a name that stands here.
        if !POSIX.contains(&name.strip_prefix('^').unwrap_or(name)) {
            return fault("there is no such class between [: and :]", at);
        }
        reader.at += class.len();
        text.push_str(class);
        return Ok(());
    }
    if reader.takes("\\") {
        if let Some(class) = escapes::class(reader, at)? {
            text.push_str(&class);
            return Ok(());
        }
        reader.at = at;
    }
    let first = character(reader, at)?;
    write_char(first, text);
    if reader.rest().starts_with('-') && !matches!(reader.rest().as_bytes().get(1), None | Some(b']')) {
        reader.takes("-");
        let last = character(reader, at)?;
        if last < first {
            return fault("a range ends before it begins", at);
        }
        text.push('-');
        write_char(last, text);
    }
    Ok(())
}

fn character(reader: &mut Reader<'_>, at: usize) -> Result<char, String> {
    match reader.next() {
        Some('\\') => escapes::character(reader, at),
        Some(c) => Ok(c),
        None => fault("the brackets have no closing ]", at),
    }
}
