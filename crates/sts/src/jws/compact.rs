//! The compact serialization: three base64url segments (RFC 7515 section 7.1).

use std::fmt;

use serde_json::{Map, Value};

use super::{algorithm::Algorithm, base64url, jwks::Jwks, strict};

/// Largest accepted token in bytes.
pub const MAX_TOKEN: usize = 16 * 1024;

/// A token whose signature nobody has checked. It tells only what is needed to find the keys that can check it.
pub struct Unverified<'a> {
    signed: &'a str,
    signature: Vec<u8>,
    algorithm: Algorithm,
    key_id: Option<String>,
    kind: Option<String>,
    issuer: String,
    claims: Map<String, Value>,
}

/// The claims of a token whose signature was checked with a key of its issuer. Times and audience are not judged yet.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The `iss` claim.
    pub issuer: String,
    /// The header's `kid`.
    pub key_id: Option<String>,
    /// The header's `typ`.
    pub kind: Option<String>,
    /// The header's `alg`.
    pub algorithm: Algorithm,
    /// All claims.
    pub claims: Map<String, Value>,
}

/// Why a token is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JwsError {
    /// Larger than [`MAX_TOKEN`].
    TooLarge,
    /// Not of the form that RFC 7515 and RFC 7519 describe; the text says where.
    Malformed(&'static str),
    /// The `alg` is not accepted: `none`, a symmetric one or an unknown one.
    Algorithm,
    /// The header has critical parameters, of which this server knows none (RFC 7515 section 4.1.11).
    Critical,
    /// The issuer has no key with that `kid`, or none at all that is for the `alg`.
    UnknownKey,
    /// The header names no key and the issuer has several.
    AmbiguousKey,
    /// The key with that `kid` is not for the token's `alg`.
    KeyMismatch,
    /// The signature is not of that key.
    Signature,
}

impl<'a> Unverified<'a> {
    /// Takes a token apart.
    ///
    /// # Errors
    /// See [`JwsError`]; no key was looked at yet.
    pub fn parse(token: &'a str) -> Result<Self, JwsError> {
        if token.len() > MAX_TOKEN {
            return Err(JwsError::TooLarge);
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(JwsError::Malformed("it has fewer than three segments"))?;
        let (header, payload) = signed.split_once('.').ok_or(JwsError::Malformed("it has fewer than three segments"))?;
        if payload.contains('.') {
            return Err(JwsError::Malformed("it has more than three segments"));
        }
        let header = segment(header).ok_or(JwsError::Malformed("its header is not base64url"))?;
        let header =
            strict::object(&header).map_err(|_| JwsError::Malformed("its header is not a JSON object with distinct members"))?;
        let algorithm = match header.get("alg") {
            Some(Value::String(name)) => Algorithm::from_name(name).ok_or(JwsError::Algorithm)?,
            _ => return Err(JwsError::Malformed("its header has no alg")),
        };
        if header.contains_key("crit") {
            return Err(JwsError::Critical);
        }
        let key_id = optional_text(&header, "kid", "its kid is not a text")?;
        let kind = optional_text(&header, "typ", "its typ is not a text")?;
        let payload = segment(payload).ok_or(JwsError::Malformed("its payload is not base64url"))?;
        let claims = strict::object(&payload)
            .map_err(|_| JwsError::Malformed("its payload is not a JSON object with distinct members"))?;
        let issuer = match claims.get("iss") {
            Some(Value::String(issuer)) if !issuer.is_empty() => issuer.clone(),
            _ => return Err(JwsError::Malformed("it has no iss claim")),
        };
        let signature = segment(signature).ok_or(JwsError::Malformed("its signature is not base64url"))?;
        Ok(Self { signed, signature, algorithm, key_id, kind, issuer, claims })
    }

    /// The `iss` claim. Whoever made the token chose it.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The header's `kid`. Whoever made the token chose it.
    #[must_use]
    pub fn key_id(&self) -> Option<&str> {
        self.key_id.as_deref()
    }

    /// Whether `keys` has a usable key under the token's `kid`; a set that does not may be out of date.
    pub(crate) fn is_key_known(&self, keys: &Jwks) -> bool {
        self.key_id.as_deref().is_none_or(|kid| keys.knows(kid))
    }

    /// Checks the signature with the key that the header names, or with the only one that fits when it names none.
    ///
    /// # Errors
    /// When no key fits or the signature is not of that key.
    pub fn verify(self, keys: &Jwks) -> Result<Verified, JwsError> {
        self.check(keys, &mut 0)?;
        Ok(self.verified())
    }

    /// The same, checking one signature even where there are no `keys`, or none that fits: with a key of nobody, in vain. `tried` is
    /// raised by how many keys the signature was checked with.
    ///
    /// # Errors
    /// As [`Unverified::verify`].
    pub(crate) fn verify_or_try(self, keys: Option<&Jwks>, tried: &mut u64) -> Result<Verified, JwsError> {
        let before = *tried;
        let checked = keys.map_or(Err(JwsError::UnknownKey), |keys| self.check(keys, tried));
        if *tried == before {
            // INVARIANT: nobody is believed, whatever comes of it.
            _ = Jwks::of_nobody().verify(None, self.algorithm, self.signed.as_bytes(), &self.signature, tried);
        }
        checked.map(|()| self.verified())
    }

    fn check(&self, keys: &Jwks, tried: &mut u64) -> Result<(), JwsError> {
        keys.verify(self.key_id.as_deref(), self.algorithm, self.signed.as_bytes(), &self.signature, tried)
    }

    fn verified(self) -> Verified {
        let Self { algorithm, key_id, kind, issuer, claims, .. } = self;
        Verified { issuer, key_id, kind, algorithm, claims }
    }
}

/// The bytes of a segment that may not be empty.
fn segment(text: &str) -> Option<Vec<u8>> {
    base64url::decode(text).filter(|bytes| !bytes.is_empty())
}

fn optional_text(header: &Map<String, Value>, name: &str, otherwise: &'static str) -> Result<Option<String>, JwsError> {
    match header.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(JwsError::Malformed(otherwise)),
    }
}

impl fmt::Debug for Unverified<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unverified").field("issuer", &self.issuer).field("key_id", &self.key_id).finish_non_exhaustive()
    }
}

impl fmt::Display for JwsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(f, "the token is larger than {MAX_TOKEN} bytes"),
            Self::Malformed(what) => write!(f, "the token is not a signed JSON Web Token: {what}"),
            Self::Algorithm => {
                f.write_str("the token's alg is not accepted: sign with RS256, PS256, ES256, EdDSA or a longer form of these")
            }
            Self::Critical => f.write_str("the token has critical header parameters, which are not supported"),
            Self::UnknownKey => {
                f.write_str("the token's issuer has no key that fits: it may be signed with a key that was withdrawn")
            }
            Self::AmbiguousKey => f.write_str("the token names no key (kid) and its issuer has several"),
            Self::KeyMismatch => f.write_str("the token's alg is not one that its key is for"),
            Self::Signature => f.write_str("the token's signature is wrong"),
        }
    }
}

impl std::error::Error for JwsError {}
