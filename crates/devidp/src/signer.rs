//! A key that lives as long as the process, and what it signs: ES256 in the compact form (RFC 7515 section 7.1).

use std::fmt;

use aws_lc_rs::{
    digest,
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::Error;
use serde_json::{Map, Value, json};

pub(crate) struct Signer {
    pair: EcdsaKeyPair,
    key_id: String,
}

impl Signer {
    pub(crate) fn generate() -> Result<Self, Error> {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).map_err(Error::internal)?;
        let (x, y) = coordinates(&pair);
        // RFC 7638 section 3.
        let members = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        let key_id = URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, members.as_bytes()));
        Ok(Self { pair, key_id })
    }

    pub(crate) fn public_jwk(&self) -> Value {
        let (x, y) = coordinates(&self.pair);
        json!({ "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.key_id, "x": x, "y": y })
    }

    pub(crate) fn sign(&self, claims: &Map<String, Value>) -> Result<String, Error> {
        let header = json!({ "alg": "ES256", "kid": self.key_id, "typ": "JWT" });
        let claims = serde_json::to_vec(claims).map_err(Error::internal)?;
        let mut token = URL_SAFE_NO_PAD.encode(header.to_string());
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(claims, &mut token);
        let signature = self.pair.sign(&SystemRandom::new(), token.as_bytes()).map_err(Error::internal)?;
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature, &mut token);
        Ok(token)
    }
}

/// The coordinates of the uncompressed public point (SEC 1 section 2.3.3).
fn coordinates(pair: &EcdsaKeyPair) -> (String, String) {
    let point = pair.public_key().as_ref().get(1..).unwrap_or_default();
    let (x, y) = point.split_at_checked(32).unwrap_or_default();
    (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y))
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}
