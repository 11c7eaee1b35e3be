//! Signing: ES256 alone, the algorithm of every token that this server makes.

use std::fmt;

use aws_lc_rs::{
    digest,
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use domain::{Error, Secret};
use serde::Serialize;
use serde_json::{Value, json};

use super::{algorithm::Algorithm, base64url::encode};

/// A private P-256 key, parsed once.
pub struct SigningKey {
    pair: EcdsaKeyPair,
    key_id: String,
    /// The first segment of every token that it signs.
    header: String,
}

impl SigningKey {
    /// The algorithm of its signatures.
    pub const ALGORITHM: Algorithm = Algorithm::Es256;

    /// Makes a new key. This and the salt of its signatures come from the generator of aws-lc-rs, not from the call's
    /// entropy: a key that tests could predict would be one too many.
    ///
    /// # Errors
    /// Internal when the generator fails.
    pub fn generate() -> Result<Self, Error> {
        EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).map(Self::new).map_err(Error::internal)
    }

    /// Reads a key from PKCS #8.
    ///
    /// # Errors
    /// Internal when it is none.
    pub fn from_pkcs8(bytes: &[u8]) -> Result<Self, Error> {
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, bytes).map(Self::new).map_err(Error::internal)
    }

    fn new(pair: EcdsaKeyPair) -> Self {
        let key_id = thumbprint(pair.public_key().as_ref());
        let header = json!({"alg": Self::ALGORITHM.as_str(), "kid": key_id, "typ": "JWT"}).to_string();
        Self { pair, key_id, header: encode(header) }
    }

    /// The private key as PKCS #8.
    ///
    /// # Errors
    /// Internal when aws-lc-rs cannot write it.
    pub fn to_pkcs8(&self) -> Result<Secret<Vec<u8>>, Error> {
        self.pair.to_pkcs8v1().map(|document| Secret::new(document.as_ref().to_vec())).map_err(Error::internal)
    }

    /// The `kid` of its tokens: the thumbprint of RFC 7638.
    #[must_use]
    pub fn key_id(&self) -> &str {
        &self.key_id
    }

    /// The public half, as it stands in our key set.
    #[must_use]
    pub fn public_jwk(&self) -> Value {
        let (x, y) = coordinates(self.pair.public_key().as_ref());
        json!({"kty": "EC", "use": "sig", "crv": "P-256", "kid": self.key_id, "x": x, "y": y, "alg": Self::ALGORITHM.as_str()})
    }

    /// A token with these claims in the compact form (RFC 7515 section 7.1).
    ///
    /// # Errors
    /// Internal when the claims are not writable as JSON or signing fails.
    pub fn sign(&self, claims: &impl Serialize) -> Result<Secret<String>, Error> {
        let mut token = self.header.clone();
        token.push('.');
        token.push_str(&encode(serde_json::to_vec(claims).map_err(Error::internal)?));
        let signature = self.pair.sign(&SystemRandom::new(), token.as_bytes()).map_err(Error::internal)?;
        token.push('.');
        token.push_str(&encode(signature));
        Ok(Secret::new(token))
    }
}

/// RFC 7638 section 3: the required members in the order of their names, hashed.
fn thumbprint(point: &[u8]) -> String {
    let (x, y) = coordinates(point);
    let members = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
    encode(digest::digest(&digest::SHA256, members.as_bytes()))
}

/// The coordinates of an uncompressed point (SEC 1 section 2.3.3) as base64url.
fn coordinates(point: &[u8]) -> (String, String) {
    let (x, y) = point.get(1..).unwrap_or_default().split_at_checked(32).unwrap_or_default();
    (encode(x), encode(y))
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}
