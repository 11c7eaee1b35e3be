//! Signing keys at rest: the private half encrypted with a key of the root key, bound to its `kid`.

use std::{collections::HashSet, time::Duration};

use domain::{Ctx, Entropy, Error, Kind, Rule, Timestamp};
use serde_json::Value;
use store::{
    Reader, Writer,
    chain::{KeyId, Keys},
    iam::standings::{self, Position},
    signing_keys as rows,
};
use zeroize::Zeroizing;

use super::{
    ring::{Key, Life, Refused, Ring},
    root::RootKey,
};
use crate::jws::{SigningKey, TokenAlgorithm};

/// What keys are encrypted for by a program that makes codes: where there is one of them and no code, somebody has taken the codes away.
const PURPOSE: &str = "signing-keys/vouched-for";
/// What keys are encrypted for by earlier programs.
const EARLIER: &str = "signing-keys";

/// So much later.
pub(super) fn plus(time: Timestamp, duration: Duration) -> Timestamp {
    time.plus_seconds(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX))
}

/// The row of a new key that signs from `signs_from` on.
pub(super) fn seal(key: &SigningKey, root: &RootKey, ctx: &Ctx, signs_from: Timestamp) -> Result<rows::SigningKey, Error> {
    let sealed = root.derive(PURPOSE)?.seal(key.key_id().as_bytes(), key.to_pkcs8()?.expose(), &*ctx.entropy)?;
    Ok(rows::SigningKey {
        kid: key.key_id().to_owned(),
        algorithm: key.algorithm().as_str().to_owned(),
        private_key: sealed,
        public_jwk: key.public_jwk().to_string(),
        created_at: ctx.now,
        not_before_at: signs_from,
        retired_at: None,
        revision: domain::Revision::default(),
        code: Vec::new(),
    })
}

/// The same row with its private half encrypted by the root key with this name.
///
/// # Errors
/// As [`unseal`].
pub(super) fn reseal(
    row: &rows::SigningKey,
    root: &RootKey,
    by: KeyId,
    entropy: &dyn Entropy,
) -> Result<rows::SigningKey, Error> {
    let plain = open(row, root)?;
    Ok(rows::SigningKey { private_key: root.derive_of(by, PURPOSE)?.seal(row.kid.as_bytes(), &plain, entropy)?, ..row.clone() })
}

/// The private half of a row's key, as PKCS #8.
fn open(row: &rows::SigningKey, root: &RootKey) -> Result<Zeroizing<Vec<u8>>, Error> {
    let open = |purpose| root.open_sealed(purpose, row.kid.as_bytes(), &row.private_key);
    open(PURPOSE).or_else(|| open(EARLIER)).ok_or_else(|| {
        let message = format!(
            "signing key {} was encrypted with another key file: start with the one that belongs to this data, from its backup if need be",
            row.kid
        );
        Error::new(Kind::FailedPrecondition, Rule::Unavailable, message)
    })
}

/// Whether an earlier program has made the key of a row.
pub(super) fn is_of_earlier(row: &rows::SigningKey, root: &RootKey) -> bool {
    root.open_sealed(EARLIER, row.kid.as_bytes(), &row.private_key).is_some()
}

/// The key of a row, whose halves belong together.
///
/// # Errors
/// Failed precondition when it was encrypted with another root key; internal when its parts do not belong together.
pub(super) fn unseal(row: &rows::SigningKey, root: &RootKey) -> Result<SigningKey, Error> {
    let plain = open(row, root)?;
    let algorithm = TokenAlgorithm::from_name(&row.algorithm).ok_or_else(|| {
        Error::internal(format!("signing key {} is for {}, which this program does not sign with", row.kid, row.algorithm))
    })?;
    let key = SigningKey::from_pkcs8(algorithm, &plain)?;
    if key.key_id() != row.kid {
        return Err(Error::internal(format!("signing key {} is stored under another kid", row.kid)));
    }
    if serde_json::from_str::<Value>(&row.public_jwk).ok().as_ref() != Some(&key.public_jwk()) {
        return Err(Error::internal(format!("signing key {} is stored with the public half of another key", row.kid)));
    }
    Ok(key)
}

/// The key of a row that one of these keys vouches for.
///
/// # Errors
/// As [`unseal`]; internal when nobody vouches for it.
fn accept(row: &rows::SigningKey, root: &RootKey, keys: &Keys) -> Result<SigningKey, Error> {
    let key = unseal(row, root)?;
    if row.is_vouched_for(keys) {
        Ok(key)
    } else {
        Err(Error::internal(format!("signing key {} was made or changed by other hands: its code does not fit", row.kid)))
    }
}

/// The stored keys, the newest first, and the state of the store that they are of.
pub(super) struct Stored {
    pub(super) rows: Vec<rows::SigningKey>,
    pub(super) read: Position,
}

impl Stored {
    /// The algorithms of the keys that sign, or will, of those that are vouched for.
    pub(super) fn algorithms(&self, keys: &Keys) -> HashSet<TokenAlgorithm> {
        let alive = self.rows.iter().filter(|row| row.retired_at.is_none() && row.is_vouched_for(keys));
        alive.filter_map(|row| TokenAlgorithm::from_name(&row.algorithm)).collect()
    }

    /// Reads them.
    pub(super) async fn read(reader: &mut Reader) -> Result<Self, Error> {
        Ok(Self { read: standings::position(reader).await?, rows: rows::list(reader).await? })
    }

    /// Reads them after changing them.
    pub(super) async fn written(tx: &mut Writer) -> Result<Self, Error> {
        let Self { rows, read } = Self::read(tx).await?;
        Ok(Self { rows, read: Position { revision: tx.revision(), ..read } })
    }
}

/// The ring of the stored keys. It leaves out those that nobody vouches for, or whose parts do not belong together.
///
/// # Errors
/// Why the first one was left out, when all were.
pub(super) fn load(
    stored: &Stored,
    root: &RootKey,
    algorithm: TokenAlgorithm,
    overlap: Duration,
    now: Timestamp,
) -> Result<Ring, Error> {
    let vouch = root.keys()?;
    let (mut keys, mut refused) = (Vec::new(), Vec::new());
    for row in &stored.rows {
        match accept(row, root, &vouch) {
            Ok(key) => {
                let life = life(row, overlap);
                let public = key.public_jwk();
                keys.push(Key::new(public, Some(key).filter(|_| life.may_sign(now)), life)?);
            }
            Err(error) => refused.push(Refused { key_id: row.kid.clone(), why: error }),
        }
    }
    if keys.is_empty() && !refused.is_empty() {
        return Err(refused.remove(0).why);
    }
    let marks = stored.rows.iter().map(|row| (row.kid.clone(), row.revision)).collect();
    Ok(Ring::new(keys, refused, algorithm, now, stored.read, marks))
}

/// Whether the server uses the key of a row.
pub(super) fn is_accepted(row: &rows::SigningKey, root: &RootKey, keys: &Keys) -> bool {
    accept(row, root, keys).is_ok()
}

/// When the key of a row signs and verifies.
pub(super) fn life(row: &rows::SigningKey, overlap: Duration) -> Life {
    Life {
        signs_from: row.not_before_at,
        signs_until: row.retired_at,
        verifies_until: row.retired_at.map(|retired| plus(retired, overlap)),
    }
}
