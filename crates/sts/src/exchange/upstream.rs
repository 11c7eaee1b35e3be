//! What every upstream token must be, whoever it is for.

use std::time::Duration;

use domain::{Error, Rule, Timestamp, Uidp, iam::identity::user_uid};
use serde_json::{Map, Value};

use crate::{
    claims::{Mismatch, audiences, subject},
    jws::Verified,
};

const MAX_EMAIL: usize = 320;

/// A verified token that is valid now.
#[derive(Debug)]
pub(super) struct Judged(Verified);

impl Judged {
    /// Judges the times of RFC 7519 section 4.1: no leeway for `exp`, which must be there, and some for clocks that are ahead.
    ///
    /// # Errors
    /// Unauthenticated when the token is expired, of the future, or has no expiry.
    pub(super) fn new(verified: Verified, now: Timestamp, leeway: Duration) -> Result<Self, Error> {
        let invalid = |what: &str| Error::unauthenticated(Rule::TokenInvalid, format!("the token {what}"));
        let seconds = |name: &str| match verified.claims.get(name) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(number.as_f64()),
            Some(_) => Err(invalid(&format!("has a {name} claim that is no number"))),
        };
        let millis = |at: f64| at * 1000.0;
        #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 fit in 52 bits for 140,000 years")]
        let (now, latest) = (now.0 as f64, now.0 as f64 + leeway.as_secs_f64() * 1000.0);
        let expires = seconds("exp")?.ok_or_else(|| invalid("has no exp claim"))?;
        if now >= millis(expires) {
            return Err(Error::unauthenticated(
                Rule::TokenExpired,
                "the token has expired; get a new one from your identity provider",
            ));
        }
        if seconds("nbf")?.is_some_and(|at| millis(at) > latest) {
            return Err(invalid("is not valid yet (nbf)"));
        }
        if seconds("iat")?.is_some_and(|at| millis(at) > latest) {
            return Err(invalid("was issued in the future (iat)"));
        }
        Ok(Self(verified))
    }

    pub(super) fn claims(&self) -> &Map<String, Value> {
        &self.0.claims
    }

    pub(super) fn issuer(&self) -> &str {
        &self.0.issuer
    }

    pub(super) fn into_issuer(self) -> String {
        self.0.issuer
    }

    /// The user whom the token is about, if it is for one of `wanted`.
    pub(super) fn user(&self, wanted: &[String]) -> Result<Uidp, Mismatch> {
        let subject = subject(self.claims()).ok_or_else(|| Mismatch("sub".to_owned()))?;
        let is_wanted = audiences(self.claims()).iter().any(|audience| wanted.iter().any(|wanted| wanted == audience));
        if is_wanted { Ok(user_uid(&self.0.issuer, subject)) } else { Err(Mismatch("aud".to_owned())) }
    }

    /// The address in the token, when the issuer says that it verified it (OpenID Connect Core 1.0 section 5.1).
    pub(super) fn email(&self) -> Option<String> {
        self.address().filter(|(_, is_verified)| *is_verified).map(|(email, _)| email)
    }

    /// The address in the token, and whether the issuer says that it verified it.
    pub(super) fn address(&self) -> Option<(String, bool)> {
        let email = self.claims().get("email")?.as_str()?;
        let is_verified = self.claims().get("email_verified") == Some(&Value::Bool(true));
        let is_plain =
            email.len() <= MAX_EMAIL && email.contains('@') && !email.chars().any(|c| c.is_control() || c.is_whitespace());
        is_plain.then(|| (email.to_owned(), is_verified))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::jws::Algorithm;

    fn judge(claims: &Value) -> Result<Judged, String> {
        let claims = claims.as_object().cloned().unwrap_or_default();
        let verified =
            Verified { issuer: "https://a.example".into(), key_id: None, kind: None, algorithm: Algorithm::Es256, claims };
        Judged::new(verified, Timestamp(1_000_000_500), Duration::from_mins(1)).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn times_are_exact_for_expiry_and_lenient_for_clocks() {
        for good in [
            json!({"exp": 1_000_001}),
            json!({"exp": 1_000_000.6}),
            json!({"exp": 2_000_000, "nbf": 1_000_060, "iat": 1_000_060}),
        ] {
            assert!(judge(&good).is_ok(), "{good}");
        }
        for (bad, why) in [
            (json!({}), "no exp"),
            (json!({"exp": "2000000"}), "no number"),
            (json!({"exp": 1_000_000}), "expired"),
            (json!({"exp": 1_000_000.5}), "expired"),
            (json!({"exp": -1}), "expired"),
            (json!({"exp": 2_000_000, "nbf": 1_000_061}), "not valid yet"),
            (json!({"exp": 2_000_000, "iat": 1_000_061}), "in the future"),
            (json!({"exp": 2_000_000, "iat": null}), "no number"),
        ] {
            let message = judge(&bad).expect_err("refused");
            assert!(message.contains(why), "{bad}: {message}");
        }
    }

    #[test]
    fn only_verified_addresses_are_taken_over() {
        let email = |claims: Value| {
            let mut claims = claims;
            claims["exp"] = json!(2_000_000);
            judge(&claims).expect("valid").email()
        };
        assert_eq!(email(json!({"email": "a@b.example", "email_verified": true})).as_deref(), Some("a@b.example"));
        assert_eq!(email(json!({"email": "a@b.example", "email_verified": false})), None);
        assert_eq!(email(json!({"email": "a@b.example"})), None);
        assert_eq!(email(json!({"email": "a@b\n", "email_verified": true})), None);
    }
}
