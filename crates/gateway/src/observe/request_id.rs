//! The name of a request in logs, audit rows and answers.

use std::sync::Arc;

use domain::Entropy;
use http::{HeaderMap, HeaderName};

/// Where answers carry it, and where it is looked for first.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// Where published clients put theirs.
const CLIENT_HEADER: HeaderName = HeaderName::from_static("cgrequestid");
/// Longest accepted id of any words, and the longest one of hexadecimal digits and dashes: all tokens are longer, or of other characters.
const MAX_LEN: usize = 24;
const MAX_HEX_LEN: usize = 64;
/// Most hexadecimal digits in a row.
const MAX_DIGITS: usize = 32;

/// The id that the client chose, when it is one, or a new one. It is 1 to 24 of `A-Za-z0-9._-`, or an identifier as programs make them: up
/// to 64 hexadecimal digits and dashes, with 32 digits in a row at most. It goes into logs, where no token may come.
pub(crate) fn of(headers: &HeaderMap, entropy: &dyn Entropy) -> Arc<str> {
    let chosen = [HEADER, CLIENT_HEADER].iter().find_map(|name| headers.get(name)?.to_str().ok().filter(|id| is_id(id)));
    chosen.map_or_else(|| make(entropy), Arc::from)
}

fn is_id(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    let is_made = || {
        let is_word = |word: &str| word.len() <= MAX_DIGITS && word.bytes().all(|b| b.is_ascii_hexdigit());
        text.len() <= MAX_HEX_LEN && text.split('-').all(is_word)
    };
    !text.is_empty() && ((text.len() <= MAX_LEN && text.bytes().all(allowed)) || is_made())
}

/// 16 bytes in hex. An id is no secret, so a failing generator does not fail the request here: whatever needs the generator
/// for more will say so.
fn make(entropy: &dyn Entropy) -> Arc<str> {
    let mut bytes = [0; 16];
    let _ = entropy.name(&mut bytes);
    let mut text = [0; 32];
    // INVARIANT: the text has room for two digits of each byte, and digits are UTF-8.
    let _ = hex::encode_to_slice(bytes, &mut text);
    str::from_utf8(&text).unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[derive(Debug)]
    struct Fixed;

    impl Entropy for Fixed {
        fn fill(&self, bytes: &mut [u8]) -> Result<(), domain::Error> {
            bytes.fill(0xab);
            Ok(())
        }
    }

    fn id(headers: &[(&'static str, &str)]) -> String {
        let pairs = headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()));
        of(&pairs.collect(), &Fixed).to_string()
    }

    #[test]
    fn takes_what_the_client_chose_or_makes_one() {
        let made = "ab".repeat(16);
        assert_eq!(id(&[("x-request-id", "a-1_b.C"), ("cgrequestid", "other")]), "a-1_b.C");
        assert_eq!(id(&[("cgrequestid", "0d1f")]), "0d1f");
        assert_eq!(id(&[("x-request-id", "no spaces"), ("cgrequestid", "0d1f")]), "0d1f");
        assert_eq!(id(&[]), made);
        assert_eq!(id(&[("x-request-id", "")]), made);
        for kept in [
            "z".repeat(24).as_str(),
            "0d".repeat(16).as_str(),
            "123e4567-e89b-12d3-a456-426614174000",
            &format!("00-{}-{}-01", "4b".repeat(16), "f0".repeat(8)),
        ] {
            assert_eq!(id(&[("x-request-id", kept)]), kept);
        }
    }

    #[test]
    fn takes_nothing_that_may_be_a_token() {
        let made = "ab".repeat(16);
        let scim = format!("cgscim_{}", "0a".repeat(32));
        let jwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";
        for token in [scim.as_str(), jwt, &"z".repeat(25), &"0a".repeat(20), &"a-".repeat(33), "aGVsbG8-aGVsbG8_aGVsbG8-aGVs"] {
            assert_eq!(id(&[("x-request-id", token)]), made, "{token}");
        }
    }
}
