//! The keys that codes are made with.

use std::fmt;

use aws_lc_rs::{constant_time, hmac};
use domain::Secret;

use super::Digest;

/// Bytes of a [`Code`]: the name of its key, then the code.
const LENGTH: usize = 8 + 32;

/// Names a key-encryption key, and tells nothing else of it.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct KeyId(pub [u8; 8]);

/// What the store derives from a key-encryption key.
pub struct Key {
    id: KeyId,
    log: hmac::Key,
    rows: hmac::Key,
    backups: hmac::Key,
}

/// What codes are made and judged with.
#[derive(Debug)]
pub struct Keys {
    /// The one in use, then the one that is to come, while it is changed.
    live: Vec<Key>,
    /// Those of before, for what they once made.
    old: Vec<Key>,
}

/// What a code is about: those of one purpose are none of another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// An entry of the audit log.
    Log,
    /// A row.
    Row,
    /// A backup.
    Backup,
}

/// A code, and which key made it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Code {
    pub(crate) key: KeyId,
    pub(crate) mac: Digest,
}

impl Key {
    /// The key with this name, made of a secret that follows from nothing but the key-encryption key.
    #[must_use]
    pub fn new(id: KeyId, secret: &Secret<[u8; 32]>) -> Self {
        let secret = hmac::Key::new(hmac::HMAC_SHA256, secret.expose());
        let of = |purpose: &str| hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&secret, purpose.as_bytes()).as_ref());
        Self { id, log: of("audit log"), rows: of("rows"), backups: of("backups") }
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The code of these parts. Where their lengths do not follow from each other, they have to tell them.
    pub(crate) fn code(&self, purpose: Purpose, parts: &[&[u8]]) -> Code {
        let key = match purpose {
            Purpose::Log => &self.log,
            Purpose::Row => &self.rows,
            Purpose::Backup => &self.backups,
        };
        let mut context = hmac::Context::with_key(key);
        for part in parts {
            context.update(part);
        }
        let mut mac = Digest::default();
        // HMAC-SHA-256 has as many bytes as a SHA-256.
        mac.copy_from_slice(context.sign().as_ref());
        Code { key: self.id, mac }
    }

    /// Whether it made this code of these parts; how long that takes tells nothing of the code.
    pub(crate) fn made(&self, code: Code, purpose: Purpose, parts: &[&[u8]]) -> bool {
        constant_time::verify_slices_are_equal(&self.code(purpose, parts).mac, &code.mac).is_ok() && code.key == self.id
    }
}

impl Keys {
    /// The key in use, the one that is to follow it, if one is there already, and those of before.
    #[must_use]
    pub fn new(current: Key, next: Option<Key>, old: Vec<Key>) -> Self {
        Self { live: std::iter::once(current).chain(next).collect(), old }
    }

    /// The one in use.
    pub(crate) fn current(&self) -> Option<&Key> {
        self.live.first()
    }

    /// The one with this name, unless it is of before.
    pub(crate) fn live(&self, id: KeyId) -> Option<&Key> {
        self.live.iter().find(|key| key.id == id)
    }

    /// The one that goes on from this code: that which has made it; the one in use where there is none.
    pub(crate) fn of(&self, last: Option<Code>) -> Option<&Key> {
        last.map_or_else(|| self.current(), |last| self.live(last.key))
    }

    /// The one with this name, also of before.
    pub(crate) fn any(&self, id: KeyId) -> Option<&Key> {
        self.live(id).or_else(|| self.old.iter().find(|key| key.id == id))
    }
}

impl Code {
    /// As it is stored.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        [&self.key.0[..], &self.mac].concat()
    }

    /// The code that is stored so. What is none becomes one that no key makes.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        let (mut key, mut mac) = (KeyId::default(), Digest::default());
        if let Some((id, code)) = bytes.split_first_chunk::<8>()
            && bytes.len() == LENGTH
        {
            key = KeyId(*id);
            mac.copy_from_slice(code);
        }
        Self { key, mac }
    }
}

/// As people are told of it: without the key's name.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.mac))
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({} {self})", self.key)
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("id", &self.id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> Key {
        Key::new(KeyId([byte; 8]), &Secret::new([byte; 32]))
    }

    #[test]
    fn codes_belong_to_one_key_one_purpose_and_one_text() {
        let code = key(1).code(Purpose::Log, &[b"a", b"b"]);
        assert_eq!(code, key(1).code(Purpose::Log, &[b"ab"]), "parts are not told apart");
        for other in
            [key(2).code(Purpose::Log, &[b"ab"]), key(1).code(Purpose::Row, &[b"ab"]), key(1).code(Purpose::Log, &[b"b"])]
        {
            assert_ne!(other.mac, code.mac);
        }
        assert_eq!(Code::of_bytes(&code.to_bytes()), code);
        for bytes in [&[][..], &[1; 39], &[1; 41]] {
            assert_eq!(Code::of_bytes(bytes).key, KeyId::default());
        }
    }

    #[test]
    fn a_key_of_before_is_not_live() {
        let keys = Keys::new(key(1), Some(key(2)), vec![key(3)]);
        let [one, next, old] = [1, 2, 3].map(|byte| KeyId([byte; 8]));
        assert_eq!(keys.current().map(Key::id), Some(one));
        assert!(keys.live(next).is_some() && keys.live(old).is_none() && keys.any(old).is_some());
    }
}
