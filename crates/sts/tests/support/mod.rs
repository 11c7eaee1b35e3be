//! What the tests share: keys of every kind, and tokens made by another library.
#![allow(dead_code, reason = "each test binary uses its part")]
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a test that cannot go on says why")]

pub(crate) mod upstream;
pub(crate) mod world;

use aws_lc_rs::{
    encoding::{AsDer, Pkcs8V1Der, PublicKeyX509Der},
    rsa::{KeyPair as RsaKeyPair, KeySize},
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair,
        KeyPair,
    },
};
use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

/// A key pair: the private half for the other library, the public half as a JSON Web Key without `kid` and `alg`.
pub(crate) struct TestKey {
    pub(crate) encoding: EncodingKey,
    pub(crate) jwk: Value,
    pub(crate) pkcs8: Vec<u8>,
}

pub(crate) fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn pem(pkcs8: &[u8]) -> String {
    format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", STANDARD.encode(pkcs8))
}

pub(crate) fn rsa() -> TestKey {
    let pair = RsaKeyPair::generate(KeySize::Rsa2048).expect("a key");
    let der: Pkcs8V1Der<'_> = pair.as_der().expect("PKCS #8");
    let pkcs8 = der.as_ref().to_vec();
    let public = pair.public_key();
    let jwk = json!({
        "kty": "RSA",
        "n": b64(public.modulus().big_endian_without_leading_zero()),
        "e": b64(public.exponent().big_endian_without_leading_zero()),
    });
    TestKey { encoding: EncodingKey::from_rsa_pem(pem(&pkcs8).as_bytes()).expect("a key"), jwk, pkcs8 }
}

pub(crate) fn p256() -> TestKey {
    ec(&ECDSA_P256_SHA256_FIXED_SIGNING, "P-256")
}

pub(crate) fn p384() -> TestKey {
    ec(&ECDSA_P384_SHA384_FIXED_SIGNING, "P-384")
}

fn ec(algorithm: &'static EcdsaSigningAlgorithm, curve: &str) -> TestKey {
    let pair = EcdsaKeyPair::generate(algorithm).expect("a key");
    let pkcs8 = pair.to_pkcs8v1().expect("PKCS #8").as_ref().to_vec();
    let point = &pair.public_key().as_ref()[1..];
    let (x, y) = point.split_at(point.len() / 2);
    let jwk = json!({"kty": "EC", "crv": curve, "x": b64(x), "y": b64(y)});
    TestKey { encoding: EncodingKey::from_ec_pem(pem(&pkcs8).as_bytes()).expect("a key"), jwk, pkcs8 }
}

pub(crate) fn ed25519() -> TestKey {
    let pair = Ed25519KeyPair::generate().expect("a key");
    let pkcs8 = pair.to_pkcs8v1().expect("PKCS #8").as_ref().to_vec();
    let jwk = json!({"kty": "OKP", "crv": "Ed25519", "x": b64(pair.public_key())});
    TestKey { encoding: EncodingKey::from_ed_pem(pem(&pkcs8).as_bytes()).expect("a key"), jwk, pkcs8 }
}

impl TestKey {
    /// The public key with a `kid`.
    pub(crate) fn named(&self, kid: &str) -> Value {
        let mut jwk = self.jwk.clone();
        jwk["kid"] = kid.into();
        jwk
    }

    /// The public RSA key as PEM.
    pub(crate) fn public_pem(&self) -> String {
        let pair = RsaKeyPair::from_pkcs8(&self.pkcs8).expect("an RSA key");
        let der: PublicKeyX509Der<'_> = pair.public_key().as_der().expect("X.509");
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", STANDARD.encode(der.as_ref()))
    }

    /// A token of these claims, signed by the other library.
    pub(crate) fn token(&self, algorithm: Algorithm, kid: Option<&str>, claims: &Value) -> String {
        let header = Header { kid: kid.map(str::to_owned), ..Header::new(algorithm) };
        jsonwebtoken::encode(&header, claims, &self.encoding).expect("a token")
    }
}

/// A key set of these keys.
pub(crate) fn jwks(keys: &[Value]) -> String {
    json!({ "keys": keys }).to_string()
}
