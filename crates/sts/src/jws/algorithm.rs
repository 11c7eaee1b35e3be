//! The accepted signature algorithms.

use std::fmt;

use aws_lc_rs::signature::{self, ParsedPublicKey, RsaParameters, RsaPublicKeyComponents};

use super::jwk::Material;

/// A signature algorithm that this server accepts: RFC 7518 section 3.1 and RFC 8037 section 3.1, asymmetric ones alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    Rs384,
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    Rs512,
    /// RSASSA-PSS with SHA-256.
    Ps256,
    /// RSASSA-PSS with SHA-384.
    Ps384,
    /// RSASSA-PSS with SHA-512.
    Ps512,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// EdDSA on Ed25519.
    EdDsa,
}

impl Algorithm {
    /// Every accepted algorithm.
    pub const ALL: [Self; 9] =
        [Self::Rs256, Self::Rs384, Self::Rs512, Self::Ps256, Self::Ps384, Self::Ps512, Self::Es256, Self::Es384, Self::EdDsa];

    /// The `alg` text of the JOSE registry.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
        }
    }

    /// The algorithm with this `alg` text; `None` for `none`, `HS256` and everything else that is not accepted.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == name)
    }

    fn rsa(self) -> Option<&'static RsaParameters> {
        match self {
            Self::Rs256 => Some(&signature::RSA_PKCS1_2048_8192_SHA256),
            Self::Rs384 => Some(&signature::RSA_PKCS1_2048_8192_SHA384),
            Self::Rs512 => Some(&signature::RSA_PKCS1_2048_8192_SHA512),
            Self::Ps256 => Some(&signature::RSA_PSS_2048_8192_SHA256),
            Self::Ps384 => Some(&signature::RSA_PSS_2048_8192_SHA384),
            Self::Ps512 => Some(&signature::RSA_PSS_2048_8192_SHA512),
            Self::Es256 | Self::Es384 | Self::EdDsa => None,
        }
    }

    /// The key made ready for this algorithm; `None` when the key is of another type or no valid key.
    ///
    /// INVARIANT: this match is the allow-list of algorithms per key type.
    pub(super) fn prepare(self, material: &Material) -> Option<ParsedPublicKey> {
        match (self, material) {
            (Self::Es256, Material::P256(point)) => ParsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point).ok(),
            (Self::Es384, Material::P384(point)) => ParsedPublicKey::new(&signature::ECDSA_P384_SHA384_FIXED, point).ok(),
            (Self::EdDsa, Material::Ed25519(key)) => ParsedPublicKey::new(&signature::ED25519, key).ok(),
            (rsa, Material::Rsa { n, e }) => RsaPublicKeyComponents { n, e }.to_parsed_public_key(rsa.rsa()?).ok(),
            _ => None,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
