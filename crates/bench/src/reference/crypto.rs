//! What an exchange cannot do without: one RSA signature is checked, one signature is made, with ECDSA or with RSA.

use aws_lc_rs::{
    encoding::AsDer as _,
    rand::SystemRandom,
    rsa::{KeyPair, KeySize},
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256,
        RSA_PKCS1_SHA256,
    },
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sts::jws::TokenAlgorithm;

use crate::{Error, Result};

/// The key of an identity provider that signs with RS256, as most do.
#[derive(Debug)]
pub(crate) struct Issuer(KeyPair);

impl Issuer {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self(KeyPair::generate(KeySize::Rsa2048)?))
    }

    /// A token with these claims.
    pub(crate) fn sign(&self, claims: &Value) -> Result<String> {
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", encode(&json!({"alg": "RS256", "kid": "k", "typ": "JWT"})), encode(claims));
        let mut signature = vec![0; self.0.public_modulus_len()];
        self.0.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature)?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    /// Its key set.
    pub(crate) fn keys(&self) -> Value {
        let key = self.0.public_key();
        let (n, e) = (key.modulus(), key.exponent());
        let encode = |number: &[u8]| URL_SAFE_NO_PAD.encode(number);
        let (n, e) = (encode(n.big_endian_without_leading_zero()), encode(e.big_endian_without_leading_zero()));
        json!({"keys": [{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "k", "n": n, "e": e}]})
    }
}

/// Checks one token's signature and makes a signature over as many bytes as one of our tokens has.
pub(crate) struct Ceiling {
    signed: Vec<u8>,
    signature: Vec<u8>,
    verifies: ParsedPublicKey,
    signs: Signer,
}

enum Signer {
    Ecdsa(EcdsaKeyPair),
    Rsa(KeyPair),
}

impl Ceiling {
    pub(crate) fn new(issuer: &Issuer, token: &str, algorithm: TokenAlgorithm) -> Result<Self> {
        let (signed, signature) = token.rsplit_once('.').ok_or_else(|| Error::new("a token has three segments"))?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|error| Error::new(error.to_string()))?;
        let key = issuer.0.public_key().as_der()?;
        Ok(Self {
            signed: signed.as_bytes().to_vec(),
            signature,
            verifies: ParsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.as_ref())?,
            signs: match algorithm {
                TokenAlgorithm::Es256 => Signer::Ecdsa(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING)?),
                TokenAlgorithm::Rs256 => Signer::Rsa(KeyPair::generate(KeySize::Rsa2048)?),
            },
        })
    }

    /// Both, once.
    pub(crate) fn once(&self) -> Result<()> {
        self.verifies.verify_sig(&self.signed, &self.signature)?;
        let random = SystemRandom::new();
        match &self.signs {
            Signer::Ecdsa(key) => drop(std::hint::black_box(key.sign(&random, &self.signed)?)),
            Signer::Rsa(key) => {
                let mut signature = vec![0; key.public_modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, &self.signed, &mut signature)?;
                drop(std::hint::black_box(signature));
            }
        }
        Ok(())
    }
}
