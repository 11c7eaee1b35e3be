//! The key-encryption key: 32 random bytes in a file, from which every other secret of the installation is derived.

use std::{
    fmt, fs,
    io::{self, Read, Write},
    path::Path,
};

use aws_lc_rs::{aead, digest, hkdf, hmac};
use domain::{Entropy, Error, Kind, Rule, Secret};
use store::{Store, signing_keys};
use zeroize::Zeroizing;

const KEY_LEN: usize = 32;
const NONCE_LEN: usize = aead::NONCE_LEN;
const TAG_LEN: usize = 16;
const SALT: &[u8] = b"provost/key-encryption-key/v1";

/// The key-encryption key. Whoever loses it loses the signing keys and outstanding page tokens; the rest of the data stays
/// readable. Whoever else has it can sign tokens.
pub struct RootKey(hkdf::Prk);

/// A key derived from the root key for one purpose.
pub(super) struct SubKey(aead::LessSafeKey);

/// A key for authentication codes (HMAC-SHA-256, RFC 2104), derived from the root key for one purpose.
#[derive(Clone)]
pub(crate) struct MacKey(hmac::Key);

impl RootKey {
    /// The key in the file at `path`: 32 raw bytes or 64 hex digits. A missing file is made, readable by its owner alone.
    ///
    /// # Errors
    /// Failed precondition when the file cannot be read or written, is no key, or others may read it. The message says what
    /// to do.
    pub fn open_or_create(path: &Path, entropy: &dyn Entropy) -> Result<Self, Error> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => create(path, entropy)?,
            _ => {}
        }
        Self::open(path)
    }

    /// The key for the secrets in `store`: as [`RootKey::open_or_create`] while it holds none. Once it does, a missing file
    /// is not made anew: no other key opens them.
    ///
    /// # Errors
    /// As [`RootKey::open_or_create`], and whatever the store answers.
    pub async fn of_store(store: &Store, path: &Path, entropy: &dyn Entropy) -> Result<Self, Error> {
        // In this order: whoever stores secrets meanwhile, another node perhaps, has made the file before.
        let holds_secrets = !signing_keys::list(&mut store.reader().await?).await?.is_empty();
        let missing = matches!(fs::symlink_metadata(path), Err(error) if error.kind() == io::ErrorKind::NotFound);
        if holds_secrets && missing {
            return Err(unusable(path, "is missing, but the data was encrypted with it; put it back from your backup"));
        }
        Self::open_or_create(path, entropy)
    }

    /// The key in the file at `path`, which must exist.
    ///
    /// # Errors
    /// As [`RootKey::open_or_create`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let mut file = fs::File::open(path).map_err(|error| unusable(path, &format!("cannot be opened ({error})")))?;
        let metadata = file.metadata().map_err(|error| unusable(path, &format!("cannot be examined ({error})")))?;
        if !metadata.is_file() {
            return Err(unusable(path, "is no regular file"));
        }
        refuse_shared(path, &metadata)?;
        // One byte more than the longest accepted form, so that a longer file is noticed.
        let mut text = Zeroizing::new(Vec::with_capacity(128));
        (&mut file).take(67).read_to_end(&mut text).map_err(|error| unusable(path, &format!("cannot be read ({error})")))?;
        parse(&text).map(|bytes| Self::from_bytes(&bytes)).ok_or_else(|| unusable(path, "is neither 32 bytes nor 64 hex digits"))
    }

    /// The key made of these bytes.
    #[must_use]
    pub fn from_bytes(bytes: &Secret<[u8; KEY_LEN]>) -> Self {
        Self(hkdf::Salt::new(hkdf::HKDF_SHA256, SALT).extract(bytes.expose()))
    }

    /// The key for `purpose` (HKDF, RFC 5869). Different purposes give unrelated keys.
    pub(super) fn derive(&self, purpose: &str) -> Result<SubKey, Error> {
        let info = [purpose.as_bytes()];
        let material = self.0.expand(&info, &aead::AES_256_GCM).map_err(Error::internal)?;
        Ok(SubKey(aead::LessSafeKey::new(aead::UnboundKey::from(material))))
    }

    /// The key for authentication codes of `purpose`.
    pub(crate) fn derive_mac(&self, purpose: &str) -> Result<MacKey, Error> {
        let info = [purpose.as_bytes()];
        let material = self.0.expand(&info, hmac::HMAC_SHA256).map_err(Error::internal)?;
        Ok(MacKey(hmac::Key::from(material)))
    }
}

impl MacKey {
    /// The authentication code of `text`.
    pub(crate) fn sign(&self, text: &[u8]) -> hmac::Tag {
        hmac::sign(&self.0, text)
    }

    /// Whether that is the authentication code of `text`; how long it takes tells nothing of it.
    pub(crate) fn verify(&self, text: &[u8], tag: &[u8]) -> bool {
        hmac::verify(&self.0, text, tag).is_ok()
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

fn parse(text: &[u8]) -> Option<Secret<[u8; KEY_LEN]>> {
    if let Ok(raw) = <[u8; KEY_LEN]>::try_from(text) {
        return Some(Secret::new(raw));
    }
    let mut bytes = [0; KEY_LEN];
    hex::decode_to_slice(text.trim_ascii_end(), &mut bytes).ok()?;
    Some(Secret::new(bytes))
}

/// Writes a new key beside `path`, under a name of its own, and links it into place: no crash leaves half a key, and of several
/// processes that do the same one makes the key of all.
fn create(path: &Path, entropy: &dyn Entropy) -> Result<(), Error> {
    let failed = |error: io::Error| unusable(path, &format!("cannot be created ({error})"));
    let mut bytes = Zeroizing::new([0; KEY_LEN]);
    entropy.fill(bytes.as_mut_slice())?;
    let text = Zeroizing::new(format!("{}\n", hex::encode(bytes.as_slice())));
    // Part of a hash of a random key says nothing about it.
    let digest = digest::digest(&digest::SHA256, text.as_bytes());
    let name: String = hex::encode(digest.as_ref()).chars().take(16).collect();
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{name}.new"));
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft).map_err(failed)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| fs::hard_link(&draft, path));
    fs::remove_file(&draft).map_err(failed)?;
    match written {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
        _ => {}
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    }
    Ok(())
}

/// A file that its owner alone can read is private, and so is a credential that systemd hands to its service.
#[cfg(unix)]
fn refuse_shared(path: &Path, metadata: &fs::Metadata) -> Result<(), Error> {
    let access = Access::of(metadata);
    // The last six permission bits are those of the group and of others.
    if access.mode.trailing_zeros() >= 6 {
        return Ok(());
    }
    if fs::canonicalize(path).is_ok_and(|path| path.parent().is_some_and(|folder| is_credential(access, folder))) {
        return Ok(());
    }
    Err(unusable(path, &format!("can be read by others; run `chmod 600 {}`", path.display())))
}

/// Who may do what with a file or folder.
#[cfg(unix)]
#[derive(Clone, Copy, Debug)]
struct Access {
    mode: u32,
    owner: u32,
    group: u32,
}

#[cfg(unix)]
impl Access {
    fn of(metadata: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { mode: metadata.mode() & 0o7777, owner: metadata.uid(), group: metadata.gid() }
    }
}

/// systemd keeps a service's credentials as files of root, in a folder of root that nobody else can enter, and lets the service
/// in by access control lists. Those show as rights of the group, so it has to be root's: then only root can have given them.
#[cfg(unix)]
fn is_credential(file: Access, folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|folder| is_roots_secret(file, Access::of(&folder)))
}

#[cfg(unix)]
fn is_roots_secret(file: Access, folder: Access) -> bool {
    let is_roots = |access: Access| access.owner == 0 && access.group == 0;
    is_roots(file) && is_roots(folder) && file.mode == 0o440 && folder.mode & 0o227 == 0
}

#[cfg(not(unix))]
fn refuse_shared(_: &Path, _: &fs::Metadata) -> Result<(), Error> {
    Ok(())
}

fn unusable(path: &Path, what: &str) -> Error {
    Error::new(Kind::FailedPrecondition, Rule::Unavailable, format!("the key file {} {what}", path.display()))
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

    #[test]
    fn a_credential_of_systemd_is_private() {
        let root = |mode| Access { mode, owner: 0, group: 0 };
        let other = |owner, group| Access { mode: 0o440, owner, group };
        for folder in [0o550, 0o500, 0o1500] {
            assert!(is_roots_secret(root(0o440), root(folder)), "{folder:o}");
        }
        for folder in [0o555, 0o551, 0o570, 0o700, 0o755, 0o1777] {
            assert!(!is_roots_secret(root(0o440), root(folder)), "{folder:o}");
        }
        for file in [root(0o444), root(0o460), root(0o640), root(0o4440), other(7, 0), other(0, 7)] {
            assert!(!is_roots_secret(file, root(0o550)), "{file:?}");
        }
        assert!(!is_roots_secret(root(0o440), other(7, 0)) && !is_roots_secret(root(0o440), other(0, 7)));

        // As a file: it is root's only where root runs the tests.
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("key");
        write(&path, &[1; 32], 0o440);
        let access = Access::of(&fs::metadata(&path).expect("file"));
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o550)).expect("chmod");
        assert_eq!(RootKey::open(&path).is_ok(), (access.owner, access.group) == (0, 0));
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).expect("chmod");
        assert!(RootKey::open(&path).is_err());
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
            assert!(error.message().contains("neither 32 bytes nor 64 hex digits"), "{error}");
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
