//! What may be said of the words of others: bounded, on one line, and without anything that looks like a credential.

use reqwest::StatusCode;

/// Longest code, in bytes.
const MAX_CODE: usize = 64;
/// Longest message, in bytes.
const MAX_MESSAGE: usize = 300;
/// Longest word: identifiers are shorter, and signed tokens longer.
const MAX_WORD: usize = 160;

/// A sentence on the refusal of `what`, which came with this status, and perhaps with a code and a message.
pub(super) fn refusal(what: &str, status: StatusCode, code: &str, message: &str) -> String {
    let is_code = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let has_code = !code.is_empty() && code.len() <= MAX_CODE && code.bytes().all(is_code);
    let code = if has_code { code } else { status.as_str() };
    match line(message) {
        message if message.is_empty() => format!("{what} answered {code}"),
        message => format!("{what} answered {code}: {message}"),
    }
}

/// The words of a text, as far as there is room.
fn line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| !c.is_ascii_graphic()).filter(|word| !word.is_empty()) {
        let word = if word.len() > MAX_WORD { "…" } else { word };
        if line.len() + word.len() >= MAX_MESSAGE {
            line.push_str(" …");
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_refusal_tells_code_and_message() {
        let told = |code: &str, message: &str| refusal("AWS STS", StatusCode::FORBIDDEN, code, message);
        assert_eq!(told("AccessDenied", "Not authorized"), "AWS STS answered AccessDenied: Not authorized");
        assert_eq!(told("", ""), "AWS STS answered 403");
        assert_eq!(told("<b>", " \r\n\u{202e} "), "AWS STS answered 403");
        assert_eq!(told(&"x".repeat(65), "a\tb\r\nc"), "AWS STS answered 403: a b c");
        assert_eq!(told("E", &format!("got {}", "e".repeat(161))), "AWS STS answered E: got …");
        let long = told("E", &"word ".repeat(100));
        assert!(long.ends_with("word …") && long.len() < 340, "{long}");
    }

    proptest! {
        #[test]
        fn whatever_is_answered_makes_one_short_line(code in "(?s).{0,80}", message in "(?s).{0,2000}") {
            let told = refusal("it", StatusCode::BAD_REQUEST, &code, &message);
            prop_assert!(told.len() < 420, "{}", told.len());
            prop_assert!(!told.contains(|c: char| c.is_control() || !(c.is_ascii() || c == '…')), "{told:?}");
        }
    }
}
