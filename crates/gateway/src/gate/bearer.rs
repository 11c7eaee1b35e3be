//! The token in `authorization` (RFC 6750 section 2.1).

use domain::{Error, LentSecret, Rule};
use http::{HeaderMap, header::AUTHORIZATION};

/// The bearer token of a request.
///
/// # Errors
/// Unauthenticated when there is none, or the header holds something else.
pub(crate) fn read(headers: &HeaderMap) -> Result<LentSecret<'_>, Error> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let missing = || {
        let message = "this call needs a token: send the header `authorization: Bearer <token>`";
        Error::unauthenticated(Rule::TokenMissing, message)
    };
    let malformed = || Error::unauthenticated(Rule::TokenInvalid, "the authorization header is not `Bearer <token>`");
    let value = values.next().ok_or_else(missing)?;
    if values.next().is_some() {
        return Err(Error::unauthenticated(Rule::TokenInvalid, "there is more than one authorization header"));
    }
    // Bytes of a header are visible ASCII, a tab or beyond ASCII; a token is long, and whole words are compared faster.
    let text = str::from_utf8(value.as_bytes()).ok().filter(|text| text.is_ascii());
    let (scheme, token) = text.and_then(|text| text.split_once(' ')).ok_or_else(malformed)?;
    let token = token.trim_matches(' ');
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() {
        return Err(malformed());
    }
    Ok(LentSecret::new(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(values: &[&str]) -> Result<String, Rule> {
        let headers = values.iter().map(|value| (AUTHORIZATION, value.parse().unwrap())).collect();
        read(&headers).map(|token| token.expose().to_owned()).map_err(|error| error.rule())
    }

    #[test]
    fn exactly_one_bearer_token_is_taken() {
        assert_eq!(token(&["Bearer abc"]), Ok("abc".to_owned()));
        assert_eq!(token(&["bearer  abc "]), Ok("abc".to_owned()));
        assert_eq!(token(&[]), Err(Rule::TokenMissing));
        for bad in [&["Basic abc"][..], &["abc"], &["Bearer"], &["Bearer "], &["Bearer a", "Bearer b"], &["Bearer \u{e9}"]] {
            assert_eq!(token(bad), Err(Rule::TokenInvalid), "{bad:?}");
        }
    }
}
