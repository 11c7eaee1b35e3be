//! What a token of ours says about itself. Read for display and to notice expiry; the server alone verifies.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use client::Token;
use serde::Deserialize;

/// The claims that the command line shows.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(crate) struct Claims {
    pub(crate) sub: String,
    /// Seconds since 1970.
    pub(crate) exp: i64,
}

impl Claims {
    /// The claims in the payload of a JWT (RFC 7519 section 3); `None` when `token` is no JWT with these claims.
    pub(crate) fn read(token: &Token) -> Option<Self> {
        let payload = token.expose().split('.').nth(1)?;
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read_from_the_payload_alone() {
        let payload = URL_SAFE_NO_PAD.encode(r#"{"sub":"s","exp":7,"aud":["x"]}"#);
        assert_eq!(Claims::read(&Token::new(format!("x.{payload}.y"))), Some(Claims { sub: "s".into(), exp: 7 }));
        for garbage in ["", "a.b.c", "....", "no token"] {
            assert_eq!(Claims::read(&Token::new(garbage)), None);
        }
    }
}
