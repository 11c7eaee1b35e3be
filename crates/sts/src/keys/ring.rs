//! The signing keys in memory: one that signs, all that verify.

use std::{fmt, sync::Arc};

use arc_swap::ArcSwap;
use domain::{Error, Kind, Rule, Secret, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use crate::jws::{Jwks, SigningKey};

/// The ring in use. Reading it costs nanoseconds; a rotation swaps the whole ring.
pub struct Keyring(ArcSwap<Ring>);

/// A set of keys that does not change.
pub(super) struct Ring {
    active: Option<SigningKey>,
    published: Vec<Published>,
}

/// A key that verifies.
pub(super) struct Published {
    pub(super) jwk: Value,
    pub(super) keys: Arc<Jwks>,
    /// When the last token that it signed has expired; `None` while it signs.
    pub(super) until: Option<Timestamp>,
}

impl Ring {
    pub(super) fn new(active: Option<SigningKey>, published: Vec<Published>) -> Self {
        Self { active, published }
    }
}

impl Published {
    pub(super) fn new(jwk: Value, until: Option<Timestamp>) -> Result<Self, Error> {
        let set = json!({"keys": [jwk]}).to_string();
        let keys = Jwks::parse(set.as_bytes()).map_err(Error::internal)?;
        if let Some(why) = keys.unusable() {
            return Err(Error::internal(format!("a stored signing key cannot be used: {why}")));
        }
        Ok(Self { jwk, keys: Arc::new(keys), until })
    }

    fn is_good(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

impl Keyring {
    pub(super) fn new(ring: Ring) -> Self {
        Self(ArcSwap::from_pointee(ring))
    }

    pub(super) fn replace(&self, ring: Ring) {
        self.0.store(Arc::new(ring));
    }

    /// Signs the claims with the active key.
    ///
    /// # Errors
    /// Unavailable when there is no active key; internal when signing fails.
    pub fn sign(&self, claims: &impl Serialize) -> Result<Secret<String>, Error> {
        let ring = self.0.load();
        let active = ring
            .active
            .as_ref()
            .ok_or_else(|| Error::new(Kind::Unavailable, Rule::Unavailable, "no signing key is active; retry soon"))?;
        active.sign(claims)
    }

    /// The published key with this `kid`, as a set of its own.
    #[must_use]
    pub fn verifier(&self, key_id: &str, now: Timestamp) -> Option<Arc<Jwks>> {
        let ring = self.0.load();
        let found = ring.published.iter().find(|key| key.is_good(now) && key.keys.knows(key_id));
        found.map(|key| key.keys.clone())
    }

    /// The key set that we publish (RFC 7517 section 5), the active key first.
    #[must_use]
    pub fn jwks(&self, now: Timestamp) -> Value {
        let ring = self.0.load();
        let keys: Vec<_> = ring.published.iter().filter(|key| key.is_good(now)).map(|key| key.jwk.clone()).collect();
        json!({ "keys": keys })
    }

    /// The `kid` of the active key.
    #[must_use]
    pub fn active_key_id(&self) -> Option<String> {
        self.0.load().active.as_ref().map(|key| key.key_id().to_owned())
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyring").field("active", &self.active_key_id()).finish_non_exhaustive()
    }
}
