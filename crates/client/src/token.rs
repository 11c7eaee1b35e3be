//! Bearer tokens on the client's side.

use std::fmt;

/// A bearer token. Prints as `[secret]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// The token in `text`; white space around it is no part of it.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
    }

    /// The token itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_trimmed_and_never_printed() {
        let token = Token::new(" a.b.c\n");
        assert_eq!(token.expose(), "a.b.c");
        assert_eq!(format!("{token:?}"), "[secret]");
    }
}
