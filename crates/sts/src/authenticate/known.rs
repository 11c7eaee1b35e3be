//! Tokens that were verified, so that none is verified twice.

use std::{fmt, sync::Arc};

use domain::{Caller, Grants, Uidp};
use prometheus_client::registry::Registry;
use quick_cache::Weighter;

use crate::{
    bounded::{Cache, cache},
    current::{Entries, Lookups},
    token::OwnToken,
};

/// The most memory that is used, in bytes.
const MEMORY: u64 = 16 << 20;

/// What does not change about a token: whoever has it proves this. Times, the key and the identity are judged per request.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) caller: Arc<Caller>,
    pub(super) key_id: Arc<str>,
    pub(super) relationship_revision: i64,
    /// What was left by its narrowing the last time.
    pub(super) kept: Option<Kept>,
}

/// What a narrowing has left of a standing's grants.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// The standing's number.
    pub(super) of: u64,
    pub(super) grants: Arc<Grants>,
}

impl Known {
    pub(super) fn new(token: OwnToken) -> Self {
        let OwnToken { caller, key_id, relationship_revision } = token;
        Self { caller: Arc::new(caller), key_id: key_id.into(), relationship_revision, kept: None }
    }
}

/// The SHA-256 of a token. The token itself is kept nowhere.
type Digest = [u8; 32];

/// Verified tokens, the ones in use. Memory is bounded.
pub(super) struct KnownTokens {
    cache: Cache<Digest, Arc<Known>, Weight>,
    lookups: Lookups,
}

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<Digest, Arc<Known>> for Weight {
    fn weight(&self, digest: &Digest, known: &Arc<Known>) -> u64 {
        let caller = &*known.caller;
        let upstream = caller.upstream.as_ref().map_or(0, |act| act.iss.len() + act.sub.len() + act.aud.len());
        let texts = [&caller.issuer, &caller.token_id].into_iter().chain(&caller.audience).chain(&caller.email);
        let texts: usize = texts.map(|text| size_of::<String>() + text.len()).sum();
        let scopes = caller.narrowing.scopes.iter().flatten().map(|group| size_of::<Uidp>() + group.as_str().len());
        let kept = known.kept.as_ref().map_or(0, |kept| kept.grants.weight());
        let own = size_of::<Known>() + size_of::<Caller>() + caller.identity.as_str().len() + known.key_id.len();
        (digest.len() + own + upstream + texts + scopes.sum::<usize>() + kept) as u64
    }
}

impl Default for KnownTokens {
    fn default() -> Self {
        Self { cache: cache(MEMORY, Weight), lookups: Lookups::new() }
    }
}

impl KnownTokens {
    /// The token with this digest.
    pub(super) fn get(&self, digest: &[u8]) -> Option<Arc<Known>> {
        let known = <&Digest>::try_from(digest).ok().and_then(|digest| self.cache.get(digest));
        self.lookups.count(known.is_some());
        known
    }

    /// Remembers a token that was let in.
    pub(super) fn keep(&self, digest: &[u8], known: Arc<Known>) {
        if let Ok(digest) = Digest::try_from(digest) {
            self.cache.insert(digest, known);
        }
    }

    pub(super) fn register(self: &Arc<Self>, registry: &mut Registry) {
        let help = "API tokens that were looked up among those verified before, by outcome: hit, miss (verified now)";
        self.lookups.register(registry, "token_cache_lookups", help);
        let (help, tokens) = ("API tokens that were verified and are remembered.", Arc::clone(self));
        let entries = Entries { name: "token_cache_entries", help, count: move || tokens.cache.len() };
        registry.register_collector(Box::new(entries));
    }
}

impl fmt::Debug for KnownTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownTokens").field("tokens", &self.cache.len()).finish_non_exhaustive()
    }
}
