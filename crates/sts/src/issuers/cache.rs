//! The keys of issuers, remembered: one fetch at a time for each issuer, refreshed when a key is unknown, kept for a bounded time
//! while an issuer is down.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use arc_swap::ArcSwapOption;
use domain::{Error, Kind, Rule, Timestamp};
use moka::future::Cache;
use prometheus_client::registry::Registry;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use url::Url;

use super::{
    address::{Resolver, SystemResolver},
    client::{FetchError, IssuerClient},
    discovery,
    metrics::{Metrics, Remembered},
};
use crate::{
    Settings,
    jws::{Jwks, Unverified},
    settings::Limits,
};

/// One party may take this part of all fetches.
const SHARES: usize = 8;
/// What the keys are called in errors.
const KEYS: &str = "the issuer's key set";

/// Other issuers and their keys. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Issuers {
    client: Arc<IssuerClient>,
    /// Weighed by the memory of their keys. Each counts for its part of the memory at least, which bounds their number.
    known: Cache<String, Arc<Issuer>>,
    /// What the issuers of each registrable domain may take of all fetches, so that slow ones of one party, of which a
    /// pattern admits any number, leave room for the others.
    shares: Cache<String, Arc<Semaphore>>,
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

/// One issuer. Readers take the current keys without waiting; whoever fetches holds the lock.
#[derive(Debug, Default)]
struct Issuer {
    keys: ArcSwapOption<Keys>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct Keys {
    jwks: Arc<Jwks>,
    fetched_at: Timestamp,
}

#[derive(Debug, Default)]
struct State {
    jwks_uri: Option<(String, Timestamp)>,
    /// The last try to fetch.
    tried_at: Option<Timestamp>,
    /// Why that failed, if it did.
    failure: Option<FetchError>,
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
        let client = Arc::new(IssuerClient::new(settings, resolver));
        let Limits { issuers, issuer_memory, .. } = settings.limits;
        let share = issuer_memory / issuers.max(1);
        let weigh = move |_: &String, issuer: &Arc<Issuer>| u32::try_from(issuer.memory().max(share)).unwrap_or(u32::MAX);
        let known = Cache::builder().max_capacity(issuer_memory).weigher(weigh).build();
        let shares = Cache::new(issuers);
        Self { client, known, shares, limits: settings.limits, metrics: Metrics::new() }
    }

    /// Adds what is counted here to `registry`, under names that begin with `issuer`.
    pub fn register(&self, registry: &mut Registry) {
        self.metrics.register(registry);
        let known = self.known.clone();
        registry.register_collector(Box::new(Remembered(move || known.entry_count())));
    }

    /// The keys for a token. Whether this issuer may be asked at all is the caller's to know: an identity must name it.
    ///
    /// # Errors
    /// Unavailable when the issuer is down and has been for too long; permission denied when what it answers cannot be
    /// used or it may not be asked.
    pub async fn keys(&self, token: &Unverified<'_>, now: Timestamp) -> Result<Found, Error> {
        let found = self.look_up(token, now).await;
        self.metrics.looked_up(found.as_ref().map_or("failed", |found| found.from));
        found
    }

    async fn look_up(&self, token: &Unverified<'_>, now: Timestamp) -> Result<Found, Error> {
        let issuer = self.known.get_with_by_ref(token.issuer(), async { Arc::default() }).await;
        if let Some(keys) = self.fresh(&issuer, now).filter(|keys| token.is_key_known(&keys.jwks)) {
            return Ok(Found { keys: keys.jwks.clone(), from: "cached" });
        }
        let mut state = match issuer.state.try_lock() {
            Ok(state) => state,
            // Somebody is asking. What may be used while an issuer is down may be used until it is known whether it is.
            Err(_) => match self.usable(&issuer, now).filter(|keys| token.is_key_known(&keys.jwks)) {
                Some(keys) => return Ok(self.stale(&keys, now)),
                None => issuer.state.lock().await,
            },
        };
        // Somebody else may have fetched while we waited for the lock.
        if let Some(keys) = self.fresh(&issuer, now) {
            let wait = self.limits.refresh_interval;
            if token.is_key_known(&keys.jwks) || state.tried_at.is_some_and(|tried| is_within(tried, now, wait)) {
                return Ok(Found { keys: keys.jwks.clone(), from: "cached" });
            }
        } else if let (Some(tried), Some(failure)) = (state.tried_at, &state.failure)
            && is_within(tried, now, self.limits.failure_ttl)
        {
            return match self.usable(&issuer, now) {
                Some(keys) => Ok(self.stale(&keys, now)),
                None => Err(explain(token.issuer(), failure)),
            };
        }
        state.tried_at = Some(now);
        let since = Instant::now();
        let fetched = self.fetch(token.issuer(), &mut state, now).await;
        self.metrics.fetched(&fetched, since.elapsed());
        match fetched {
            Ok(jwks) => {
                let jwks = Arc::new(jwks);
                issuer.keys.store(Some(Arc::new(Keys { jwks: jwks.clone(), fetched_at: now })));
                state.failure = None;
                // Weighed again, now that it has keys, or others.
                self.known.insert(token.issuer().to_owned(), Arc::clone(&issuer)).await;
                Ok(Found { keys: jwks, from: "fetched" })
            }
            Err(failure) => {
                tracing::warn!(target: "issuers", issuer = token.issuer(), %failure, "cannot fetch the keys of an issuer");
                let error = explain(token.issuer(), &failure);
                state.failure = Some(failure);
                self.usable(&issuer, now).map(|keys| self.stale(&keys, now)).ok_or(error)
            }
        }
    }

    /// Asks `issuer` for its keys, remembering nothing: how many there are that this server can use.
    ///
    /// # Errors
    /// Why it has none to give.
    pub async fn probe(&self, issuer: &str) -> Result<usize, FetchError> {
        let mut state = State::default();
        self.fetch(issuer, &mut state, Timestamp::default()).await.map(|jwks| jwks.keys().len())
    }

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

    async fn fetch(&self, issuer: &str, state: &mut State, now: Timestamp) -> Result<Jwks, FetchError> {
        let _share = self.share(issuer).await?;
        let known = state.jwks_uri.take().filter(|(_, fetched)| is_within(*fetched, now, self.limits.discovery_ttl));
        let (jwks_uri, fetched) = match known {
            Some(known) => known,
            None => (self.discover(issuer).await?, now),
        };
        let url = self.client.admit("the issuer's jwks_uri", &jwks_uri)?;
        let text = self.client.get(KEYS, url).await?;
        let jwks = Jwks::parse(&text).map_err(|why| FetchError::Refused(format!("{KEYS} cannot be used: {why}")))?;
        // Remembered only now: after a failure the issuer is asked anew where its keys are.
        state.jwks_uri = Some((jwks_uri, fetched));
        Ok(jwks)
    }

    /// A place among the fetches for the party that `issuer` belongs to.
    async fn share(&self, issuer: &str) -> Result<OwnedSemaphorePermit, FetchError> {
        let places = (self.limits.fetches / SHARES).max(1);
        let share = self.shares.get_with(party(issuer), async { Arc::new(Semaphore::new(places)) }).await;
        match tokio::time::timeout(self.limits.fetch_timeout, share.acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) => Err(FetchError::Down("the server is stopping".to_owned())),
            Err(_) => Err(FetchError::Down("too many issuers of that domain are slow at once".to_owned())),
        }
    }

    async fn discover(&self, issuer: &str) -> Result<String, FetchError> {
        let url = self.client.admit("the issuer", &discovery::url(issuer))?;
        discovery::jwks_uri(issuer, &self.client.get(discovery::WHAT, url).await?)
    }
}

/// Who answers for an issuer: the registrable domain of its host, or an address.
fn party(issuer: &str) -> String {
    let url = Url::parse(issuer).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or(issuer);
    let name = url.as_ref().and_then(Url::domain).map(|name| name.trim_end_matches('.'));
    name.and_then(psl::domain_str).unwrap_or(host).to_owned()
}

/// Whether `now` is within `time` of `since`. A clock that was set back makes everything old, never young.
fn is_within(since: Timestamp, now: Timestamp, time: Duration) -> bool {
    u128::try_from(now.0.saturating_sub(since.0)).is_ok_and(|age| age < time.as_millis())
}

fn explain(issuer: &str, failure: &FetchError) -> Error {
    let message = format!("cannot get the keys of issuer {issuer}: {failure}");
    match failure {
        FetchError::Down(_) => Error::new(Kind::Unavailable, Rule::IssuerUnavailable, message),
        FetchError::Refused(_) => Error::denied(Rule::IssuerNotAllowed, message),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::jws::SigningKey;

    /// Remembers an issuer with as many keys, as if it had been asked.
    async fn remember(issuers: &Issuers, name: &str, key: &Value, keys: usize) {
        let set = json!({ "keys": vec![key.clone(); keys] }).to_string();
        let keys = Keys { jwks: Arc::new(Jwks::parse(set.as_bytes()).expect("keys")), fetched_at: Timestamp(0) };
        let issuer = Issuer { keys: ArcSwapOption::from_pointee(keys), ..Issuer::default() };
        issuers.known.insert(name.to_owned(), Arc::new(issuer)).await;
        issuers.known.run_pending_tasks().await;
    }

    #[tokio::test]
    async fn many_small_key_sets_or_few_large_ones_are_remembered() {
        let key = SigningKey::generate().expect("a key").public_jwk();
        let mut settings = Settings::new("https://us.example.com");
        settings.limits = Limits { issuers: 16, issuer_memory: 16 * 8192, ..settings.limits };
        let issuers = Issuers::new(&settings);
        for issuer in 0..40 {
            remember(&issuers, &format!("https://small-{issuer}.example"), &key, 1).await;
        }
        assert_eq!(issuers.known.entry_count(), 16);
        let issuers = Issuers::new(&settings);
        for issuer in 0..40 {
            remember(&issuers, &format!("https://large-{issuer}.example"), &key, 64).await;
        }
        let (known, bytes) = (issuers.known.entry_count(), issuers.known.weighted_size());
        assert!((1..=2).contains(&known) && bytes <= 16 * 8192, "{known} issuers, {bytes} bytes");
    }
}
