//! Text from elsewhere, made harmless: what a server sends must not drive the terminal or disguise itself.

/// The text with control characters, and those that turn the direction of writing, spelled out as `\u{1b}`.
pub(crate) fn plain(text: &str) -> String {
    escaped(text, |c| format!("\\u{{{:x}}}", u32::from(c)))
}

/// The same for lines: line breaks stay.
pub(crate) fn lines(text: &str) -> String {
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

/// The same for encoded JSON, where it stays the same value.
pub(crate) fn json(text: &str) -> String {
    let escape = |line: &str| escaped(line, |c| format!("\\u{:04x}", u32::from(c)));
    text.split('\n').map(escape).collect::<Vec<_>>().join("\n")
}

fn escaped(text: &str, escape: impl Fn(char) -> String) -> String {
    if !text.contains(is_hidden) {
        return text.to_owned();
    }
    text.chars().map(|c| if is_hidden(c) { escape(c) } else { c.to_string() }).collect()
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_never_reach_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\n\u{9b}1m\u{202e}é"), "a\\u{1b}[2Jb\\u{a}\\u{9b}1m\\u{202e}é");
        assert_eq!(lines("a\nb\rc"), "a\nb\\u{d}c");
    }

    #[test]
    fn json_stays_the_same_value() {
        let value = serde_json::json!({"a": "\u{1b}\u{9b}\u{7f}\u{202e}\n"});
        let text = json(&format!("{value:#}"));
        assert!(text.chars().all(|c| c == '\n' || !is_hidden(c)), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).ok(), Some(value));
    }
}
