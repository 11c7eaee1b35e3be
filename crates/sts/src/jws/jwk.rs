//! One public key in JSON (RFC 7517 section 4).

use std::fmt;

use aws_lc_rs::signature::ParsedPublicKey;
use serde_json::{Map, Value};

use super::{algorithm::Algorithm, base64url};

const MIN_RSA_BITS: usize = 2048;
const MAX_RSA_BITS: usize = 8192;
/// Members that only private or symmetric keys have (RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1, RFC 8037 section 2).
const PRIVATE_MEMBERS: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// A key of a key set. Keys that cannot be used are kept, so that a set is not refused for them, but never match.
#[derive(Debug)]
pub struct Jwk {
    key_id: Option<String>,
    state: Result<Vec<(Algorithm, ParsedPublicKey)>, Unusable>,
}

/// Why a key never matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// It is a symmetric key, or has private members. Nobody else should ever have seen it.
    Secret,
    /// It is for encryption, or for signing alone.
    Use,
    /// Its type, curve or algorithm is not supported.
    Unsupported,
    /// It is an RSA key of fewer than 2048 or more than 8192 bits.
    Size,
    /// A member is missing or not of its form, or the values are no key.
    Malformed,
}

/// The numbers of a public key, in the form in which aws-lc-rs takes them.
pub(super) enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl Jwk {
    /// Reads a key; one that cannot be used is an answer as well.
    #[must_use]
    pub fn parse(members: &Map<String, Value>) -> Self {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        Self { key_id: text("kid").map(str::to_owned), state: usable(members) }
    }

    /// Its `kid`.
    #[must_use]
    pub fn key_id(&self) -> Option<&str> {
        self.key_id.as_deref()
    }

    /// Why it never matches, if so.
    #[must_use]
    pub fn unusable(&self) -> Option<Unusable> {
        self.state.as_ref().err().copied()
    }

    /// How many bytes it takes, about: ready for an algorithm, a key takes some times as much as when it is written.
    pub(super) fn memory(&self) -> u64 {
        let ready = self.state.as_ref().map_or(&[][..], Vec::as_slice);
        ready.iter().map(|(_, key)| 1024 + 4 * key.as_ref().len() as u64).sum()
    }

    /// What it is ready for.
    pub(super) fn algorithms(&self) -> impl Iterator<Item = Algorithm> {
        self.state.iter().flatten().map(|(algorithm, _)| *algorithm)
    }

    /// The key made ready for `algorithm`, if it is for that.
    pub(super) fn verifier(&self, algorithm: Algorithm) -> Option<&ParsedPublicKey> {
        self.state.as_ref().ok()?.iter().find(|(known, _)| *known == algorithm).map(|(_, key)| key)
    }
}

fn usable(members: &Map<String, Value>) -> Result<Vec<(Algorithm, ParsedPublicKey)>, Unusable> {
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let kind = text("kty").ok_or(Unusable::Malformed)?;
    if kind == "oct" || PRIVATE_MEMBERS.iter().any(|name| members.contains_key(*name)) {
        return Err(Unusable::Secret);
    }
    if members.get("use").is_some_and(|purpose| purpose != "sig") || !may_verify(members.get("key_ops")) {
        return Err(Unusable::Use);
    }
    let bytes = |name: &str| text(name).and_then(base64url::decode).ok_or(Unusable::Malformed);
    let material = match (kind, text("crv")) {
        ("RSA", _) => rsa(bytes("n")?, bytes("e")?)?,
        ("EC", Some("P-256")) => Material::P256(point(&bytes("x")?, &bytes("y")?, 32)?),
        ("EC", Some("P-384")) => Material::P384(point(&bytes("x")?, &bytes("y")?, 48)?),
        ("OKP", Some("Ed25519")) => Material::Ed25519(Some(bytes("x")?).filter(|x| x.len() == 32).ok_or(Unusable::Malformed)?),
        _ => return Err(Unusable::Unsupported),
    };
    let algorithms = match members.get("alg") {
        None => Algorithm::ALL.to_vec(),
        Some(Value::String(name)) => vec![Algorithm::from_name(name).ok_or(Unusable::Unsupported)?],
        Some(_) => return Err(Unusable::Malformed),
    };
    let ready: Vec<_> = algorithms.into_iter().filter_map(|algorithm| Some((algorithm, algorithm.prepare(&material)?))).collect();
    if ready.is_empty() { Err(Unusable::Malformed) } else { Ok(ready) }
}

/// RFC 7517 section 4.3: when operations are named, verifying must be one of them.
fn may_verify(operations: Option<&Value>) -> bool {
    match operations {
        None => true,
        Some(Value::Array(operations)) => operations.iter().any(|operation| operation == "verify"),
        Some(_) => false,
    }
}

fn rsa(n: Vec<u8>, e: Vec<u8>) -> Result<Material, Unusable> {
    let first = *n.first().filter(|first| **first != 0).ok_or(Unusable::Malformed)?;
    let bits = n.len() * 8 - first.leading_zeros() as usize;
    let odd = |number: &[u8]| number.last().is_some_and(|last| last % 2 == 1);
    if !(MIN_RSA_BITS..=MAX_RSA_BITS).contains(&bits) {
        return Err(Unusable::Size);
    }
    // An exponent of one would make every text its own signature.
    if !odd(&n) || !odd(&e) || e == [1] || e.len() > 4 {
        return Err(Unusable::Malformed);
    }
    Ok(Material::Rsa { n, e })
}

/// The uncompressed form of SEC 1 section 2.3.3; aws-lc-rs checks that the point is on the curve.
fn point(x: &[u8], y: &[u8], len: usize) -> Result<Vec<u8>, Unusable> {
    if x.len() != len || y.len() != len {
        return Err(Unusable::Malformed);
    }
    Ok([&[4], x, y].concat())
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Secret => "it is private or symmetric",
            Self::Use => "it is not for verifying signatures",
            Self::Unsupported => "its type, curve or algorithm is not supported",
            Self::Size => "RSA keys need 2048 to 8192 bits",
            Self::Malformed => "it is malformed",
        })
    }
}
