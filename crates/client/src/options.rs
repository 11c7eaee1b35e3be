//! What a caller may say about one call beyond its request message.

use tonic::metadata::{MetadataKey, MetadataMap, MetadataValue};

use crate::{error::Error, token::Token};

/// Conditions and names of one call. They travel as gRPC metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `x-request-id`: names the call in the server's log and audit rows; the server makes one up without it.
    pub request_id: Option<String>,
    /// `if-match`: only write when the resource still has this entity tag (RFC 9110 section 13.1.1).
    pub if_match: Option<String>,
    /// `idempotency-key`: apply this call at most once within 24 hours.
    pub idempotency_key: Option<String>,
    /// `x-provost-validate-only`: do everything but keep nothing.
    pub validate_only: bool,
    /// Further metadata, for tests of what the server ignores or refuses.
    pub extra: Vec<(String, String)>,
}

impl Options {
    /// Writes the options and the token into `metadata`.
    pub(crate) fn write(&self, token: Option<&Token>, metadata: &mut MetadataMap) -> Result<(), Error> {
        let bearer = token.map(|token| format!("Bearer {}", token.expose()));
        let named = [
            ("authorization", bearer.as_deref()),
            ("x-request-id", self.request_id.as_deref()),
            ("if-match", self.if_match.as_deref()),
            ("idempotency-key", self.idempotency_key.as_deref()),
            ("x-provost-validate-only", self.validate_only.then_some("true")),
        ];
        let named = named.into_iter().filter_map(|(key, value)| Some((key, value?)));
        for (key, value) in named.chain(self.extra.iter().map(|(key, value)| (key.as_str(), value.as_str()))) {
            let name = MetadataKey::from_bytes(key.as_bytes())
                .map_err(|_| Error::usage(format!("{key:?} cannot be the name of a header")))?;
            let mut value = MetadataValue::try_from(value)
                .map_err(|_| Error::usage(format!("the value of {key} has characters that a header cannot carry")))?;
            value.set_sensitive(key == "authorization");
            metadata.append(name, value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_metadata() {
        let options = Options {
            request_id: Some("r-1".into()),
            if_match: Some("\"2a\"".into()),
            idempotency_key: Some("k".into()),
            validate_only: true,
            extra: vec![("cgclientid".into(), "x".into())],
        };
        let mut metadata = MetadataMap::new();
        assert!(options.write(Some(&Token::new("t")), &mut metadata).is_ok());
        let value = |key: &str| metadata.get(key).and_then(|v| v.to_str().ok()).map(str::to_owned);
        assert_eq!(value("authorization").as_deref(), Some("Bearer t"));
        assert_eq!(value("x-request-id").as_deref(), Some("r-1"));
        assert_eq!(value("if-match").as_deref(), Some("\"2a\""));
        assert_eq!(value("idempotency-key").as_deref(), Some("k"));
        assert_eq!(value("x-provost-validate-only").as_deref(), Some("true"));
        assert_eq!(value("cgclientid").as_deref(), Some("x"));
    }

    #[test]
    fn what_no_header_can_carry_is_refused_before_sending() {
        let refused = |options: Options| options.write(None, &mut MetadataMap::new()).map_err(|e| e.to_string());
        let id = Options { request_id: Some("a\nb".into()), ..Options::default() };
        assert_eq!(refused(id), Err("the value of x-request-id has characters that a header cannot carry".into()));
        let key = Options { extra: vec![("a b".into(), String::new())], ..Options::default() };
        assert_eq!(refused(key), Err("\"a b\" cannot be the name of a header".into()));
    }
}
