//! The signing keys in memory: whichever signs now, and all that verify.

use std::{fmt, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use domain::{Error, Kind, Rule, Secret, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};
use store::iam::standings::{KeyMarks, Position};

use crate::jws::{Jwks, SigningKey, TokenAlgorithm};

/// The ring in use. Reading it costs nanoseconds; a reload swaps the whole ring.
///
/// Which key signs follows from the time alone, so that every node that knows a planned rotation makes it at the same moment.
pub struct Keyring(ArcSwap<Ring>);

/// A set of keys that does not change.
pub(super) struct Ring {
    /// The newest first.
    keys: Vec<Key>,
    /// Those that are stored and not used.
    refused: Vec<Refused>,
    /// What signs, of the keys whose time it is.
    algorithm: TokenAlgorithm,
    loaded_at: Timestamp,
    /// The state of the store that it is of.
    read: Position,
    /// The rows that it was made of.
    marks: KeyMarks,
}

/// A stored key that is not used.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) key_id: String,
    pub(super) why: Error,
}

/// A key, and its life.
pub(super) struct Key {
    jwk: Value,
    verifier: Arc<Jwks>,
    /// The private half; none when it will never sign again.
    signer: Option<SigningKey>,
    life: Life,
}

/// When a key signs and verifies. Ends are exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Life {
    pub(super) signs_from: Timestamp,
    /// `None` while no end is planned.
    pub(super) signs_until: Option<Timestamp>,
    /// When the last token that it signed has expired.
    pub(super) verifies_until: Option<Timestamp>,
}

impl Life {
    pub(super) fn signs(&self, now: Timestamp) -> bool {
        self.signs_from <= now && self.may_sign(now)
    }

    /// Whether it signs now or will.
    pub(super) fn may_sign(&self, now: Timestamp) -> bool {
        self.signs_until.is_none_or(|until| now < until)
    }

    pub(super) fn verifies(&self, now: Timestamp) -> bool {
        self.verifies_until.is_none_or(|until| now < until)
    }
}

impl Ring {
    /// The ring of these keys, the newest first.
    pub(super) fn new(
        keys: Vec<Key>,
        refused: Vec<Refused>,
        algorithm: TokenAlgorithm,
        loaded_at: Timestamp,
        read: Position,
        marks: KeyMarks,
    ) -> Self {
        Self { keys, refused, algorithm, loaded_at, read, marks }
    }

    /// The names of the stored keys that are not used.
    fn refused(&self) -> Vec<&str> {
        self.refused.iter().map(|refused| refused.key_id.as_str()).collect()
    }

    /// Has the log say which stored keys are not used, and why.
    fn tell(&self) {
        for Refused { key_id, why } in &self.refused {
            tracing::error!(
                kid = key_id,
                ?why,
                "a stored signing key is not used; `provost admin check` tells what else was changed"
            );
        }
    }

    /// Whether this is an earlier state of the keys than the other one.
    fn is_before(&self, other: &Self) -> bool {
        self.read.server == other.read.server && self.read.revision < other.read.revision
    }

    /// The key whose time it is. Before the time of every key, which a clock that was set back comes to, it is the first
    /// of them: all are published, and nobody could get a token otherwise.
    fn active(&self, now: Timestamp) -> Option<&SigningKey> {
        self.active_key(now).and_then(|key| key.signer.as_ref())
    }

    /// Until the first key for another algorithm than before has its time, those of before sign.
    fn active_key(&self, now: Timestamp) -> Option<&Key> {
        let able = || self.keys.iter().filter(|key| key.life.may_sign(now));
        let wanted = || able().filter(|key| key.signs_with(self.algorithm));
        let signs = |key: &&Key| key.life.signs(now);
        let first = || wanted().min_by_key(|key| key.life.signs_from);
        wanted().find(signs).or_else(|| able().find(signs)).or_else(first)
    }
}

impl Key {
    pub(super) fn new(jwk: Value, signer: Option<SigningKey>, life: Life) -> Result<Self, Error> {
        let set = json!({"keys": [jwk]}).to_string();
        let verifier = Jwks::parse(set.as_bytes()).map_err(Error::internal)?;
        if let Some(why) = verifier.unusable() {
            return Err(Error::internal(format!("a stored signing key cannot be used: {why}")));
        }
        Ok(Self { jwk, verifier: Arc::new(verifier), signer, life })
    }

    fn signs_with(&self, algorithm: TokenAlgorithm) -> bool {
        self.signer.as_ref().is_some_and(|signer| signer.algorithm() == algorithm)
    }
}

impl Keyring {
    pub(super) fn new(ring: Ring) -> Self {
        ring.tell();
        Self(ArcSwap::from_pointee(ring))
    }

    /// Uses the ring from now on, unless one of a later state is in use: a key that is gone does not come back because
    /// somebody has read the keys before and stores them after.
    pub(super) fn replace(&self, ring: Ring) {
        let ring = Arc::new(ring);
        let before = self.0.rcu(|current| Arc::clone(if ring.is_before(current) { current } else { &ring }));
        if before.refused() != ring.refused() {
            ring.tell();
        }
    }

    /// The names of the stored keys that are not used, since nobody vouches for them.
    pub(super) fn refused(&self) -> Vec<String> {
        self.0.load().refused().into_iter().map(str::to_owned).collect()
    }

    /// Whether these are the keys in memory.
    pub(crate) fn holds(&self, stored: &KeyMarks) -> bool {
        self.0.load().marks == *stored
    }

    /// How long ago it was read from the store.
    pub(super) fn age(&self, now: Timestamp) -> Duration {
        let millis = now.0.saturating_sub(self.0.load().loaded_at.0);
        Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }

    /// Signs the claims with the key whose time it is.
    ///
    /// # Errors
    /// Unavailable when there is none; internal when signing fails.
    pub fn sign(&self, claims: &impl Serialize, now: Timestamp) -> Result<Secret<String>, Error> {
        let ring = self.0.load();
        let active = ring
            .active(now)
            .ok_or_else(|| Error::new(Kind::Unavailable, Rule::Unavailable, "no signing key is active; retry soon"))?;
        active.sign(claims)
    }

    /// The published key with this `kid`, as a set of its own.
    #[must_use]
    pub fn verifier(&self, key_id: &str, now: Timestamp) -> Option<Arc<Jwks>> {
        let ring = self.0.load();
        let found = ring.keys.iter().find(|key| key.life.verifies(now) && key.verifier.knows(key_id));
        found.map(|key| key.verifier.clone())
    }

    /// Whether tokens that this key has signed are believed.
    #[must_use]
    pub fn believes(&self, key_id: &str, now: Timestamp) -> bool {
        self.0.load().keys.iter().any(|key| key.life.verifies(now) && key.verifier.knows(key_id))
    }

    /// The key set that we publish (RFC 7517 section 5), the newest key first: also a key whose time is still to come.
    #[must_use]
    pub fn jwks(&self, now: Timestamp) -> Value {
        let ring = self.0.load();
        let keys: Vec<_> = ring.keys.iter().filter(|key| key.life.verifies(now)).map(|key| key.jwk.clone()).collect();
        json!({ "keys": keys })
    }

    /// How many keys verify now.
    pub(super) fn published(&self, now: Timestamp) -> usize {
        self.0.load().keys.iter().filter(|key| key.life.verifies(now)).count()
    }

    /// Since when the key that signs now does so.
    pub(super) fn active_since(&self, now: Timestamp) -> Option<Timestamp> {
        self.0.load().active_key(now).filter(|key| key.life.signs(now)).map(|key| key.life.signs_from)
    }

    /// The `kid` of the key that signs now.
    #[must_use]
    pub fn active_key_id(&self, now: Timestamp) -> Option<String> {
        self.0.load().active(now).map(|key| key.key_id().to_owned())
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyring").field("keys", &self.0.load().keys.len()).finish_non_exhaustive()
    }
}
