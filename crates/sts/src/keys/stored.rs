//! Signing keys at rest: the private half encrypted with a key of the root key, bound to its `kid`.

use std::{collections::HashSet, time::Duration};

use domain::{Ctx, Error, Kind, Rule, Timestamp};
use store::{
    Reader, Writer,
    iam::standings::{self, Position},
    signing_keys as rows,
};

use super::{
    ring::{Key, Life, Ring},
    root::RootKey,
    signing::plus,
};
use crate::jws::{SigningKey, TokenAlgorithm};

const PURPOSE: &str = "signing-keys";

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
    })
}

/// The key of a row.
///
/// # Errors
/// Failed precondition when it was encrypted with another root key.
pub(super) fn unseal(row: &rows::SigningKey, root: &RootKey) -> Result<SigningKey, Error> {
    let plain = root.derive(PURPOSE)?.open(row.kid.as_bytes(), &row.private_key).ok_or_else(|| {
        let message = format!(
            "signing key {} was encrypted with another key file: start with the one that belongs to this data, from its backup if need be",
            row.kid
        );
        Error::new(Kind::FailedPrecondition, Rule::Unavailable, message)
    })?;
    let algorithm = TokenAlgorithm::from_name(&row.algorithm).ok_or_else(|| {
        Error::internal(format!("signing key {} is for {}, which this program does not sign with", row.kid, row.algorithm))
    })?;
    let key = SigningKey::from_pkcs8(algorithm, &plain)?;
    if key.key_id() == row.kid {
        Ok(key)
    } else {
        Err(Error::internal(format!("signing key {} is stored under another kid", row.kid)))
    }
}

/// The stored keys, the newest first, and the state of the store that they are of.
pub(super) struct Stored {
    pub(super) rows: Vec<rows::SigningKey>,
    pub(super) read: Position,
}

impl Stored {
    /// The algorithms of the keys that sign, or will.
    pub(super) fn algorithms(&self) -> HashSet<TokenAlgorithm> {
        let alive = self.rows.iter().filter(|row| row.retired_at.is_none());
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

/// The ring of the stored keys.
pub(super) fn load(
    stored: &Stored,
    root: &RootKey,
    algorithm: TokenAlgorithm,
    overlap: Duration,
    now: Timestamp,
) -> Result<Ring, Error> {
    let mut keys = Vec::new();
    for row in &stored.rows {
        let life = life(row, overlap);
        let signer = if life.may_sign(now) { Some(unseal(row, root)?) } else { None };
        keys.push(Key::new(serde_json::from_str(&row.public_jwk).map_err(Error::internal)?, signer, life)?);
    }
    let marks = stored.rows.iter().map(|row| (row.kid.clone(), row.revision)).collect();
    Ok(Ring::new(keys, algorithm, now, stored.read, marks))
}

/// When the key of a row signs and verifies.
pub(super) fn life(row: &rows::SigningKey, overlap: Duration) -> Life {
    Life {
        signs_from: row.not_before_at,
        signs_until: row.retired_at,
        verifies_until: row.retired_at.map(|retired| plus(retired, overlap)),
    }
}
