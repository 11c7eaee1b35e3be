//! The key-encryption key: 32 random bytes in a file, from which every other secret of the installation is derived.
//!
//! While it is changed there are two: the one in use and the one that follows. Those of before open what they once sealed, and vouch for
//! nothing any more.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use arc_swap::ArcSwap;
use aws_lc_rs::{aead, hkdf, hmac};
use domain::{Entropy, Error, Kind, Rule, Secret};
use store::{
    Store,
    chain::{Key, KeyId, Keys},
    signing_keys,
};
use zeroize::Zeroizing;

use super::key_file::{self, KEY_LEN, KeyFiles, unusable};

const NONCE_LEN: usize = aead::NONCE_LEN;
const TAG_LEN: usize = 16;
const SALT: &[u8] = b"provost/key-encryption-key/v1";

/// The key-encryption key. Whoever loses it loses the signing keys and outstanding page tokens; the rest of the data stays
/// readable. Whoever else has it can sign tokens.
pub struct RootKey {
    ring: Arc<ArcSwap<Ring>>,
    files: Option<KeyFiles>,
}

/// The keys that there are.
struct Ring {
    current: One,
    /// The one that follows, or the one that was followed a moment ago.
    other: Option<One>,
    old: Vec<One>,
    /// Whether the one in use is still in the file of the next one.
    is_ahead: bool,
}

/// One of them.
struct One {
    id: KeyId,
    key: hkdf::Prk,
}

/// A key derived from the root key for one purpose.
pub(super) struct SubKey(aead::LessSafeKey);

/// A key for authentication codes (HMAC-SHA-256, RFC 2104), derived from the root key for one purpose. It follows when that is changed.
#[derive(Clone)]
pub(crate) struct MacKey(Arc<Mac>);

struct Mac {
    root: Arc<ArcSwap<Ring>>,
    purpose: Box<str>,
    /// Of the ring that it was derived from last.
    derived: ArcSwap<Derived>,
}

/// What makes codes, and what else they are judged with, of a ring.
struct Derived {
    ring: Arc<Ring>,
    current: hmac::Key,
    other: Option<hmac::Key>,
}

impl RootKey {
    /// The key in the file at `path`: 32 bytes, raw, in hex or in Base64. A missing file is made, readable by its owner alone.
    ///
    /// # Errors
    /// Failed precondition when the file cannot be read or written, is no key, or others may read it. The message says what
    /// to do.
    pub fn open_or_create(path: &Path, entropy: &dyn Entropy) -> Result<Self, Error> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => key_file::create(path, entropy)?,
            _ => {}
        }
        Self::open(path)
    }

    /// The key for the secrets in `store`: as [`RootKey::open_or_create`] while it holds none. Once it does, a missing file
    /// is not made anew: no other key opens them. While the key is changed, it is the one that the store has come to.
    ///
    /// # Errors
    /// As [`RootKey::open_or_create`], and whatever the store answers.
    pub async fn of_store(store: &Store, path: &Path, entropy: &dyn Entropy) -> Result<Self, Error> {
        // In this order: whoever stores secrets meanwhile, another node perhaps, has made the file before.
        let holds_secrets = !signing_keys::list(&mut store.reader().await?).await?.is_empty() || store.head().await?.is_some();
        let missing = matches!(fs::symlink_metadata(path), Err(error) if error.kind() == io::ErrorKind::NotFound);
        if holds_secrets && missing {
            return Err(unusable(path, "is missing, but the data was encrypted with it; put it back from your backup"));
        }
        let root = Self::open_or_create(path, entropy)?;
        root.follow(store).await?;
        Ok(root)
    }

    /// The key in the file at `path`, which must exist, with the one that follows it and those of before, as far as they are there.
    ///
    /// # Errors
    /// As [`RootKey::open_or_create`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let files = KeyFiles::at(path);
        let ring = Ring::read(&files, None)?;
        Ok(Self { ring: Arc::new(ArcSwap::from_pointee(ring)), files: Some(files) })
    }

    /// The key made of these bytes.
    #[must_use]
    pub fn from_bytes(bytes: &Secret<[u8; KEY_LEN]>) -> Self {
        let ring = Ring { current: One::new(bytes), other: None, old: Vec::new(), is_ahead: false };
        Self { ring: Arc::new(ArcSwap::from_pointee(ring)), files: None }
    }

    /// Reads the files again, and uses the key that the store has come to. Where that is the next one, its file takes the place of the
    /// one before it.
    ///
    /// # Errors
    /// Failed precondition when a file cannot be used, or none has the key of the store; whatever the store answers.
    pub(super) async fn follow(&self, store: &Store) -> Result<(), Error> {
        let Some(files) = &self.files else { return Ok(()) };
        let head = store.head().await?.map(|head| head.key());
        let ring = Ring::read(files, head)?;
        if let Some(head) = head.filter(|head| ring.live().all(|key| key.id != *head)) {
            let what = if ring.old.iter().any(|key| key.id == head) {
                "that is one of those of before, beside it".to_owned()
            } else {
                format!("copy that one, from a server that has it, to {}", files.next().display())
            };
            let what = format!("is not the one that the data was encrypted with, which is the key {head}: {what}");
            return Err(unusable(files.current(), &what));
        }
        let (is_ahead, before) = (ring.is_ahead, ring.other.as_ref().map(|key| key.id));
        if !is_ahead {
            self.ring.store(Arc::new(ring));
            return Ok(());
        }
        self.ring.store(Arc::new(ring));
        match files.advance(&before.map(|id| id.to_string()).unwrap_or_default()) {
            Ok(old) => {
                tracing::info!(file = %files.current().display(), old = %old.display(), "the new key-encryption key is in its place");
                self.ring.store(Arc::new(Ring::read(files, head)?));
            }
            // Another server has the same file, and was faster.
            Err(_) if files.read_next()?.is_none() => self.ring.store(Arc::new(Ring::read(files, head)?)),
            Err(error) => {
                tracing::warn!(?error, "the new key-encryption key is in use; put its file in the place of the old one");
            }
        }
        Ok(())
    }

    /// Makes the file of the next key, where there is none. Answers where it is, and the name of the key.
    ///
    /// # Errors
    /// Failed precondition when the file cannot be written or used.
    pub(super) fn make_next(&self, entropy: &dyn Entropy) -> Result<(PathBuf, KeyId), Error> {
        let no_file = || Error::new(Kind::FailedPrecondition, Rule::Unavailable, "the key-encryption key is in no file");
        let files = self.files.as_ref().ok_or_else(no_file)?;
        if files.read_next()?.is_none() {
            key_file::create(&files.next(), entropy)?;
        }
        let next = files.read_next()?.ok_or_else(no_file)?;
        Ok((files.next(), One::new(&next).id))
    }

    /// Whether the file of the next key is there.
    ///
    /// # Errors
    /// Failed precondition when it cannot be used.
    pub(super) fn has_next(&self) -> Result<bool, Error> {
        self.files.as_ref().map_or(Ok(false), |files| Ok(files.read_next()?.is_some()))
    }

    /// The name of the key in use.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.ring.load().current.id
    }

    /// Whether there are others than the one in use.
    #[must_use]
    pub fn has_others(&self) -> bool {
        let ring = self.ring.load();
        ring.other.is_some() || !ring.old.is_empty()
    }

    /// What the store vouches with.
    ///
    /// # Errors
    /// Internal when no key can be derived.
    pub fn keys(&self) -> Result<Arc<Keys>, Error> {
        let ring = self.ring.load();
        let other = ring.other.as_ref().map(One::store).transpose()?;
        let old = ring.old.iter().map(One::store).collect::<Result<_, _>>()?;
        Ok(Arc::new(Keys::new(ring.current.store()?, other, old)))
    }

    /// The key for `purpose` (HKDF, RFC 5869). Different purposes give unrelated keys.
    pub(super) fn derive(&self, purpose: &str) -> Result<SubKey, Error> {
        self.ring.load().current.derive(purpose)
    }

    /// The same of the key with this name, which is in use or follows.
    pub(super) fn derive_of(&self, id: KeyId, purpose: &str) -> Result<SubKey, Error> {
        let ring = self.ring.load();
        let found = ring.live().find(|key| key.id == id);
        found.ok_or_else(|| Error::internal(format!("there is no key {id}")))?.derive(purpose)
    }

    /// What was sealed for `purpose` in this context by any of the keys; `None` when it was altered or made otherwise.
    pub(super) fn open_sealed(&self, purpose: &str, context: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let ring = self.ring.load();
        ring.live().chain(&ring.old).find_map(|key| key.derive(purpose).ok()?.open(context, sealed))
    }

    /// The key for authentication codes of `purpose`.
    pub(crate) fn derive_mac(&self, purpose: &str) -> Result<MacKey, Error> {
        let ring = self.ring.load_full();
        let derived = ArcSwap::from_pointee(Derived::of(ring, purpose)?);
        Ok(MacKey(Arc::new(Mac { root: Arc::clone(&self.ring), purpose: purpose.into(), derived })))
    }
}

impl Ring {
    /// The keys in the files, as a store uses them that has come to the key `head`.
    fn read(files: &KeyFiles, head: Option<KeyId>) -> Result<Self, Error> {
        let current = One::new(&key_file::read(files.current())?);
        let next = files.read_next()?.map(|key| One::new(&key)).filter(|next| next.id != current.id);
        let old: Vec<_> = files.read_old()?.iter().map(One::new).filter(|old| old.id != current.id).collect();
        Ok(match next {
            Some(next) if head == Some(next.id) => Self { current: next, other: Some(current), old, is_ahead: true },
            other => Self { current, other, old, is_ahead: false },
        })
    }

    /// The one in use and the other one of a change.
    fn live(&self) -> impl Iterator<Item = &One> {
        std::iter::once(&self.current).chain(&self.other)
    }
}

/// A length of bytes to be derived.
struct Length(usize);

impl hkdf::KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

impl One {
    fn new(bytes: &Secret<[u8; KEY_LEN]>) -> Self {
        let key = hkdf::Salt::new(hkdf::HKDF_SHA256, SALT).extract(bytes.expose());
        let mut id = KeyId::default();
        // A length that HKDF has.
        if let Ok(material) = key.expand(&[b"name"], Length(id.0.len())) {
            _ = material.fill(&mut id.0);
        }
        Self { id, key }
    }

    fn derive(&self, purpose: &str) -> Result<SubKey, Error> {
        let info = [purpose.as_bytes()];
        let material = self.key.expand(&info, &aead::AES_256_GCM).map_err(Error::internal)?;
        Ok(SubKey(aead::LessSafeKey::new(aead::UnboundKey::from(material))))
    }

    fn mac(&self, purpose: &str) -> Result<hmac::Key, Error> {
        let info = [purpose.as_bytes()];
        self.key.expand(&info, hmac::HMAC_SHA256).map(hmac::Key::from).map_err(Error::internal)
    }

    fn store(&self) -> Result<Key, Error> {
        let mut secret = Zeroizing::new([0; KEY_LEN]);
        let material = self.key.expand(&[b"store"], Length(KEY_LEN)).map_err(Error::internal)?;
        material.fill(secret.as_mut_slice()).map_err(Error::internal)?;
        Ok(Key::new(self.id, &Secret::new(*secret)))
    }
}

impl Derived {
    fn of(ring: Arc<Ring>, purpose: &str) -> Result<Self, Error> {
        let other = ring.other.as_ref().map(|key| key.mac(purpose)).transpose()?;
        Ok(Self { current: ring.current.mac(purpose)?, other, ring })
    }
}

impl MacKey {
    /// The authentication code of `text`.
    pub(crate) fn sign(&self, text: &[u8]) -> hmac::Tag {
        hmac::sign(&self.derived().current, text)
    }

    /// Whether that is the authentication code of `text`; how long it takes tells nothing of it.
    pub(crate) fn verify(&self, text: &[u8], tag: &[u8]) -> bool {
        let derived = self.derived();
        std::iter::once(&derived.current).chain(&derived.other).any(|key| hmac::verify(key, text, tag).is_ok())
    }

    /// The keys of the ring in use.
    fn derived(&self) -> Arc<Derived> {
        let (ring, derived) = (self.0.root.load(), self.0.derived.load_full());
        if Arc::ptr_eq(&ring, &derived.ring) {
            return derived;
        }
        // It has been derived for this purpose before, so that it can be.
        let Ok(new) = Derived::of(Arc::clone(&ring), &self.0.purpose).map(Arc::new) else { return derived };
        self.0.derived.store(Arc::clone(&new));
        new
    }
}

impl SubKey {
    /// Encrypts and authenticates `plain`, bound to `context`: nonce, then ciphertext, then tag (AES-256-GCM).
    pub(super) fn seal(&self, context: &[u8], plain: &[u8], entropy: &dyn Entropy) -> Result<Vec<u8>, Error> {
        let mut nonce = [0; NONCE_LEN];
        entropy.fill(&mut nonce)?;
        let mut sealed = plain.to_vec();
        self.0
            .seal_in_place_append_tag(aead::Nonce::assume_unique_for_key(nonce), aead::Aad::from(context), &mut sealed)
            .map_err(Error::internal)?;
        sealed.splice(0..0, nonce);
        Ok(sealed)
    }

    /// What was sealed with this key and context; `None` when it was altered or made otherwise.
    pub(super) fn open(&self, context: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let mut text = Zeroizing::new(sealed.to_vec());
        self.0.open_in_place(aead::Nonce::from(nonce), aead::Aad::from(context), &mut text).ok()?;
        let len = text.len().checked_sub(TAG_LEN)?;
        text.truncate(len);
        Some(text)
    }
}

impl fmt::Debug for MacKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MacKey")
    }
}

impl fmt::Debug for RootKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RootKey")
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::testing::TestEntropy;

    fn write(path: &Path, text: &[u8], mode: u32) {
        fs::write(path, text).expect("write");
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("chmod");
    }

    fn sealed_by(key: &RootKey) -> Vec<u8> {
        key.derive("a").and_then(|key| key.seal(b"c", b"plain", &TestEntropy::default())).expect("sealed")
    }

    #[test]
    fn the_first_start_makes_a_private_key_and_the_next_one_reads_it() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("key");
        let first = RootKey::open_or_create(&path, &TestEntropy::default()).expect("made");
        let mode = fs::metadata(&path).expect("file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).expect("folder").count(), 1);
        let second = RootKey::open_or_create(&path, &TestEntropy::default()).expect("read");
        let plain = second.derive("a").expect("key").open(b"c", &sealed_by(&first)).expect("the same key");
        assert_eq!(plain.as_slice(), b"plain");
    }

    #[test]
    fn raw_and_hex_give_the_same_key() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("key");
        write(&path, &[0xab; 32], 0o600);
        let sealed = sealed_by(&RootKey::open(&path).expect("raw"));
        write(&path, format!("{}\n", "ab".repeat(32)).as_bytes(), 0o400);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("chmod");
        let opened = RootKey::open(&path).expect("hex").derive("a").expect("key").open(b"c", &sealed);
        assert!(opened.is_some());
    }

    #[test]
    fn a_key_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("key");
        for mode in [0o640, 0o604, 0o660, 0o644] {
            write(&path, &[1; 32], mode);
            let error = RootKey::open(&path).expect_err("refused");
            assert!(error.message().contains("chmod 600"), "{error}");
        }
    }

    /// Many at once, as threads: a draft that two of them shared would be linked half written, or linked away.
    #[test]
    fn of_several_that_make_the_key_all_have_the_same() {
        let entropy = TestEntropy::default();
        for _ in 0..50 {
            let folder = tempfile::tempdir().expect("folder");
            let path = folder.path().join("key");
            let sealed = std::thread::scope(|scope| {
                let make = || sealed_by(&RootKey::open_or_create(&path, &entropy).expect("made or read"));
                let makers: Vec<_> = (0..4).map(|_| scope.spawn(make)).collect();
                makers.into_iter().map(|maker| maker.join().expect("runs")).collect::<Vec<_>>()
            });
            let key = RootKey::open(&path).expect("read").derive("a").expect("key");
            assert!(sealed.iter().all(|sealed| key.open(b"c", sealed).is_some()), "one key");
            assert_eq!(fs::read_dir(folder.path()).expect("folder").count(), 1, "no draft is left");
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("key");
        let longer = "ab".repeat(40);
        for text in ["", "short", &"x".repeat(64), &longer] {
            write(&path, text.as_bytes(), 0o600);
            let error = RootKey::open(&path).expect_err("refused");
            assert!(error.message().contains("is not a key of 32 bytes"), "{error}");
        }
        assert!(RootKey::open(&folder.path().join("none")).expect_err("refused").message().contains("cannot be opened"));
        assert!(RootKey::open(folder.path()).expect_err("refused").message().contains("no regular file"));
    }

    #[test]
    fn purposes_and_contexts_are_apart() {
        let key = RootKey::from_bytes(&Secret::new([7; 32]));
        let sealed = sealed_by(&key);
        let open =
            |purpose: &str, context: &[u8], sealed: &[u8]| key.derive(purpose).expect("key").open(context, sealed).is_some();
        assert!(open("a", b"c", &sealed));
        assert!(!open("b", b"c", &sealed) && !open("a", b"d", &sealed));
        for at in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[at] ^= 1;
            assert!(!open("a", b"c", &altered), "byte {at}");
            assert!(!open("a", b"c", &sealed[..at]), "first {at} bytes");
        }
    }
}
