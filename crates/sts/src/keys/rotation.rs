//! Rotating the signing keys of all nodes at once.
//!
//! A planned rotation publishes the new key and names the moment when it begins to sign; until then every node reads the
//! keys again, and whoever verifies our tokens elsewhere fetches the new key set. The old key signs until that moment and
//! is published until its last token has expired.

use std::time::Duration;

use domain::{Error, Kind, Rule, Timestamp};
use store::{Writer, chain::Keys, signing_keys as rows};

use super::stored::{Stored, life};

/// How to rotate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// With overlap: nobody notices.
    Planned,
    /// At once, because a key may be known to others: the old keys are gone, and the tokens that they signed with them.
    Now,
}

/// What may be told about a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyInfo {
    /// Its `kid`.
    pub key_id: String,
    /// The JOSE algorithm.
    pub algorithm: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it signs.
    pub signs_from: Timestamp,
    /// Until when, if that is known.
    pub signs_until: Option<Timestamp>,
    /// Until when it is published and believed, if that is known.
    pub verifies_until: Option<Timestamp>,
    /// What it does now.
    pub state: KeyState,
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// It is published and does not sign yet.
    Next,
    /// It signs.
    Signs,
    /// It signs no more; what it signed is still believed.
    Verifies,
    /// Nothing; the next rotation deletes it.
    Over,
    /// Nothing: nobody vouches for it, or its parts do not belong together.
    Refused,
}

impl KeyState {
    /// Its word in output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Next => "next",
            Self::Signs => "signs",
            Self::Verifies => "verifies",
            Self::Over => "over",
            Self::Refused => "refused",
        }
    }
}

impl KeyInfo {
    pub(super) fn of(row: &rows::SigningKey, overlap: Duration, now: Timestamp) -> Self {
        let life = life(row, overlap);
        let state = match (life.signs(now), life.may_sign(now), life.verifies(now)) {
            (true, ..) => KeyState::Signs,
            (false, true, _) => KeyState::Next,
            (false, false, true) => KeyState::Verifies,
            (false, false, false) => KeyState::Over,
        };
        Self {
            key_id: row.kid.clone(),
            algorithm: row.algorithm.clone(),
            created_at: row.created_at,
            signs_from: life.signs_from,
            signs_until: life.signs_until,
            verifies_until: life.verifies_until,
            state,
        }
    }
}

/// Stores the keys of `next`, one for each algorithm, and ends the keys before them. Answers every key.
///
/// # Errors
/// Failed precondition when a key of an earlier rotation is still to come; aborted when there is a key of an algorithm that has no
/// next one: another node has made it since somebody looked.
pub(super) async fn rotate(
    tx: &mut Writer,
    next: Vec<rows::SigningKey>,
    how: Rotation,
    now: Timestamp,
    overlap: Duration,
    keys: &Keys,
) -> Result<Stored, Error> {
    for key in rows::list(tx).await? {
        if how == Rotation::Planned && !key.is_vouched_for(keys) {
            // It is not used, and stays for whoever looks into that.
            continue;
        }
        let Some(next) = next.iter().find(|next| next.algorithm == key.algorithm) else {
            let message = "another node has made a signing key at the same moment; rotate again";
            return Err(Error::new(Kind::Aborted, Rule::Unavailable, message));
        };
        let life = life(&key, overlap);
        if how == Rotation::Now || !life.verifies(now) {
            rows::delete(tx, &key.kid).await?;
        } else if life.signs_from > now {
            return Err(Error::new(
                Kind::FailedPrecondition,
                Rule::Unavailable,
                format!("signing key {} is already published and waits for its time; rotate again when it signs", key.kid),
            ));
        } else if life.signs_until.is_none() {
            rows::retire(tx, &key.kid, next.not_before_at).await?;
        }
    }
    for next in &next {
        rows::insert(tx, next).await?;
    }
    Stored::written(tx).await
}
