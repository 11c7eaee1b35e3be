//! `POST /dev/idp/mint`: a token with the claims that it is asked for.

use axum::{
    Json,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    response::{IntoResponse, Response},
};
use domain::{Error, Kind, Rule, Violations};
use serde_json::{Map, Value, json};

use crate::{DevIdp, MAX_BODY, answer};

const DEFAULT_TTL: i64 = 3600;
const MAX_TTL: i64 = 86_400;
const MAX_TEXT: usize = 1024;
/// Claims that have a field of their own or are the provider's to set.
const RESERVED: [&str; 5] = ["iss", "sub", "aud", "iat", "exp"];

/// What a token is to say.
#[derive(Debug)]
struct Request {
    subject: String,
    /// One text or a list, as it came.
    audience: Value,
    claims: Map<String, Value>,
    ttl: i64,
}

/// Answers `{"token"}` for `{"sub", "aud", "claims", "ttl"}`.
pub(crate) async fn mint(State(provider): State<DevIdp>, body: Result<Bytes, BytesRejection>) -> Response {
    match token(&provider, body) {
        Ok(token) => Json(json!({ "token": token })).into_response(),
        Err(error) => answer::error(&error),
    }
}

fn token(provider: &DevIdp, body: Result<Bytes, BytesRejection>) -> Result<String, Error> {
    let body = body.map_err(|rejection| match rejection {
        BytesRejection::FailedToBufferBody(_) => {
            let message = format!("the body cannot be read or is larger than {MAX_BODY} bytes");
            Error::new(Kind::InvalidArgument, Rule::TooLarge, message)
        }
        other => Error::internal(other),
    })?;
    let Request { subject, audience, claims, ttl } = Request::read(&body)?;
    let now = provider.0.clock.now();
    let mut token_id = [0; 16];
    provider.0.entropy.fill(&mut token_id)?;
    let mut all = Map::new();
    all.insert("iss".to_owned(), provider.issuer().into());
    all.insert("sub".to_owned(), subject.into());
    all.insert("aud".to_owned(), audience);
    all.insert("iat".to_owned(), now.seconds().into());
    all.insert("exp".to_owned(), (now.seconds() + ttl).into());
    all.insert("jti".to_owned(), hex::encode(token_id).into());
    all.extend(claims);
    provider.0.signer.sign(&all)
}

impl Request {
    /// Reads the body.
    ///
    /// # Errors
    /// Invalid argument with the position of what is no JSON, or with every field that is wrong.
    fn read(body: &[u8]) -> Result<Self, Error> {
        let json = |what: String| Error::new(Kind::InvalidArgument, Rule::Json, what);
        let body: Value = serde_json::from_slice(body).map_err(|error| json(format!("the body is no JSON: {error}")))?;
        let Value::Object(mut fields) = body else {
            return Err(json("the body must be a JSON object with sub and aud".to_owned()));
        };
        let mut violations = Violations::default();
        let subject = match fields.remove("sub") {
            Some(Value::String(subject)) if is_text(&subject) => subject,
            None => wrong(&mut violations, "sub", "sub is required"),
            Some(_) => wrong(&mut violations, "sub", format!("sub must be a text of 1 to {MAX_TEXT} bytes")),
        };
        let audience = match fields.remove("aud") {
            Some(audience) if is_audience(&audience) => audience,
            None => wrong(&mut violations, "aud", "aud is required"),
            Some(_) => wrong(&mut violations, "aud", "aud must be a text or a list of texts, none of them empty"),
        };
        let claims = match fields.remove("claims") {
            Some(Value::Object(claims)) => claims,
            None | Some(Value::Null) => Map::new(),
            Some(_) => wrong(&mut violations, "claims", "claims must be an object"),
        };
        for name in claims.keys().filter(|name| RESERVED.contains(&name.as_str())) {
            violations.add(format!("claims.{name}"), format!("{name} cannot be set in claims"));
        }
        let ttl = match fields.remove("ttl") {
            None | Some(Value::Null) => DEFAULT_TTL,
            Some(ttl) => ttl.as_i64().filter(|ttl| (1..=MAX_TTL).contains(ttl)).unwrap_or_else(|| {
                wrong(&mut violations, "ttl", format!("ttl must be a whole number of seconds from 1 to {MAX_TTL}"))
            }),
        };
        for name in fields.keys() {
            violations.add(name, "there is no such field; the fields are sub, aud, claims and ttl");
        }
        violations.check()?;
        Ok(Self { subject, audience, claims, ttl })
    }
}

/// Notes what is wrong; the value that takes its place is never used.
fn wrong<T: Default>(violations: &mut Violations, field: &str, what: impl Into<String>) -> T {
    violations.add(field, what);
    T::default()
}

fn is_text(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_TEXT
}

fn is_audience(audience: &Value) -> bool {
    match audience {
        Value::String(text) => is_text(text),
        Value::Array(texts) => !texts.is_empty() && texts.iter().all(|text| text.as_str().is_some_and(is_text)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<Request, String> {
        Request::read(body.as_bytes()).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn what_is_left_out_has_defaults() {
        let request = read(r#"{"sub":"a","aud":["b","c"],"claims":null}"#).expect("valid");
        assert_eq!((request.ttl, request.claims.len(), request.audience), (DEFAULT_TTL, 0, json!(["b", "c"])));
    }

    #[test]
    fn every_wrong_field_is_named() {
        let message = read(r#"{"aud":[],"claims":{"iss":"x","exp":1},"ttl":0,"nope":1}"#).expect_err("refused");
        for part in [
            "sub: sub is required",
            "aud: aud must be",
            "claims.iss: iss cannot",
            "claims.exp: exp cannot",
            "ttl: ttl must",
            "nope: there is no such",
        ] {
            assert!(message.contains(part), "{part} in {message}");
        }
        for (body, part) in [
            (r#"{"sub":1,"aud":"x"}"#, "sub must be"),
            (r#"{"sub":"","aud":"x"}"#, "sub must be"),
            (r#"{"sub":"a","aud":""}"#, "aud must be"),
            (r#"{"sub":"a","aud":["x",1]}"#, "aud must be"),
            (r#"{"sub":"a","aud":"x","ttl":86401}"#, "ttl must be"),
            (r#"{"sub":"a","aud":"x","ttl":1.5}"#, "ttl must be"),
            (r#"{"sub":"a","aud":"x","claims":[]}"#, "claims must be"),
            ("[]", "must be a JSON object"),
            ("{", "no JSON: EOF while parsing an object at line 1 column 1"),
            ("", "no JSON"),
        ] {
            let message = read(body).expect_err(body);
            assert!(message.contains(part), "{body}: {message}");
        }
    }
}
