//! A set of public keys in JSON (RFC 7517 section 5).

use std::{collections::HashMap, fmt, sync::LazyLock};

use serde_json::Value;

use super::{
    algorithm::Algorithm,
    compact::JwsError,
    jwk::{Jwk, Unusable},
    strict,
};

/// Most keys that a set may have.
pub const MAX_KEYS: usize = 128;
/// Most keys of one name and algorithm: a signature is tried with each of them. Issuers that change over have two.
pub(super) const MAX_NAMESAKES: usize = 4;

/// One public key for each family of algorithms, of nobody: their private halves were thrown away.
const NOBODY: &str = r#"{"keys": [
  {"kty": "RSA", "e": "AQAB", "n": "rcflngoZKepUVxQPiZMdV4KD_0hPP3YMFEeYZyd5nMU3FvwMOsgDASeAOYcTNMk1DsqnqU0E69JsnLwiNC_DTHqEWn0n4boic_Bu80YjxqVN_foNUZmfiTGiP8N5NyAfcvk8j2NQAa_mVknFIAbbNxtVMUvg6M5tL4CI9g-BCYBYnYV3JFl-ufrtfRj7lPDLr5KnL4w5gjdTTnOxl8DnuNDSBALafsSBzguRqB1QHVpN3qPQVIZFujcO8ctu_OFjHp8OZXvXFMOzGjOcml7rV_c6bNZtHWYz8BenBGwmFJl2D6MkmIiadpA96wS1HfYj8fBHcuGRdbLgnoGdWzApxw"},
  {"kty": "EC", "crv": "P-256", "x": "FrZgd9rVbrJWNzyPCwpvI23pRcM29STWsccifc2NScw", "y": "efxjxdJXOlJ8wdLn8FVv87RBJoLyxDpvLiwyLMFVXS4"},
  {"kty": "EC", "crv": "P-384", "x": "qq0iD2PKjRPQdDG0G6QOE87txG6SkkGqwjUZ--pHs4ISdcbaHggJf20ShS_Uctkv", "y": "HeRPQUQc4FgYKe0muYmR67luJ9-wK7eQqLZxOk2X2S_y1Zf1Z7SJoeGYqnZ-3zIv"},
  {"kty": "OKP", "crv": "Ed25519", "x": "19-uPzy4ITQuqGVkKFFYiT8FrYj-7z_Q--Q-vNz_pZA"}
]}"#;

/// The keys of an issuer.
#[derive(Debug, Default)]
pub struct Jwks {
    keys: Vec<Jwk>,
}

/// Why a text is no key set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JwksError {
    /// Not a JSON object with distinct members.
    Json,
    /// It has no `keys`, or they are not a list of objects.
    Shape,
    /// More keys than [`MAX_KEYS`].
    TooMany,
    /// More than four keys under one `kid` that are for the same algorithm.
    Namesakes,
}

impl Jwks {
    /// Reads a set.
    ///
    /// # Errors
    /// When the text is no key set. Keys that cannot be used are no error; see [`Jwk::unusable`].
    pub fn parse(text: &[u8]) -> Result<Self, JwksError> {
        let members = strict::object(text).map_err(|_| JwksError::Json)?;
        let keys = members.get("keys").and_then(Value::as_array).ok_or(JwksError::Shape)?;
        if keys.len() > MAX_KEYS {
            return Err(JwksError::TooMany);
        }
        let keys = keys.iter().map(|key| key.as_object().map(Jwk::parse).ok_or(JwksError::Shape)).collect::<Result<_, _>>()?;
        let set = Self { keys };
        if set.has_crowded_name() { Err(JwksError::Namesakes) } else { Ok(set) }
    }

    /// Whether a signature might have to be tried with more keys than are worth it.
    fn has_crowded_name(&self) -> bool {
        let mut namesakes = HashMap::new();
        let named = self.usable().filter_map(|key| key.key_id().map(|name| (name, key)));
        named.flat_map(|(name, key)| key.algorithms().map(move |algorithm| (name, algorithm))).any(|known| {
            let count = namesakes.entry(known).or_insert(0);
            *count += 1;
            *count > MAX_NAMESAKES
        })
    }

    /// Keys of nobody, exactly one for each algorithm, by which a token without a key costs what another one costs: how long a refusal
    /// takes does not tell whose keys are known. What they verify is believed nowhere.
    pub(super) fn of_nobody() -> &'static Self {
        static KEYS: LazyLock<Jwks> = LazyLock::new(|| Jwks::parse(NOBODY.as_bytes()).unwrap_or_default());
        &KEYS
    }

    /// Every key, those that cannot be used included.
    #[must_use]
    pub fn keys(&self) -> &[Jwk] {
        &self.keys
    }

    /// Why no key of the set can be used: the reason of the first one. `None` when at least one can.
    #[must_use]
    pub fn unusable(&self) -> Option<Unusable> {
        let first = self.keys.first().map_or(Some(Unusable::Malformed), Jwk::unusable);
        first.filter(|_| self.keys.iter().all(|key| key.unusable().is_some()))
    }

    /// How many bytes its keys take, about.
    pub(crate) fn memory(&self) -> u64 {
        self.keys.iter().map(Jwk::memory).sum()
    }

    /// Whether a usable key has this `kid`.
    pub(crate) fn knows(&self, key_id: &str) -> bool {
        self.usable().any(|key| key.key_id() == Some(key_id))
    }

    fn usable(&self) -> impl Iterator<Item = &Jwk> {
        self.keys.iter().filter(|key| key.unusable().is_none())
    }

    /// Checks `signature` over `message`; `tried` is raised by how many keys it was checked with.
    ///
    /// With a `key_id` only keys of that name count (several may share it, RFC 7517 section 4.5); without one there must be
    /// exactly one usable key for the algorithm.
    pub(super) fn verify(
        &self,
        key_id: Option<&str>,
        algorithm: Algorithm,
        message: &[u8],
        signature: &[u8],
        tried: &mut u64,
    ) -> Result<(), JwsError> {
        let named: Vec<_> = self.usable().filter(|key| key_id.is_none() || key.key_id() == key_id).collect();
        let fitting: Vec<_> = named.iter().filter_map(|key| key.verifier(algorithm)).collect();
        match (fitting.len(), key_id) {
            (0, Some(_)) if !named.is_empty() => return Err(JwsError::KeyMismatch),
            (0, _) => return Err(JwsError::UnknownKey),
            (2.., None) => return Err(JwsError::AmbiguousKey),
            _ => {}
        }
        let verified = fitting.iter().inspect(|_| *tried += 1).any(|key| key.verify_sig(message, signature).is_ok());
        if verified { Ok(()) } else { Err(JwsError::Signature) }
    }
}

impl fmt::Display for JwksError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json => f.write_str("not a JSON object with distinct members"),
            Self::Shape => f.write_str("not a JSON Web Key Set: it needs a list \"keys\" of objects"),
            Self::TooMany => write!(f, "a key set may have at most {MAX_KEYS} keys"),
            Self::Namesakes => {
                write!(f, "a key set may have at most {MAX_NAMESAKES} keys with the same kid for the same algorithm")
            }
        }
    }
}

impl std::error::Error for JwksError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_one_key_for_each_algorithm() {
        for algorithm in Algorithm::ALL {
            let fitting = Jwks::of_nobody().keys().iter().filter(|key| key.verifier(algorithm).is_some()).count();
            assert_eq!(fitting, 1, "{algorithm}");
        }
    }
}
