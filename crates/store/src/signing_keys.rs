//! Token signing keys. The private half arrives encrypted and is never readable here.

use database::{Param, Row};
use domain::{Noun, Op, Result, Revision, Timestamp};

use crate::{
    Reader, Writer,
    chain::{Code, Keys, Purpose, Values},
};

/// What [`read`] reads, in its order.
pub(crate) const COLUMNS: &str = "kid, algorithm, private_key, public_jwk, created_at, not_before_at, retired_at, revision, code";

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
    /// The code of all of that, which [`insert`] and [`retire`] make; empty in rows of programs that made none.
    pub code: Vec<u8>,
}

impl SigningKey {
    /// Whether its code is one of these keys': the whole row is as this program has written it.
    #[must_use]
    pub fn is_vouched_for(&self, keys: &Keys) -> bool {
        let code = Code::of_bytes(&self.code);
        keys.live(code.key).is_some_and(|key| key.made(code, Purpose::Row, &[TABLE, self.content().as_ref()]))
    }

    /// The same row, written by `tx`.
    fn written(&self, tx: &Writer) -> Result<Self> {
        let row = Self { revision: tx.revision(), ..self.clone() };
        Ok(Self { code: row.code_by(tx)?, ..row })
    }

    /// The code of the row as it is, by the key in use; empty where there is none.
    fn code_by(&self, tx: &Writer) -> Result<Vec<u8>> {
        let code = tx.links()?.row_key()?.map(|key| key.code(Purpose::Row, &[TABLE, self.content().as_ref()]));
        Ok(code.map(Code::to_bytes).unwrap_or_default())
    }

    fn stored_code(&self) -> Param<'_> {
        Some(self.code.as_slice()).filter(|code| !code.is_empty()).into()
    }

    fn content(&self) -> Values {
        let mut values = Values::default();
        values.add(&[
            (&self.kid).into(),
            (&self.algorithm).into(),
            self.private_key.as_slice().into(),
            (&self.public_jwk).into(),
            self.created_at.into(),
            self.not_before_at.into(),
            self.retired_at.into(),
            self.revision.into(),
        ]);
        values
    }
}

/// What codes of these rows begin with, so that they are none of another table's.
const TABLE: &[u8] = b"signing_keys";

/// Adds a key; answers it as stored.
///
/// # Errors
/// Internal when the storage fails or the `kid` exists.
pub async fn insert(tx: &mut Writer, key: &SigningKey) -> Result<SigningKey> {
    let key = key.written(tx)?;
    tx.execute(
        "INSERT INTO signing_keys (kid, algorithm, private_key, public_jwk, created_at, not_before_at, retired_at, revision, code) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        &[
            (&key.kid).into(),
            (&key.algorithm).into(),
            key.private_key.as_slice().into(),
            (&key.public_jwk).into(),
            key.created_at.into(),
            key.not_before_at.into(),
            key.retired_at.into(),
            key.revision.into(),
            key.stored_code(),
        ],
    )
    .await?;
    tx.changed(Noun::SigningKey, &key.kid, Op::Created);
    Ok(key)
}

/// Says since when the key no longer signs. Answers whether it exists.
///
/// # Errors
/// Internal when the storage fails.
pub async fn retire(tx: &mut Writer, kid: &str, at: Timestamp) -> Result<bool> {
    let sql = format!("SELECT {COLUMNS} FROM signing_keys WHERE kid = $1");
    let Some(key) = tx.query_one(&sql, &[kid.into()], read).await? else { return Ok(false) };
    update(tx, &SigningKey { retired_at: Some(at), ..key }).await?;
    Ok(true)
}

/// Writes a key that the store has, with its code by the key in use.
///
/// # Errors
/// Internal when the storage fails.
pub async fn update(tx: &mut Writer, key: &SigningKey) -> Result<()> {
    let key = key.written(tx)?;
    let sql = "UPDATE signing_keys SET private_key = $2, retired_at = $3, revision = $4, code = $5 WHERE kid = $1";
    let private = key.private_key.as_slice();
    let values = [(&key.kid).into(), private.into(), key.retired_at.into(), key.revision.into(), key.stored_code()];
    tx.execute(sql, &values).await?;
    tx.changed(Noun::SigningKey, &key.kid, Op::Updated);
    Ok(())
}

/// Vouches for a key as the store has it, which somebody has compared with its private half. Nothing else of it changes.
///
/// # Errors
/// Internal when the storage fails.
pub async fn vouch(tx: &mut Writer, key: &SigningKey) -> Result<()> {
    let code = key.code_by(tx)?;
    tx.send("UPDATE signing_keys SET code = $2 WHERE kid = $1", &[(&key.kid).into(), code.as_slice().into()]).await
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
        code: row.opt_bytes(8)?.unwrap_or_default().to_vec(),
    })
}
