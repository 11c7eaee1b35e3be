//! The stored signing keys: made on first start, encrypted at rest, rotated with overlap.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{Ctx, Error, Kind, Rule, Timestamp, ports::Ready};
use serde_json::json;
use store::{Store, signing_keys as rows};

use super::{
    ring::{Keyring, Published, Ring},
    root::RootKey,
};
use crate::{
    jws::{SigningKey, Unverified},
    settings::Limits,
};

/// The keys that sign our tokens, in the store and in memory.
#[derive(Clone, Debug)]
pub struct SigningKeys {
    store: Store,
    root: Arc<RootKey>,
    overlap: Duration,
    ring: Arc<Keyring>,
}

impl SigningKeys {
    /// Loads the keys; an installation without any gets its first one.
    ///
    /// # Errors
    /// Failed precondition when the stored keys were encrypted with another root key; whatever the store answers.
    pub async fn open(store: Store, root: Arc<RootKey>, limits: &Limits, ctx: &Ctx) -> Result<Self, Error> {
        let stored = rows::list(&mut store.reader().await?).await?;
        let stored = if stored.is_empty() { first(&store, &root, ctx).await? } else { stored };
        let overlap = limits.rotation_overlap;
        let ring = Arc::new(Keyring::new(load(&stored, &root, overlap, ctx.now)?));
        Ok(Self { store, root, overlap, ring })
    }

    /// The keys in memory.
    #[must_use]
    pub fn ring(&self) -> Arc<Keyring> {
        self.ring.clone()
    }

    /// Makes a new key that signs from now on. The old one stays published until its last token has expired; keys past that go.
    /// Answers the new `kid`.
    ///
    /// # Errors
    /// Whatever the store answers; then nothing has changed.
    pub async fn rotate(&self, ctx: &Ctx) -> Result<String, Error> {
        let next = seal(&SigningKey::generate()?, &self.root, ctx)?;
        let (key_id, now, overlap) = (next.kid.clone(), ctx.now, self.overlap);
        let stored = self
            .store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    for key in rows::list(tx).await? {
                        match key.retired_at {
                            None => drop(rows::retire(tx, &key.kid, now).await?),
                            Some(retired) if end_of(retired, overlap) <= now => drop(rows::delete(tx, &key.kid).await?),
                            Some(_) => {}
                        }
                    }
                    rows::insert(tx, &next).await?;
                    rows::list(tx).await
                })
            })
            .await?;
        self.ring.replace(load(&stored, &self.root, self.overlap, ctx.now)?);
        Ok(key_id)
    }

    /// Loads the keys again, for nodes that learn of another one's rotation.
    ///
    /// # Errors
    /// As [`SigningKeys::open`]; then the keys in memory stay.
    pub async fn reload(&self, now: Timestamp) -> Result<(), Error> {
        let stored = rows::list(&mut self.store.reader().await?).await?;
        self.ring.replace(load(&stored, &self.root, self.overlap, now)?);
        Ok(())
    }
}

/// Ready means that a token signed now can be verified with the keys that we publish.
#[async_trait]
impl Ready for SigningKeys {
    fn name(&self) -> &'static str {
        "signing_key"
    }

    async fn check(&self) -> Result<(), Error> {
        let token = self.ring.sign(&json!({"iss": "readiness"}))?;
        let unverified = Unverified::parse(token.expose()).map_err(Error::internal)?;
        let key = unverified.key_id().and_then(|key_id| self.ring.verifier(key_id, Timestamp(0)));
        let key = key.ok_or_else(|| Error::internal("the active signing key is not published"))?;
        unverified.verify(&key).map(drop).map_err(Error::internal)
    }
}

/// Stores the first key, unless another process was faster.
async fn first(store: &Store, root: &RootKey, ctx: &Ctx) -> Result<Vec<rows::SigningKey>, Error> {
    let key = seal(&SigningKey::generate()?, root, ctx)?;
    store
        .write(ctx, move |tx| {
            Box::pin(async move {
                if rows::list(tx).await?.is_empty() {
                    rows::insert(tx, &key).await?;
                }
                rows::list(tx).await
            })
        })
        .await
}

/// The row of a new key: the private half encrypted, bound to its `kid`.
fn seal(key: &SigningKey, root: &RootKey, ctx: &Ctx) -> Result<rows::SigningKey, Error> {
    let sealed = root.derive(PURPOSE)?.seal(key.key_id().as_bytes(), key.to_pkcs8()?.expose(), &*ctx.entropy)?;
    Ok(rows::SigningKey {
        kid: key.key_id().to_owned(),
        algorithm: SigningKey::ALGORITHM.as_str().to_owned(),
        private_key: sealed,
        public_jwk: key.public_jwk().to_string(),
        created_at: ctx.now,
        not_before_at: ctx.now,
        retired_at: None,
        revision: domain::Revision::default(),
    })
}

const PURPOSE: &str = "signing-keys";

fn unseal(row: &rows::SigningKey, root: &RootKey) -> Result<SigningKey, Error> {
    let plain = root.derive(PURPOSE)?.open(row.kid.as_bytes(), &row.private_key).ok_or_else(|| {
        let message = format!(
            "signing key {} was encrypted with another key file: start with the one that belongs to this data, from its backup if need be",
            row.kid
        );
        Error::new(Kind::FailedPrecondition, Rule::Unavailable, message)
    })?;
    let key = SigningKey::from_pkcs8(&plain)?;
    if key.key_id() == row.kid {
        Ok(key)
    } else {
        Err(Error::internal(format!("signing key {} is stored under another kid", row.kid)))
    }
}

/// The ring of the stored keys, which come with the newest first.
fn load(stored: &[rows::SigningKey], root: &RootKey, overlap: Duration, now: Timestamp) -> Result<Ring, Error> {
    let active = stored
        .iter()
        .find(|row| row.retired_at.is_none() && row.not_before_at <= now)
        .map(|row| unseal(row, root))
        .transpose()?;
    let mut published = Vec::new();
    for row in stored {
        let jwk = serde_json::from_str(&row.public_jwk).map_err(Error::internal)?;
        let until = row.retired_at.map(|retired| end_of(retired, overlap));
        published.push(Published::new(jwk, until)?);
    }
    Ok(Ring::new(active, published))
}

fn end_of(retired: Timestamp, overlap: Duration) -> Timestamp {
    retired.plus_seconds(i64::try_from(overlap.as_secs()).unwrap_or(i64::MAX))
}
