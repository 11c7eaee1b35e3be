//! The headers, or gRPC metadata of the same names, that say under which conditions a request is applied.

use domain::{Error, Etag};
use http::{HeaderMap, HeaderName, header::IF_MATCH};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const VALIDATE_ONLY: HeaderName = HeaderName::from_static("x-provost-validate-only");

/// The conditions of one request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    /// Only when the resource is still at this version (RFC 9110 section 13.1.1).
    pub(crate) if_match: Option<Etag>,
    /// At most once per caller and key.
    pub(crate) idempotency_key: Option<String>,
    /// Check everything, keep nothing.
    pub(crate) validate_only: bool,
}

/// Reads the conditions.
///
/// # Errors
/// Invalid argument naming the header that cannot be read.
pub(crate) fn read(headers: &HeaderMap) -> Result<Conditions, Error> {
    Ok(Conditions {
        if_match: read_if_match(headers)?,
        idempotency_key: single(headers, &IDEMPOTENCY_KEY)?.map(read_key).transpose()?,
        validate_only: single(headers, &VALIDATE_ONLY)?.map_or(Ok(false), read_flag)?,
    })
}

fn read_if_match(headers: &HeaderMap) -> Result<Option<Etag>, Error> {
    let values: Result<Vec<_>, _> = headers.get_all(IF_MATCH).iter().map(|value| value.to_str()).collect();
    let values = values.map_err(|_| Error::field("if-match", "if-match must hold entity tags"))?;
    // RFC 9110 section 5.3: repeated list headers mean the same as one with commas.
    Ok((!values.is_empty()).then(|| Etag(values.join(", "))))
}

fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, Error> {
    let mut values = headers.get_all(name).iter();
    let first =
        values.next().map(|value| value.to_str().map_err(|_| Error::field(name.as_str(), format!("{name} must be ASCII"))));
    if values.next().is_some() {
        return Err(Error::field(name.as_str(), format!("{name} must be sent at most once")));
    }
    first.transpose()
}

fn read_key(text: &str) -> Result<String, Error> {
    if (1..=255).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic()) {
        Ok(text.to_owned())
    } else {
        Err(Error::field(IDEMPOTENCY_KEY.as_str(), "idempotency-key must be 1 to 255 visible ASCII characters"))
    }
}

fn read_flag(text: &str) -> Result<bool, Error> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(Error::field(VALIDATE_ONLY.as_str(), "x-provost-validate-only must be true or false")),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderName;

    use super::*;

    fn conditions(sent: &[(&'static str, &str)]) -> Result<Conditions, String> {
        let headers = sent.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect();
        read(&headers).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn reads_all_conditions() {
        assert_eq!(conditions(&[]), Ok(Conditions::default()));
        let all = [("if-match", "\"1\""), ("if-match", "\"2\""), ("idempotency-key", "k-1"), ("x-provost-validate-only", "1")];
        let expected = Conditions {
            if_match: Some(Etag("\"1\", \"2\"".to_owned())),
            idempotency_key: Some("k-1".to_owned()),
            validate_only: true,
        };
        assert_eq!(conditions(&all), Ok(expected));
        assert_eq!(conditions(&[("x-provost-validate-only", "false")]), Ok(Conditions::default()));
    }

    #[test]
    fn what_cannot_be_read_is_refused_by_name() {
        let long = "k".repeat(256);
        for (sent, problem) in [
            (vec![("idempotency-key", "")], "idempotency-key: idempotency-key must be 1 to 255 visible ASCII characters"),
            (vec![("idempotency-key", &*long)], "idempotency-key: idempotency-key must be 1 to 255 visible ASCII characters"),
            (vec![("idempotency-key", "a b")], "idempotency-key: idempotency-key must be 1 to 255 visible ASCII characters"),
            (
                vec![("idempotency-key", "a"), ("idempotency-key", "b")],
                "idempotency-key: idempotency-key must be sent at most once",
            ),
            (vec![("x-provost-validate-only", "yes")], "x-provost-validate-only: x-provost-validate-only must be true or false"),
        ] {
            assert_eq!(conditions(&sent), Err(format!("Invalid argument: {problem}")));
        }
    }
}
