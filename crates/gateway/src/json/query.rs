//! Query strings and forms: `application/x-www-form-urlencoded`, read strictly.

use contract::wire::PARAMETERS_MAX;
use domain::{Error, text::excerpt};
use percent_encoding::percent_decode;

/// The decoded pairs, in order. Empty parts between `&` are skipped; a part without `=` has an empty value.
///
/// # Errors
/// Invalid argument when a name or value is not UTF-8 after decoding; replacing what cannot be read would change it. The same
/// for more pairs than any request needs, before one of them is decoded.
pub(super) fn pairs(text: &str) -> Result<Vec<(String, String)>, Error> {
    let parts = || text.split('&').filter(|part| !part.is_empty());
    if parts().nth(PARAMETERS_MAX).is_some() {
        return Err(Error::field("query", format!("there may be at most {PARAMETERS_MAX} parameters")));
    }
    parts().map(pair).collect()
}

fn pair(part: &str) -> Result<(String, String), Error> {
    let (name, value) = part.split_once('=').unwrap_or((part, ""));
    let name = decode(name).ok_or_else(|| Error::field("query", "a parameter name is not UTF-8 after percent-decoding"))?;
    let value = decode(value).ok_or_else(|| {
        let name = excerpt(&name);
        Error::field(&*name, format!("{name} is not UTF-8 after percent-decoding"))
    })?;
    Ok((name, value))
}

fn decode(text: &str) -> Option<String> {
    let spaced: Vec<u8> = text.bytes().map(|b| if b == b'+' { b' ' } else { b }).collect();
    percent_decode(&spaced).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        pairs(text).unwrap()
    }

    #[test]
    fn pairs_are_decoded_in_order() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(read("aud=a&aud=b+c&x"), [pair("aud", "a"), pair("aud", "b c"), pair("x", "")]);
        assert_eq!(read("a%3Db=%26%2B&&"), [pair("a=b", "&+")]);
        assert_eq!(read("a=b=c"), [pair("a", "b=c")]);
        assert_eq!(read(""), []);
    }

    #[test]
    fn what_is_not_utf8_is_refused_by_name() {
        assert_eq!(pairs("name=%FF").unwrap_err().message(), "Invalid argument: name: name is not UTF-8 after percent-decoding");
        assert!(pairs("%FF=1").is_err());
    }

    #[test]
    fn pairs_have_an_end() {
        assert_eq!(read(&"&a&".repeat(PARAMETERS_MAX)).len(), PARAMETERS_MAX);
        let error = pairs(&"a&".repeat(PARAMETERS_MAX + 1)).unwrap_err();
        assert_eq!(error.message(), "Invalid argument: query: there may be at most 2000 parameters");
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "\\PC{0,60}") {
            let _ = pairs(&text);
        }

        #[test]
        fn what_was_encoded_comes_back(given in prop::collection::vec(("\\PC{1,8}", "\\PC{0,8}"), 0..4)) {
            let encode = |text: &str| percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string();
            let text: Vec<_> = given.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
            prop_assert_eq!(read(&text.join("&")), given);
        }
    }
}
