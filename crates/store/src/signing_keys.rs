//! Token signing keys. The private half arrives encrypted and is never readable here.

use database::Row;
use domain::{Noun, Op, Result, Revision, Timestamp};

use crate::{Reader, Writer};

/// What [`read`] reads, in its order.
pub(crate) const COLUMNS: &str = "kid, algorithm, private_key, public_jwk, created_at, not_before_at, retired_at, revision";

/// A signing key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningKey {
    /// Its `kid` in token headers and in the published key set.
    pub kid: String,
    /// The JOSE algorithm, such as `ES256` (RFC 7518 section 3.1).
    pub algorithm: String,
    /// The private key, encrypted with the installation's key.
    pub private_key: Vec<u8>,
    /// The public key as a JSON Web Key (RFC 7517).
    pub public_jwk: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it signs; it is published before that, so that verifiers know it in time.
    pub not_before_at: Timestamp,
    /// Since when it no longer signs; it is published until the last token it signed has expired.
    pub retired_at: Option<Timestamp>,
    /// The commit that last wrote it.
    pub revision: Revision,
}

/// Adds a key; answers it as stored.
///
/// # Errors
/// Internal when the storage fails or the `kid` exists.
pub async fn insert(tx: &mut Writer, key: &SigningKey) -> Result<SigningKey> {
    let revision = tx.revision();
    tx.execute(
        "INSERT INTO signing_keys (kid, algorithm, private_key, public_jwk, created_at, not_before_at, retired_at, revision) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        &[
            (&key.kid).into(),
            (&key.algorithm).into(),
            key.private_key.as_slice().into(),
            (&key.public_jwk).into(),
            key.created_at.into(),
            key.not_before_at.into(),
            key.retired_at.into(),
            revision.into(),
        ],
    )
    .await?;
    tx.changed(Noun::SigningKey, &key.kid, Op::Created);
    Ok(SigningKey { revision, ..key.clone() })
}

/// Says since when the key no longer signs. Answers whether it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn retire(tx: &mut Writer, kid: &str, at: Timestamp) -> Result<bool> {
    let revision = tx.revision();
    let rows = tx
        .execute(
            "UPDATE signing_keys SET retired_at = $2, revision = $3 WHERE kid = $1",
            &[kid.into(), at.into(), revision.into()],
        )
        .await?;
    if rows > 0 {
        tx.changed(Noun::SigningKey, kid, Op::Updated);
    }
    Ok(rows > 0)
}

/// Removes a key. Answers whether it existed.
///
/// # Errors
/// Internal when the storage fails.
pub async fn delete(tx: &mut Writer, kid: &str) -> Result<bool> {
    let rows = tx.execute("DELETE FROM signing_keys WHERE kid = $1", &[kid.into()]).await?;
    if rows > 0 {
        tx.changed(Noun::SigningKey, kid, Op::Deleted);
    }
    Ok(rows > 0)
}

/// Every key, the newest first.
///
/// # Errors
/// Internal when the storage fails.
pub async fn list(reader: &mut Reader) -> Result<Vec<SigningKey>> {
    reader.query_map(&format!("SELECT {COLUMNS} FROM signing_keys ORDER BY created_at DESC, kid"), &[], read).await
}

pub(crate) fn read(row: &Row<'_>) -> Result<SigningKey> {
    Ok(SigningKey {
        kid: row.string(0)?,
        algorithm: row.string(1)?,
        private_key: row.bytes(2)?.to_vec(),
        public_jwk: row.string(3)?,
        created_at: row.time(4)?,
        not_before_at: row.time(5)?,
        retired_at: row.opt_int(6)?.map(Timestamp),
        revision: row.revision(7)?,
    })
}
