//! Signed tokens in the compact form of JWS (RFC 7515) with JSON claims (RFC 7519): a thin layer over aws-lc-rs.
//!
//! What it refuses by construction: `none` and every symmetric algorithm (they are not in [`Algorithm`]), an algorithm that
//! the key is not for (checked before the signature is looked at), critical header parameters, padding or stray bits in
//! base64url, duplicate JSON members, and texts above [`MAX_TOKEN`]. Keys come from a key set alone: `jwk`, `jku`, `x5c` and
//! `x5u` in a header are never read.

mod algorithm;
mod base64url;
mod compact;
mod jwk;
mod jwks;
mod sign;
pub(crate) mod strict;

pub use algorithm::Algorithm;
pub use compact::{JwsError, MAX_TOKEN, Unverified, Verified};
pub use jwk::{Jwk, Unusable};
pub use jwks::{Jwks, JwksError, MAX_KEYS};
pub use sign::{SigningKey, TokenAlgorithm};
