//! The signing keys of an installation as one of its nodes holds them: read from the store, and read again whenever
//! another node may have changed them.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use domain::{
    Clock, Ctx, Error, Kind, Rule, Secret, Timestamp,
    ports::{Fitness, Ready},
};
use prometheus_client::registry::Registry;
use serde::Serialize;
use serde_json::json;
use store::{Store, Writer, chain::KeyId, signing_keys as rows};
use tokio::{sync::Mutex, task::spawn_blocking};

use super::{
    metrics::KeyMetrics,
    ring::Keyring,
    root::RootKey,
    rotation::{self, KeyInfo, KeyState, Rotation},
    stored::{Stored, is_accepted, load, plus, seal},
    takeover,
};
use crate::{
    Settings,
    jws::{Jwks, SigningKey, TokenAlgorithm, Unverified},
    settings::Limits,
};

/// How often an unknown key may make us read the store again.
const UNKNOWN_KEY_INTERVAL: Duration = Duration::from_secs(1);

/// The keys that sign our tokens, in the store and in memory. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SigningKeys {
    store: Store,
    root: Arc<RootKey>,
    clock: Arc<dyn Clock>,
    ring: Arc<Keyring>,
    algorithm: TokenAlgorithm,
    limits: Limits,
    /// When an unknown key last made us read the store.
    asked: Arc<Mutex<Option<Instant>>>,
}

impl SigningKeys {
    /// Loads the keys; an installation without any for the algorithm of its tokens gets its first one. That signs at once where
    /// nothing else does, and [`Limits::rotation_lead`] later where keys of another algorithm sign until then, so that verifiers
    /// learn of it before.
    ///
    /// # Errors
    /// Failed precondition when the stored keys were encrypted with another root key; whatever the store answers.
    pub async fn open(
        store: Store,
        root: Arc<RootKey>,
        settings: &Settings,
        clock: Arc<dyn Clock>,
        ctx: &Ctx,
    ) -> Result<Self, Error> {
        let (algorithm, limits) = (settings.token_algorithm, settings.limits);
        let keys = root.keys()?;
        let standing = store.use_keys(Arc::clone(&keys)).await?;
        takeover::begin(&store, &root, standing, ctx).await?;
        let stored = Stored::read(&mut store.reader().await?).await?;
        let has_one = stored.algorithms(&keys).contains(&algorithm);
        // Where none of those that are there fits, it is the wrong key file.
        load(&stored, &root, algorithm, limits.rotation_overlap, ctx.now)?;
        let stored = if has_one { stored } else { first(&store, &root, settings, ctx).await? };
        let ring = Arc::new(Keyring::new(load(&stored, &root, algorithm, limits.rotation_overlap, ctx.now)?));
        Ok(Self { store, root, clock, ring, algorithm, limits, asked: Arc::default() })
    }

    /// The keys in memory.
    #[must_use]
    pub fn ring(&self) -> Arc<Keyring> {
        self.ring.clone()
    }

    /// Adds what is known of the keys to `registry`, under names that begin with `signing_key`.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(KeyMetrics { ring: self.ring(), clock: Arc::clone(&self.clock) }));
    }

    /// Makes a new key for each algorithm that has one, and says since when or from when on the one for this node's tokens signs.
    ///
    /// # Errors
    /// Failed precondition when an earlier rotation is still to come; aborted when another node makes a key at the same moment;
    /// whatever the store answers. Then nothing has changed.
    pub async fn rotate(&self, ctx: &Ctx, how: Rotation) -> Result<KeyInfo, Error> {
        let lead = match how {
            Rotation::Planned => self.limits.rotation_lead,
            Rotation::Now => Duration::ZERO,
        };
        let (keys, by) = (self.root.keys()?, self.root.id());
        let mut algorithms = Stored::read(&mut self.store.reader().await?).await?.algorithms(&keys);
        algorithms.insert(self.algorithm);
        let (mut next, mut key_id) = (Vec::new(), String::new());
        for algorithm in algorithms {
            let key = generate(algorithm).await?;
            if algorithm == self.algorithm {
                key.key_id().clone_into(&mut key_id);
            }
            next.push(seal(&key, &self.root, ctx, plus(ctx.now, lead))?);
        }
        let (now, overlap) = (ctx.now, self.limits.rotation_overlap);
        let rotate = self.store.write(ctx, move |tx| {
            Box::pin(async move {
                check_key(tx, by)?;
                rotation::rotate(tx, next, how, now, overlap, &keys).await
            })
        });
        let stored = rotate.await?;
        self.ring.replace(load(&stored, &self.root, self.algorithm, overlap, now)?);
        let info = stored.rows.iter().find(|row| row.kid == key_id).map(|row| KeyInfo::of(row, overlap, now));
        info.ok_or_else(|| Error::internal("the new signing key was not stored"))
    }

    /// Every stored key, the newest first.
    ///
    /// # Errors
    /// Whatever the store answers.
    pub async fn list(&self, now: Timestamp) -> Result<Vec<KeyInfo>, Error> {
        let (stored, keys) = (rows::list(&mut self.store.reader().await?).await?, self.root.keys()?);
        let told = stored.iter().map(|row| {
            let info = KeyInfo::of(row, self.limits.rotation_overlap, now);
            if is_accepted(row, &self.root, &keys) { info } else { KeyInfo { state: KeyState::Refused, ..info } }
        });
        Ok(told.collect())
    }

    /// Reads the keys again.
    ///
    /// # Errors
    /// As [`SigningKeys::open`]; then the keys in memory stay.
    pub async fn reload(&self, now: Timestamp) -> Result<(), Error> {
        self.root.follow(&self.store).await?;
        self.store.change_keys(self.root.keys()?);
        let stored = Stored::read(&mut self.store.reader().await?).await?;
        self.ring.replace(load(&stored, &self.root, self.algorithm, self.limits.rotation_overlap, now)?);
        Ok(())
    }

    /// Reads the keys again because they have changed.
    pub(crate) async fn follow(&self) -> Result<(), Error> {
        self.reload(self.clock.now()).await
    }

    /// The key-encryption key.
    pub(super) fn root(&self) -> &RootKey {
        &self.root
    }

    /// The store that has them.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Reads the keys again every [`Limits::keys_reload`] until `stop`, so that a node that nobody asks publishes the keys
    /// of the others as well.
    pub async fn keep(self, stop: impl Future<Output = ()>) {
        let mut ticks = tokio::time::interval(self.limits.keys_reload);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut stop = std::pin::pin!(stop);
        let mut failing = false;
        loop {
            tokio::select! {
                () = &mut stop => return,
                _ = ticks.tick() => {}
            }
            let reloaded = self.reload(self.clock.now()).await;
            match &reloaded {
                Err(error) if !failing => tracing::warn!(?error, "cannot read the signing keys; those in memory stay"),
                Ok(()) if failing => tracing::info!("the signing keys can be read again"),
                _ => {}
            }
            failing = reloaded.is_err();
        }
    }

    /// Signs the claims with the key whose time it is.
    ///
    /// A node that could not read the keys for so long that another may have retired its key, and forgotten it before the
    /// token expires, signs nothing.
    ///
    /// # Errors
    /// Unavailable when there is no such key; internal when signing fails.
    pub(crate) async fn sign(&self, claims: &impl Serialize, now: Timestamp) -> Result<Secret<String>, Error> {
        let age = self.ring.age(now);
        if age >= self.limits.rotation_overlap.saturating_sub(self.limits.token_lifetime) {
            self.reload(now).await?;
        } else if age >= self.limits.keys_reload
            && let Ok(mut asked) = self.asked.try_lock()
        {
            // Others sign with what there is meanwhile.
            self.reload_within(&mut asked, now).await;
        }
        self.ring.sign(claims, now)
    }

    /// The key with this `kid`. One that is not known may be another node's news: the store is asked, at a limited rate.
    pub(crate) async fn verifier(&self, key_id: &str, now: Timestamp) -> Option<Arc<Jwks>> {
        if let Some(known) = self.ring.verifier(key_id, now) {
            return Some(known);
        }
        let mut asked = self.asked.lock().await;
        if let Some(known) = self.ring.verifier(key_id, now) {
            return Some(known);
        }
        self.reload_within(&mut asked, now).await;
        self.ring.verifier(key_id, now)
    }

    /// Reads the keys again unless that was done a moment ago.
    async fn reload_within(&self, asked: &mut Option<Instant>, now: Timestamp) {
        if asked.is_some_and(|at| at.elapsed() < UNKNOWN_KEY_INTERVAL) {
            return;
        }
        *asked = Some(Instant::now());
        if let Err(error) = self.reload(now).await {
            tracing::warn!(?error, "cannot read the signing keys; those in memory stay");
        }
        // Again from here: those who waited for a slow store meanwhile must not each ask it again.
        *asked = Some(Instant::now());
    }
}

/// Ready means that a token signed now can be verified with the keys that we publish.
#[async_trait]
impl Ready for SigningKeys {
    fn name(&self) -> &'static str {
        "signing_key"
    }

    async fn check(&self) -> Result<Fitness, Error> {
        let now = self.clock.now();
        let token = self.ring.sign(&json!({"iss": "readiness"}), now)?;
        let unverified = Unverified::parse(token.expose()).map_err(Error::internal)?;
        let key = unverified.key_id().and_then(|key_id| self.ring.verifier(key_id, now));
        let key = key.ok_or_else(|| Error::internal("the active signing key is not published"))?;
        unverified.verify(&key).map_err(Error::internal)?;
        let refused = self.ring.refused();
        Ok(if refused.is_empty() {
            Fitness::Well
        } else {
            Fitness::Degraded(format!("stored keys are not used, since nobody vouches for them: {}", refused.join(", ")))
        })
    }
}

/// Whether `root` opens all these stored keys, and the parts of each belong together.
///
/// # Errors
/// Failed precondition when it does not open one; internal when the parts of one do not belong together.
pub fn check_opens(root: &RootKey, stored: &[rows::SigningKey]) -> Result<(), Error> {
    stored.iter().try_for_each(|row| super::stored::unseal(row, root).map(drop))
}

/// Stores the first key for the algorithm of the tokens, unless another process was faster.
async fn first(store: &Store, root: &RootKey, settings: &Settings, ctx: &Ctx) -> Result<Stored, Error> {
    let (algorithm, later) = (settings.token_algorithm, plus(ctx.now, settings.limits.rotation_lead));
    let (keys, by) = (root.keys()?, root.id());
    let key = seal(&generate(algorithm).await?, root, ctx, ctx.now)?;
    store
        .write(ctx, move |tx| {
            Box::pin(async move {
                check_key(tx, by)?;
                let algorithms = Stored::written(tx).await?.algorithms(&keys);
                if !algorithms.contains(&algorithm) {
                    let not_before_at = if algorithms.is_empty() { key.not_before_at } else { later };
                    rows::insert(tx, &rows::SigningKey { not_before_at, ..key }).await?;
                }
                Stored::written(tx).await
            })
        })
        .await
}

/// Makes sure that what was encrypted with the root key of this name is written as long as that is in use.
fn check_key(tx: &Writer, by: KeyId) -> Result<(), Error> {
    if tx.key()?.is_none_or(|key| key == by) {
        return Ok(());
    }
    Err(Error::new(Kind::Aborted, Rule::Unavailable, "the key-encryption key was changed at the same moment; try again"))
}

/// A new key. One for RS256 takes a good part of a second.
async fn generate(algorithm: TokenAlgorithm) -> Result<SigningKey, Error> {
    spawn_blocking(move || SigningKey::generate(algorithm)).await.map_err(Error::internal)?
}
