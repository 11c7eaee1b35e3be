//! The keys of issuers, remembered: one fetch at a time for each issuer, refreshed when a key is unknown, kept for a bounded time
//! while an issuer is down.
//!
//! A fetch is a task of its own: it goes on when who asked for it has gone, and nobody waits for it long who can do without.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use arc_swap::ArcSwapOption;
use domain::{Error, Kind, Rule, Timestamp};
use moka::future::Cache;
use prometheus_client::registry::Registry;
use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    time::timeout,
};

use super::{
    address::{Resolver, SystemResolver},
    client::FetchError,
    fetcher::{Fetcher, JwksUri, Place},
    metrics::{Metrics, Remembered},
};
use crate::{
    Settings,
    jws::{Jwks, Unverified},
    settings::Limits,
    tasks::Tasks,
};

/// Other issuers and their keys. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Issuers {
    shared: Arc<Shared>,
    /// They end with the last clone.
    fetches: Arc<Tasks>,
}

/// What fetches need as well.
#[derive(Debug)]
struct Shared {
    fetcher: Fetcher,
    /// Weighed by the memory of their keys. Each counts for its part of the memory at least, which bounds their number.
    known: Cache<String, Arc<Issuer>>,
    limits: Limits,
    metrics: Metrics,
}

/// The keys of an issuer, and where they came from.
#[derive(Clone, Debug)]
pub struct Found {
    /// The keys.
    pub keys: Arc<Jwks>,
    /// `cached`, `fetched`, or `stale` while the issuer is down or being asked.
    pub from: &'static str,
}

/// One issuer. Readers take the current keys without waiting; the fetch under way holds the lock.
#[derive(Debug, Default)]
struct Issuer {
    keys: ArcSwapOption<Keys>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct Keys {
    jwks: Arc<Jwks>,
    fetched_at: Timestamp,
}

#[derive(Debug, Default)]
struct State {
    jwks_uri: Option<JwksUri>,
    /// When the last try to fetch began.
    tried_at: Option<Timestamp>,
    /// Why that failed, if it did, and when it was over.
    failure: Option<(FetchError, Instant)>,
}

impl Issuer {
    /// How many bytes its keys take, about.
    fn memory(&self) -> u64 {
        self.keys.load().as_ref().map_or(0, |keys| keys.jwks.memory())
    }
}

impl Issuers {
    /// Issuers under these settings, found by the system's resolver.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self::with_resolver(settings, Arc::new(SystemResolver))
    }

    /// Issuers under these settings, found by `resolver`.
    #[must_use]
    pub fn with_resolver(settings: &Settings, resolver: Arc<dyn Resolver>) -> Self {
        let Limits { issuers, issuer_memory, .. } = settings.limits;
        let share = issuer_memory / issuers.max(1);
        let weigh = move |_: &String, issuer: &Arc<Issuer>| u32::try_from(issuer.memory().max(share)).unwrap_or(u32::MAX);
        let known = Cache::builder().max_capacity(issuer_memory).weigher(weigh).build();
        let fetcher = Fetcher::new(settings, resolver);
        let shared = Shared { fetcher, known, limits: settings.limits, metrics: Metrics::new() };
        Self { shared: Arc::new(shared), fetches: Arc::default() }
    }

    /// Adds what is counted here to `registry`, under names that begin with `issuer`.
    pub fn register(&self, registry: &mut Registry) {
        self.shared.metrics.register(registry);
        let known = self.shared.known.clone();
        registry.register_collector(Box::new(Remembered(move || known.entry_count())));
    }

    /// The keys for a token. Whether this issuer may be asked at all is the caller's to know: an identity must name it.
    ///
    /// # Errors
    /// Unavailable when the issuer is down and has been for too long, or has no address that may be connected to; permission denied
    /// when what it answers cannot be used or it may not be asked.
    pub async fn keys(&self, token: &Unverified<'_>, now: Timestamp) -> Result<Found, Error> {
        let found = self.look_up(token, now).await;
        self.shared.metrics.looked_up(found.as_ref().map_or("failed", |found| found.from));
        found
    }

    async fn look_up(&self, token: &Unverified<'_>, now: Timestamp) -> Result<Found, Error> {
        let shared = &self.shared;
        let limits = &shared.limits;
        let issuer = shared.known.get_with_by_ref(token.issuer(), async { Arc::default() }).await;
        let is_known = |keys: &Arc<Keys>| token.is_key_known(&keys.jwks);
        if let Some(keys) = shared.fresh(&issuer, now).filter(is_known) {
            return Ok(Found { keys: keys.jwks.clone(), from: "cached" });
        }
        // What may be used while an issuer is down may be used until it is known whether it is.
        let enough = shared.usable(&issuer, now).filter(is_known);
        let mut state = match (Arc::clone(&issuer.state).try_lock_owned(), &enough) {
            (Ok(state), _) => state,
            (Err(_), Some(keys)) => return Ok(shared.stale(keys, now)),
            (Err(_), None) => Arc::clone(&issuer.state).lock_owned().await,
        };
        // Something may have been fetched while we waited for the lock.
        if let Some(keys) = shared.fresh(&issuer, now) {
            if is_known(&keys) || state.tried_at.is_some_and(|tried| is_within(tried, now, limits.refresh_interval)) {
                return Ok(Found { keys: keys.jwks.clone(), from: "cached" });
            }
        } else if let Some((failure, at)) = &state.failure
            && at.elapsed() < limits.failure_ttl
        {
            return shared.despite(failure, &issuer, token, now);
        }
        state.tried_at = Some(now);
        let place = match enough {
            Some(_) => None,
            // Taken before the task begins: tokens of issuers that never answered make no more tasks than there are places.
            None => Some(shared.fetcher.place(token.issuer()).await),
        };
        let fetch = Arc::clone(shared).fetch(token.issuer().to_owned(), Arc::clone(&issuer), state, place, now);
        let fetched = self.fetches.begin(fetch);
        let fetched = match enough {
            Some(keys) => match timeout(limits.stale_wait, fetched).await {
                Ok(fetched) => fetched,
                Err(_) => return Ok(shared.stale(&keys, now)),
            },
            None => fetched.await,
        };
        match fetched.unwrap_or_else(|_| Err(FetchError::Down("the server is stopping".to_owned()))) {
            Ok(keys) => Ok(Found { keys, from: "fetched" }),
            Err(failure) => shared.despite(&failure, &issuer, token, now),
        }
    }

    /// Asks `issuer` for its keys, remembering nothing: how many there are that this server can use.
    ///
    /// # Errors
    /// Why it has none to give.
    pub async fn probe(&self, issuer: &str) -> Result<usize, FetchError> {
        let fetcher = &self.shared.fetcher;
        let place = fetcher.place(issuer).await?;
        fetcher.fetch(issuer, place, &mut None, Timestamp::default()).await.map(|jwks| jwks.keys().len())
    }
}

impl Shared {
    fn fresh(&self, issuer: &Issuer, now: Timestamp) -> Option<Arc<Keys>> {
        issuer.keys.load_full().filter(|keys| is_within(keys.fetched_at, now, self.limits.keys_ttl))
    }

    /// The last keys that the issuer gave, if they are not too old to be used while it is down.
    fn usable(&self, issuer: &Issuer, now: Timestamp) -> Option<Arc<Keys>> {
        let usable = self.limits.keys_ttl + self.limits.stale_ttl;
        issuer.keys.load_full().filter(|keys| is_within(keys.fetched_at, now, usable))
    }

    /// These keys, counted as used beyond their time.
    fn stale(&self, keys: &Keys, now: Timestamp) -> Found {
        let age = u64::try_from(now.0.saturating_sub(keys.fetched_at.0)).unwrap_or(0);
        self.metrics.used_stale(Duration::from_millis(age));
        Found { keys: keys.jwks.clone(), from: "stale" }
    }

    /// What there is to answer with after a failure.
    fn despite(&self, failure: &FetchError, issuer: &Issuer, token: &Unverified<'_>, now: Timestamp) -> Result<Found, Error> {
        let usable = self.usable(issuer, now).map(|keys| self.stale(&keys, now));
        usable.ok_or_else(|| explain(token.issuer(), failure))
    }

    /// Fetches the keys of the issuer and remembers what came of it. It waits for a place unless it is given one.
    async fn fetch(
        self: Arc<Self>,
        name: String,
        issuer: Arc<Issuer>,
        mut state: OwnedMutexGuard<State>,
        place: Option<Result<Place, FetchError>>,
        now: Timestamp,
    ) -> Result<Arc<Jwks>, FetchError> {
        let since = Instant::now();
        let place = match place {
            Some(place) => place,
            None => self.fetcher.place(&name).await,
        };
        let fetched = match place {
            Ok(place) => self.fetcher.fetch(&name, place, &mut state.jwks_uri, now).await,
            Err(failure) => Err(failure),
        };
        self.metrics.fetched(&fetched, since.elapsed());
        match fetched {
            Ok(jwks) => {
                let jwks = Arc::new(jwks);
                issuer.keys.store(Some(Arc::new(Keys { jwks: jwks.clone(), fetched_at: now })));
                state.failure = None;
                // Weighed again, now that it has keys, or others.
                self.known.insert(name, issuer).await;
                Ok(jwks)
            }
            Err(failure) => {
                tracing::warn!(target: "issuers", issuer = name, %failure, "cannot fetch the keys of an issuer");
                state.failure = Some((failure.clone(), Instant::now()));
                Err(failure)
            }
        }
    }
}

/// Whether `now` is within `time` of `since`. A clock that was set back makes everything old, never young.
pub(super) fn is_within(since: Timestamp, now: Timestamp, time: Duration) -> bool {
    u128::try_from(now.0.saturating_sub(since.0)).is_ok_and(|age| age < time.as_millis())
}

fn explain(issuer: &str, failure: &FetchError) -> Error {
    let failure = failure.outside();
    let message = format!("cannot get the keys of issuer {issuer}: {failure}");
    match failure {
        FetchError::Down(_) | FetchError::Unreachable { .. } | FetchError::Address { .. } => {
            Error::new(Kind::Unavailable, Rule::IssuerUnavailable, message)
        }
        FetchError::Refused(_) => Error::denied(Rule::IssuerNotAllowed, message),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::jws::{SigningKey, TokenAlgorithm};

    /// Remembers an issuer with as many keys, as if it had been asked.
    async fn remember(issuers: &Issuers, name: &str, key: &Value, keys: usize) {
        let named = |name: usize| {
            let mut key = key.clone();
            key["kid"] = json!(format!("k{name}"));
            key
        };
        let set = json!({ "keys": (0..keys).map(named).collect::<Vec<_>>() }).to_string();
        let keys = Keys { jwks: Arc::new(Jwks::parse(set.as_bytes()).expect("keys")), fetched_at: Timestamp(0) };
        let issuer = Issuer { keys: ArcSwapOption::from_pointee(keys), ..Issuer::default() };
        issuers.shared.known.insert(name.to_owned(), Arc::new(issuer)).await;
        issuers.shared.known.run_pending_tasks().await;
    }

    #[tokio::test]
    async fn many_small_key_sets_or_few_large_ones_are_remembered() {
        let key = SigningKey::generate(TokenAlgorithm::default()).expect("a key").public_jwk();
        let mut settings = Settings::new("https://us.example.com");
        settings.limits = Limits { issuers: 16, issuer_memory: 16 * 8192, ..settings.limits };
        let issuers = Issuers::new(&settings);
        for issuer in 0..40 {
            remember(&issuers, &format!("https://small-{issuer}.example"), &key, 1).await;
        }
        assert_eq!(issuers.shared.known.entry_count(), 16);
        let issuers = Issuers::new(&settings);
        for issuer in 0..40 {
            remember(&issuers, &format!("https://large-{issuer}.example"), &key, 64).await;
        }
        let (known, bytes) = (issuers.shared.known.entry_count(), issuers.shared.known.weighted_size());
        assert!((1..=2).contains(&known) && bytes <= 16 * 8192, "{known} issuers, {bytes} bytes");
    }
}
