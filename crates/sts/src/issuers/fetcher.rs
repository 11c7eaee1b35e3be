//! Fetching the keys of an issuer, so that slow issuers of one party leave room for the others.

use std::sync::Arc;

use domain::Timestamp;
use moka::future::Cache;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::Url;

use super::{
    address::Resolver,
    cache::is_within,
    client::{FetchError, GuardedClient},
    discovery,
};
use crate::{Settings, Workers, jws::Jwks, settings::Limits, workers::Party};

/// One party may take this part of all fetches.
const SHARES: usize = 8;
/// What the keys are called in errors.
const KEYS: &str = "the issuer's key set";

/// Fetches keys.
#[derive(Debug)]
pub(super) struct Fetcher {
    client: GuardedClient,
    /// What the issuers of each registrable domain may take of all fetches, so that slow ones of one party, of which a
    /// pattern admits any number, leave room for the others.
    shares: Cache<String, Arc<Semaphore>>,
    /// Who reads the answers, in turns of the same parties.
    readers: Workers,
    limits: Limits,
}

/// A place among the fetches of a party.
pub(super) type Place = OwnedSemaphorePermit;

/// Where an issuer's keys are, and when it said so.
pub(super) type JwksUri = (String, Timestamp);

impl Fetcher {
    pub(super) fn new(settings: &Settings, resolver: Arc<dyn Resolver>) -> Self {
        let limits = settings.limits;
        let (client, shares) = (GuardedClient::new(settings, resolver), Cache::new(limits.issuers));
        Self { client, shares, readers: Workers::new(settings), limits }
    }

    /// A place among the fetches for the party that `issuer` belongs to.
    pub(super) async fn place(&self, issuer: &str) -> Result<Place, FetchError> {
        let places = (self.limits.fetches / SHARES).max(1);
        let share = self.shares.get_with(party(issuer), async { Arc::new(Semaphore::new(places)) }).await;
        match tokio::time::timeout(self.limits.fetch_timeout, share.acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) => Err(FetchError::Down("the server is stopping".to_owned())),
            Err(_) => Err(FetchError::Down("too many issuers of that domain are slow at once".to_owned())),
        }
    }

    /// The keys of `issuer`. `known` says where they were the last time.
    pub(super) async fn fetch(
        &self,
        issuer: &str,
        _place: Place,
        known: &mut Option<JwksUri>,
        now: Timestamp,
    ) -> Result<Jwks, FetchError> {
        let still_good = known.take().filter(|(_, fetched)| is_within(*fetched, now, self.limits.discovery_ttl));
        let (jwks_uri, fetched) = match still_good {
            Some(known) => known,
            None => (self.discover(issuer).await?, now),
        };
        let url = self.client.admit(KEYS, &jwks_uri)?;
        let text = self.client.get(KEYS, url).await?;
        let parsed = self.read(issuer, move || Jwks::parse(&text)).await?;
        let jwks = parsed.map_err(|why| FetchError::Refused(format!("{KEYS} cannot be used: {why}")))?;
        // Remembered only now: after a failure the issuer is asked anew where its keys are.
        *known = Some((jwks_uri, fetched));
        Ok(jwks)
    }

    async fn discover(&self, issuer: &str) -> Result<String, FetchError> {
        let url = self.client.admit(discovery::WHAT, &discovery::url(issuer))?;
        let (text, name) = (self.client.get(discovery::WHAT, url).await?, issuer.to_owned());
        self.read(issuer, move || discovery::jwks_uri(&name, &text)).await?
    }

    /// Reads what an issuer has answered, which may be large, apart from where requests are answered.
    async fn read<T: Send + 'static>(&self, issuer: &str, read: impl FnOnce() -> T + Send + 'static) -> Result<T, FetchError> {
        self.readers.run(&Party::Known(party(issuer)), read).await.map_err(|error| FetchError::Down(error.message().to_owned()))
    }
}

/// Who answers for an issuer: the registrable domain of its host, or an address.
fn party(issuer: &str) -> String {
    let url = Url::parse(issuer).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or(issuer);
    let name = url.as_ref().and_then(Url::domain).map(|name| name.trim_end_matches('.'));
    name.and_then(psl::domain_str).unwrap_or(host).to_owned()
}
