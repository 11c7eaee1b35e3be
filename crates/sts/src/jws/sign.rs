//! Signing: the tokens that this server makes.

use std::{collections::BTreeMap, fmt};

use aws_lc_rs::{
    digest,
    encoding::{AsDer, Pkcs8V1Der},
    rand::SystemRandom,
    rsa,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256},
};
use domain::{Error, Secret};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{algorithm::Algorithm, base64url::encode};

/// What tokens are signed with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TokenAlgorithm {
    /// ECDSA on P-256 with SHA-256 (RFC 7518 section 3.4): short, and quick to make.
    #[default]
    Es256,
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 section 3.3) and 2048 bits, which OpenID Connect Core 1.0 (section 15.1) asks of
    /// every provider: for verifiers that expect it and do not read the discovery document.
    Rs256,
}

impl TokenAlgorithm {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Es256, Self::Rs256];

    /// The `alg` text of the JOSE registry.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Es256 => Algorithm::Es256.as_str(),
            Self::Rs256 => Algorithm::Rs256.as_str(),
        }
    }

    /// The algorithm with this `alg` text, if tokens can be signed with it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == name)
    }
}

/// A private key, parsed once.
pub struct SigningKey {
    pair: Pair,
    key_id: String,
    /// The first segment of every token that it signs.
    header: String,
}

/// What signs.
enum Pair {
    P256(EcdsaKeyPair),
    Rsa(rsa::KeyPair),
}

impl SigningKey {
    /// Makes a new key. This and the salt of its signatures come from the generator of aws-lc-rs, not from the call's
    /// entropy: a key that tests could predict would be one too many. One for RS256 takes some tenths of a second.
    ///
    /// # Errors
    /// Internal when the generator fails.
    pub fn generate(algorithm: TokenAlgorithm) -> Result<Self, Error> {
        let pair = match algorithm {
            TokenAlgorithm::Es256 => EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).map(Pair::P256),
            TokenAlgorithm::Rs256 => rsa::KeyPair::generate(rsa::KeySize::Rsa2048).map(Pair::Rsa),
        };
        pair.map(Self::new).map_err(Error::internal)
    }

    /// Reads a key from PKCS #8.
    ///
    /// # Errors
    /// Internal when it is none of that algorithm.
    pub fn from_pkcs8(algorithm: TokenAlgorithm, bytes: &[u8]) -> Result<Self, Error> {
        let pair = match algorithm {
            TokenAlgorithm::Es256 => EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, bytes).map(Pair::P256),
            TokenAlgorithm::Rs256 => rsa::KeyPair::from_pkcs8(bytes).map(Pair::Rsa),
        };
        pair.map(Self::new).map_err(Error::internal)
    }

    fn new(pair: Pair) -> Self {
        let key_id = pair.thumbprint();
        let header = json!({"alg": pair.algorithm().as_str(), "kid": key_id, "typ": "JWT"}).to_string();
        Self { pair, key_id, header: encode(header) }
    }

    /// The private key as PKCS #8.
    ///
    /// # Errors
    /// Internal when aws-lc-rs cannot write it.
    pub fn to_pkcs8(&self) -> Result<Secret<Vec<u8>>, Error> {
        let document = match &self.pair {
            Pair::P256(pair) => pair.to_pkcs8v1().map(|document| document.as_ref().to_vec()),
            Pair::Rsa(pair) => AsDer::<Pkcs8V1Der<'_>>::as_der(pair).map(|document| document.as_ref().to_vec()),
        };
        document.map(Secret::new).map_err(Error::internal)
    }

    /// What it signs with.
    #[must_use]
    pub fn algorithm(&self) -> TokenAlgorithm {
        self.pair.algorithm()
    }

    /// The `kid` of its tokens: the thumbprint of RFC 7638.
    #[must_use]
    pub fn key_id(&self) -> &str {
        &self.key_id
    }

    /// The public half, as it stands in our key set (RFC 7518 sections 6.2.1 and 6.3.1).
    #[must_use]
    pub fn public_jwk(&self) -> Value {
        let mut jwk = self.pair.public();
        let about = [("use", "sig"), ("kid", &self.key_id), ("alg", self.algorithm().as_str())];
        jwk.extend(about.map(|(name, value)| (name, value.to_owned())));
        json!(jwk)
    }

    /// A token with these claims in the compact form (RFC 7515 section 7.1).
    ///
    /// # Errors
    /// Internal when the claims are not writable as JSON or signing fails.
    pub fn sign(&self, claims: &impl Serialize) -> Result<Secret<String>, Error> {
        let mut token = self.header.clone();
        token.push('.');
        token.push_str(&encode(serde_json::to_vec(claims).map_err(Error::internal)?));
        let signature = self.pair.sign(token.as_bytes())?;
        token.push('.');
        token.push_str(&signature);
        Ok(Secret::new(token))
    }
}

impl Pair {
    fn algorithm(&self) -> TokenAlgorithm {
        match self {
            Self::P256(_) => TokenAlgorithm::Es256,
            Self::Rsa(_) => TokenAlgorithm::Rs256,
        }
    }

    /// The members that make the public key, in the order of their names.
    fn public(&self) -> BTreeMap<&'static str, String> {
        match self {
            Self::P256(pair) => {
                let (x, y) = coordinates(pair.public_key().as_ref());
                BTreeMap::from([("crv", "P-256".to_owned()), ("kty", "EC".to_owned()), ("x", x), ("y", y)])
            }
            Self::Rsa(pair) => {
                let key = pair.public_key();
                let [e, n] = [key.exponent(), key.modulus()].map(|number| encode(number.big_endian_without_leading_zero()));
                BTreeMap::from([("e", e), ("kty", "RSA".to_owned()), ("n", n)])
            }
        }
    }

    /// RFC 7638 section 3: the required members in the order of their names, hashed.
    fn thumbprint(&self) -> String {
        encode(digest::digest(&digest::SHA256, json!(self.public()).to_string().as_bytes()))
    }

    fn sign(&self, message: &[u8]) -> Result<String, Error> {
        let random = SystemRandom::new();
        match self {
            Self::P256(pair) => pair.sign(&random, message).map(encode).map_err(Error::internal),
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).map_err(Error::internal)?;
                Ok(encode(signature))
            }
        }
    }
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
