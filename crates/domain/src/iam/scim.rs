//! The SCIM access of an identity provider (RFC 7644): the token that the provider proves itself with when it provisions users.

use std::fmt;

use aws_lc_rs::digest;
use serde::{Deserialize, Serialize, Serializer};

use crate::{
    revision::{Revision, Version},
    time::Timestamp,
    uidp::Uidp,
};

/// The SCIM access of an identity provider that had a token at least once. The stored form is this type as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scim {
    /// Whether requests are accepted at all.
    pub enabled: bool,
    /// The last token that was made.
    pub token: ScimDigest,
    /// When that expires; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// The token before it, where that was to go on working for a while.
    pub previous: Option<PreviousToken>,
    /// When all tokens were revoked, unless there is a newer one.
    pub revoked_at: Option<Timestamp>,
    /// The commit that last changed any of this.
    pub revision: Revision,
}

/// A token that was replaced and goes on working until its overlap ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousToken {
    /// The token.
    pub token: ScimDigest,
    /// When it stops working: no later than it or its successor expires.
    pub ends_at: Timestamp,
}

/// What has become of the last token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialState {
    /// It works.
    Live,
    /// It works, and the one before it does for a while.
    Rotating,
    /// It has expired.
    Expired,
    /// It was revoked.
    Revoked,
}

/// The SHA-256 of a token, in hex: all that is kept of one. Prints as `[digest]`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScimDigest(Box<str>);

impl ScimDigest {
    /// The digest of this token.
    #[must_use]
    pub fn of(token: &str) -> Self {
        Self(hex(digest::digest(&digest::SHA256, token.as_bytes()).as_ref()).into())
    }
}

impl fmt::Debug for ScimDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[digest]")
    }
}

impl Scim {
    /// What has become of the last token by `now`.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> CredentialState {
        if self.revoked_at.is_some() {
            CredentialState::Revoked
        } else if self.expires_at.is_some_and(|expires_at| expires_at <= now) {
            CredentialState::Expired
        } else if self.overlap_ends_at(now).is_some() {
            CredentialState::Rotating
        } else {
            CredentialState::Live
        }
    }

    /// When the token before the last one stops working; `None` where it does not work any more.
    #[must_use]
    pub fn overlap_ends_at(&self, now: Timestamp) -> Option<Timestamp> {
        self.previous.as_ref().map(|previous| previous.ends_at).filter(|ends_at| *ends_at > now)
    }

    /// The last token as the one before its successor, which expires at `successor`: it works for `overlap` milliseconds more, or until
    /// one of them expires. `None` where it does not work any more.
    #[must_use]
    pub fn replaced(&self, now: Timestamp, overlap: i64, successor: Option<Timestamp>) -> Option<PreviousToken> {
        let works = matches!(self.state(now), CredentialState::Live | CredentialState::Rotating);
        let end = Timestamp(now.0.saturating_add(overlap));
        let ends_at = [self.expires_at, successor].into_iter().flatten().fold(end, Timestamp::min);
        (works && ends_at > now).then(|| PreviousToken { token: self.token.clone(), ends_at })
    }

    /// The version of this state of an identity provider, whose entity tag callers name who change it.
    #[must_use]
    pub fn version<'p>(&self, provider: &'p Uidp) -> Version<'p> {
        Version { uid: provider, revision: self.revision }
    }
}

/// A token in the form that the published service gives them: 32 random bytes behind a prefix by which scanners know them.
#[must_use]
pub fn token(random: &[u8; 32]) -> String {
    format!("cgscim_{}", hex(random))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |text, byte| text + &format!("{byte:02x}"))
}

/// Writes the state without the digests: what events tell of it.
///
/// # Errors
/// What the serializer answers.
#[expect(clippy::ref_option, reason = "serde gives fields so")]
pub(super) fn without_digests<S: Serializer>(scim: &Option<Scim>, serializer: S) -> Result<S::Ok, S::Error> {
    /// [`Scim`] without its digests.
    #[derive(Serialize)]
    struct Told {
        enabled: bool,
        expires_at: Option<Timestamp>,
        previous_ends_at: Option<Timestamp>,
        revoked_at: Option<Timestamp>,
        revision: Revision,
    }
    let told = scim.as_ref().map(|scim| Told {
        enabled: scim.enabled,
        expires_at: scim.expires_at,
        previous_ends_at: scim.previous.as_ref().map(|previous| previous.ends_at),
        revoked_at: scim.revoked_at,
        revision: scim.revision,
    });
    told.serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scim() -> Scim {
        Scim {
            enabled: false,
            token: ScimDigest::of("cgscim_1"),
            expires_at: Some(Timestamp(100)),
            previous: Some(PreviousToken { token: ScimDigest::of("cgscim_0"), ends_at: Timestamp(50) }),
            revoked_at: None,
            revision: Revision(0x2a),
        }
    }

    #[test]
    fn time_ends_overlaps_and_tokens() {
        let state = |now| scim().state(Timestamp(now));
        assert_eq!([state(49), state(50), state(99)], [CredentialState::Rotating, CredentialState::Live, CredentialState::Live]);
        assert_eq!(state(100), CredentialState::Expired);
        let forever = Scim { expires_at: None, ..scim() };
        assert_eq!(forever.state(Timestamp(i64::MAX)), CredentialState::Live);
        let revoked = Scim { revoked_at: Some(Timestamp(1)), ..scim() };
        assert_eq!(revoked.state(Timestamp(1000)), CredentialState::Revoked);
    }

    #[test]
    fn a_token_that_is_dead_stays_dead() {
        let ends_at = |scim: Scim, now, overlap, successor| {
            scim.replaced(Timestamp(now), overlap, successor).map(|previous| previous.ends_at.0)
        };
        assert_eq!(ends_at(scim(), 10, 20, None), Some(30));
        assert_eq!(ends_at(scim(), 10, 1000, None), Some(100), "it expires by itself");
        assert_eq!(ends_at(scim(), 10, 1000, Some(Timestamp(40))), Some(40), "it does not outlive the other");
        assert_eq!(ends_at(scim(), 10, 0, None), None);
        assert_eq!(ends_at(scim(), 100, 1000, None), None);
        assert_eq!(ends_at(Scim { revoked_at: Some(Timestamp(5)), ..scim() }, 10, 20, None), None);
        let token = scim().replaced(Timestamp(10), 20, None).map(|previous| previous.token);
        assert_eq!(token, Some(ScimDigest::of("cgscim_1")), "the last one, and not the one before it");
    }

    #[test]
    fn nothing_prints_a_digest() {
        let text = format!("{:?}", scim());
        assert!(!text.contains(&*ScimDigest::of("cgscim_1").0) && text.contains("[digest]"), "{text}");
    }

    #[test]
    fn tokens_and_digests_are_hex() {
        assert_eq!(token(&[0xab; 32]), format!("cgscim_{}", "ab".repeat(32)));
        // SHA-256 of "abc", from FIPS 180-2.
        assert_eq!(&*ScimDigest::of("abc").0, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
