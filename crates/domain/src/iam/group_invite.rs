//! Group invites: offers of a role at a group to whoever has the code.

use std::fmt::Write as _;

use aws_lc_rs::digest;
use serde::Serialize;
use zeroize::Zeroize as _;

use crate::{entropy::Entropy, error::Error, iam::Role, revision::Revision, secret::Secret, time::Timestamp, uidp::Uidp};

/// An offer of a role at a group. It never changes, and works until it expires. Events show which one it is and when it ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupInvite {
    /// Its identifier; the parent is the group.
    pub uid: Uidp,
    /// What callers may set.
    #[serde(skip)]
    pub spec: GroupInviteSpec,
    /// When its code stops working.
    pub expires_at: Timestamp,
    /// What its code is checked with.
    #[serde(skip)]
    pub check: InviteCheck,
    /// When it was made.
    #[serde(skip)]
    pub created_at: Timestamp,
    /// When it was made: it never changes.
    #[serde(skip)]
    pub updated_at: Timestamp,
    /// The commit that wrote it.
    #[serde(skip)]
    pub revision: Revision,
}

/// What callers may set of a group invite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupInviteSpec {
    /// The role that is offered. It may go while it is offered: then nobody can take up the invite.
    pub role: Uidp,
    /// The verified email address of the only one who may take it up; empty for anybody.
    pub email: String,
    /// Whether it goes when somebody has taken it up.
    pub single_use: bool,
}

/// A group invite with the role that it offers, as that is now; `None` when the role is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupInviteView {
    /// The invite itself.
    pub invite: GroupInvite,
    /// Which role.
    pub role: Option<Role>,
}

/// What an invite's code is checked with. Nobody can make the code of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InviteCheck {
    /// The public part of the code, by which the invite is found.
    pub key_id: String,
    /// SHA-256 of the secret part, in hex.
    pub digest: String,
}

/// How codes begin, so that one that leaks is recognized.
const PREFIX: &str = "invite_";
/// Random bytes of the public part, and of the secret part.
const KEY_ID: usize = 8;
const SECRET: usize = 32;

impl InviteCheck {
    /// A new code, and what it is checked with.
    ///
    /// # Errors
    /// Internal when the generator fails.
    pub fn generate(entropy: &dyn Entropy) -> Result<(Secret<String>, Self), Error> {
        let (mut key_id, mut secret) = ([0; KEY_ID], [0; SECRET]);
        entropy.fill(&mut key_id)?;
        entropy.fill(&mut secret)?;
        let key_id = hex(&key_id);
        let mut digits = hex(&secret);
        secret.zeroize();
        let code = Secret::new([PREFIX, &key_id, "_", &digits].concat());
        let digest = digest_of(&digits);
        digits.zeroize();
        Ok((code, Self { key_id, digest }))
    }

    /// What a code that somebody brings would be checked with; `None` when it has not the form of a code.
    #[must_use]
    pub fn of(code: &str) -> Option<Self> {
        let (key_id, secret) = code.strip_prefix(PREFIX)?.split_once('_')?;
        let is_hex = |text: &str, bytes: usize| {
            text.len() == 2 * bytes && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        (is_hex(key_id, KEY_ID) && is_hex(secret, SECRET)).then(|| Self { key_id: key_id.to_owned(), digest: digest_of(secret) })
    }
}

fn digest_of(secret: &str) -> String {
    hex(digest::digest(&digest::SHA256, secret.as_bytes()).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Counted;

    impl Entropy for Counted {
        fn fill(&self, bytes: &mut [u8]) -> Result<(), Error> {
            bytes.iter_mut().zip(1..).for_each(|(byte, number)| *byte = number);
            Ok(())
        }
    }

    #[test]
    fn a_code_is_checked_with_what_was_made_with_it() {
        let (code, check) = InviteCheck::generate(&Counted).expect("a code");
        assert_eq!(InviteCheck::of(code.expose()), Some(check.clone()));
        assert_eq!(check.key_id, "0102030405060708");
        assert!(code.expose().starts_with("invite_0102030405060708_01020304"));
        assert!(!code.expose().contains(&check.digest), "the digest is not in the code");
        let other = code.expose().replace("1f20", "1f21");
        assert_ne!(InviteCheck::of(&other).map(|check| check.digest), Some(check.digest));
    }

    #[test]
    fn what_has_not_the_form_of_a_code_is_none() {
        let (code, _) = InviteCheck::generate(&Counted).expect("a code");
        let code = code.expose();
        for text in ["", "invite_", "invite__", &code[1..], &code[..code.len() - 1], &code.to_uppercase(), &format!("{code}0")] {
            assert_eq!(InviteCheck::of(text), None, "{text}");
        }
    }

    #[test]
    fn events_show_which_one_and_when_it_ends() {
        let (_, check) = InviteCheck::generate(&Counted).expect("a code");
        let uid = Uidp::root_from([1; 20]).child([2; 8]);
        let spec = GroupInviteSpec { role: Uidp::root_from([3; 20]), email: "a@example.com".into(), single_use: true };
        let (at, revision) = (Timestamp(7), Revision(9));
        let invite = GroupInvite { uid, spec, expires_at: Timestamp(8), check, created_at: at, updated_at: at, revision };
        let shown = serde_json::to_string(&invite).unwrap_or_default();
        assert_eq!(shown, format!(r#"{{"uid":"{}","expires_at":8}}"#, invite.uid));
    }
}
