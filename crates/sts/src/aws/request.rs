//! A request to AWS that somebody has signed and not sent.

use std::{collections::BTreeMap, fmt};

use base64::{Engine, engine::general_purpose::URL_SAFE};
use domain::Timestamp;

use super::authorization::signed_headers;
use crate::jws::MAX_TOKEN;

/// The only request that is sent on.
const REQUEST_LINE: &str = "POST /?Action=GetCallerIdentity&Version=2011-06-15 HTTP/1.1";
/// Most headers of a request.
const MAX_HEADERS: usize = 32;
/// Headers that have to be signed.
const REQUIRED: [&str; 4] = ["chainguard-audience", "chainguard-identity", "host", "x-amz-date"];
/// Headers that may be signed beside those: what AWS's own libraries sign. No other header is ever sent on, so a signature over another
/// one could not hold.
const OPTIONAL: [&str; 9] = [
    "accept",
    "amz-sdk-invocation-id",
    "amz-sdk-request",
    "content-length",
    "content-type",
    "user-agent",
    "x-amz-content-sha256",
    "x-amz-security-token",
    "x-amz-user-agent",
];
/// How long after it was signed a request is good, in seconds: as long as AWS takes it.
const LIFETIME: i64 = 15 * 60;
/// How far the clock of the signer may be ahead, in seconds.
const AHEAD: i64 = 5 * 60;

/// A signed request whose signature nobody has checked. It holds exactly what is sent on, and gives way to nothing else.
#[derive(PartialEq, Eq)]
pub struct SignedRequest {
    /// The signed headers and the signature, by their names in lower case.
    headers: BTreeMap<String, String>,
    signed_at: Timestamp,
}

/// Why a text is no such request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// It is something else altogether.
    Other,
    /// It is a request that is not sent on; the text says why, as the rest of a sentence.
    Malformed(&'static str),
}

impl SignedRequest {
    /// Takes a bearer token apart: the base64 of a request in the form of HTTP/1.1, with the URL alphabet and padding. The request must be
    /// to `host`, have no body and no header twice, and sign what [`SignedRequest::audience`] and the others answer.
    ///
    /// # Errors
    /// See [`RequestError`].
    pub fn parse(token: &str, host: &str) -> Result<Self, RequestError> {
        if token.len() > MAX_TOKEN {
            return Err(RequestError::Other);
        }
        let bytes = URL_SAFE.decode(token).map_err(|_| RequestError::Other)?;
        let text = String::from_utf8(bytes).map_err(|_| RequestError::Other)?;
        let (line, rest) = text.split_once("\r\n").ok_or(RequestError::Other)?;
        if !line.contains(" HTTP/") {
            return Err(RequestError::Other);
        }
        Self::read(line, rest, host).map_err(RequestError::Malformed)
    }

    fn read(line: &str, rest: &str, host: &str) -> Result<Self, &'static str> {
        if line != REQUEST_LINE {
            return Err("it must be POST /?Action=GetCallerIdentity&Version=2011-06-15 over HTTP/1.1");
        }
        let mut headers = headers(rest)?;
        if headers.get("host").map(String::as_str) != Some(host) {
            return Err("it is to another host than this server asks");
        }
        let authorization = headers.remove("authorization").ok_or("it has no Authorization")?;
        let signed = signed_headers(&authorization)?;
        if REQUIRED.iter().any(|name| !signed.contains(name)) {
            return Err("it must sign chainguard-audience, chainguard-identity, host and x-amz-date");
        }
        if signed.iter().any(|name| !REQUIRED.contains(name) && !OPTIONAL.contains(name)) {
            return Err("it signs a header that is not sent on");
        }
        if signed.iter().any(|name| !headers.contains_key(*name)) {
            return Err("it signs a header that it does not have");
        }
        if headers.contains_key("transfer-encoding") || headers.get("content-length").is_some_and(|length| length != "0") {
            return Err("it must not have a body");
        }
        headers.retain(|name, _| signed.contains(&name.as_str()));
        if headers.get("accept").is_some_and(|accept| accept != "application/json") {
            return Err("it must accept application/json");
        }
        let signed_at = headers.get("x-amz-date").and_then(|date| instant(date)).ok_or("its X-Amz-Date is no time")?;
        headers.insert("authorization".to_owned(), authorization);
        Ok(Self { headers, signed_at })
    }

    /// For whom it was signed.
    #[must_use]
    pub fn audience(&self) -> String {
        self.canonical("chainguard-audience")
    }

    /// The identity that the signer wants.
    #[must_use]
    pub fn identity(&self) -> String {
        self.canonical("chainguard-identity")
    }

    /// Whether it was signed too long ago.
    #[must_use]
    pub fn is_late(&self, now: Timestamp) -> bool {
        now > self.signed_at.plus_seconds(LIFETIME)
    }

    /// Whether it was signed by a clock that is too far ahead.
    #[must_use]
    pub fn is_early(&self, now: Timestamp) -> bool {
        self.signed_at > now.plus_seconds(AHEAD)
    }

    /// The headers that are sent on, in the order of their names, which are in lower case: those that are signed, and the signature.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value of a header as it is signed: with one space where there are several.
    fn canonical(&self, name: &str) -> String {
        let value = self.headers.get(name).map(String::as_str).unwrap_or_default();
        value.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// The headers up to the empty line, behind which nothing may come.
fn headers(text: &str) -> Result<BTreeMap<String, String>, &'static str> {
    let mut headers = BTreeMap::new();
    let mut rest = text;
    loop {
        let (line, next) = rest.split_once("\r\n").ok_or("its headers do not end")?;
        if line.is_empty() {
            return if next.is_empty() { Ok(headers) } else { Err("it must not have a body") };
        }
        if headers.len() >= MAX_HEADERS {
            return Err("it has more than 32 headers");
        }
        let (name, value) = line.split_once(':').ok_or("it has a header without a colon")?;
        // Stricter than RFC 9110 section 5.1: no other names are in use.
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_') {
            return Err("it has a header whose name is none");
        }
        let value = value.trim_matches(' ');
        if !value.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err("it has a header whose value is no plain text");
        }
        if headers.insert(name.to_ascii_lowercase(), value.to_owned()).is_some() {
            return Err("it has a header twice");
        }
        rest = next;
    }
}

/// The instant `YYYYMMDDTHHMMSSZ`.
fn instant(text: &str) -> Option<Timestamp> {
    let is_plain = text.len() == 16
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 => byte == b'T',
            15 => byte == b'Z',
            _ => byte.is_ascii_digit(),
        });
    let instant: jiff::Timestamp = text.parse().ok().filter(|_| is_plain)?;
    Some(Timestamp(instant.as_millisecond()))
}

impl fmt::Debug for SignedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedRequest").field("signed_at", &self.signed_at).finish_non_exhaustive()
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other => f.write_str("the token is not a signed request to AWS"),
            Self::Malformed(why) => write!(f, "the token is not a request to AWS that can be sent on: {why}"),
        }
    }
}

impl std::error::Error for RequestError {}

#[cfg(test)]
mod tests;
