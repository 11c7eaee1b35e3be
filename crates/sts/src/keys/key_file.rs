//! The files that key-encryption keys are in: the one in use, beside it the one that is to follow, and those of before.

use std::{
    ffi::OsString,
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use aws_lc_rs::digest;
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use domain::{Entropy, Error, Kind, Rule, Secret};
use zeroize::Zeroizing;

/// Bytes of a key.
pub(super) const KEY_LEN: usize = 32;
/// The key in hex.
const HEX_LEN: usize = 64;
/// The key in Base64 (RFC 4648 section 4), with its padding.
const BASE64_LEN: usize = 44;
/// Keys of before that are read at most: the newest ones.
const OLD: usize = 16;

/// Where the keys are.
#[derive(Clone, Debug)]
pub(super) struct KeyFiles(PathBuf);

impl KeyFiles {
    pub(super) fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The file of the key in use.
    pub(super) fn current(&self) -> &Path {
        &self.0
    }

    /// The file of the key that is to follow.
    pub(super) fn next(&self) -> PathBuf {
        self.beside(".next")
    }

    /// The key that is to follow, if there is one.
    ///
    /// # Errors
    /// As [`read`].
    pub(super) fn read_next(&self) -> Result<Option<Secret<[u8; KEY_LEN]>>, Error> {
        let path = self.next();
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            _ => read(&path).map(Some),
        }
    }

    /// The keys of before, the newest first, by the times of their files.
    ///
    /// # Errors
    /// As [`read`].
    pub(super) fn read_old(&self) -> Result<Vec<Secret<[u8; KEY_LEN]>>, Error> {
        let folder = self.0.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = self.0.file_name().unwrap_or_default().to_string_lossy().into_owned() + ".";
        let failed = |error: io::Error| unusable(&self.0, &format!("is in a folder that cannot be read ({error})"));
        let mut old = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            let found = entry.map_err(failed)?.file_name();
            let text = found.to_string_lossy();
            if text.starts_with(&name) && text.ends_with(".old") {
                let path = folder.join(&found);
                let written = fs::metadata(&path).and_then(|metadata| metadata.modified()).map_err(failed)?;
                old.push((written, path));
            }
        }
        old.sort_by(|one, other| other.cmp(one));
        old.iter().take(OLD).map(|(_, path)| read(path)).collect()
    }

    /// Puts the next key in the place of the one in use, which stays under this name. No crash leaves none. Answers where it is now.
    ///
    /// # Errors
    /// Failed precondition when the folder cannot be written to.
    pub(super) fn advance(&self, name: &str) -> Result<PathBuf, Error> {
        let (next, old) = (self.next(), self.beside(&format!(".{name}.old")));
        let failed = |error: io::Error| unusable(&next, &format!("cannot take the place of {} ({error})", self.0.display()));
        match fs::hard_link(&self.0, &old) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => {}
        }
        fs::rename(&next, &self.0).map_err(failed)?;
        sync_folder(&self.0).map_err(failed)?;
        Ok(old)
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut path = OsString::from(&self.0);
        path.push(suffix);
        path.into()
    }
}

/// The key in the file at `path`: 32 bytes, raw, in hex or in Base64.
///
/// # Errors
/// Failed precondition when the file cannot be read, is no key, or others may read it. The message says what to do.
pub(super) fn read(path: &Path) -> Result<Secret<[u8; KEY_LEN]>, Error> {
    // What is no file may keep whoever opens it waiting for ever.
    let found = fs::metadata(path).map_err(|error| unusable(path, &format!("cannot be opened ({error})")))?;
    if !found.is_file() {
        return Err(unusable(path, "is no regular file"));
    }
    let mut file = fs::File::open(path).map_err(|error| unusable(path, &format!("cannot be opened ({error})")))?;
    let metadata = file.metadata().map_err(|error| unusable(path, &format!("cannot be examined ({error})")))?;
    if !metadata.is_file() {
        return Err(unusable(path, "is no regular file"));
    }
    refuse_shared(path, &metadata)?;
    // One byte more than the longest accepted form, so that a longer file is noticed.
    let mut text = Zeroizing::new(Vec::with_capacity(128));
    (&mut file).take(67).read_to_end(&mut text).map_err(|error| unusable(path, &format!("cannot be read ({error})")))?;
    parse(&text).ok_or_else(|| unusable(path, "is not a key of 32 bytes, raw, in hex or in Base64"))
}

fn parse(text: &[u8]) -> Option<Secret<[u8; KEY_LEN]>> {
    if let Ok(raw) = <[u8; KEY_LEN]>::try_from(text) {
        return Some(Secret::new(raw));
    }
    let (text, mut bytes) = (text.trim_ascii_end(), [0; KEY_LEN]);
    match text.len() {
        HEX_LEN => hex::decode_to_slice(text, &mut bytes).ok()?,
        BASE64_LEN => bytes = <[u8; KEY_LEN]>::try_from(Zeroizing::new(BASE64.decode(text).ok()?).as_slice()).ok()?,
        _ => return None,
    }
    Some(Secret::new(bytes))
}

/// Writes a new key beside `path`, under a name of its own, and links it into place: no crash leaves half a key, and of several
/// processes that do the same one makes the key of all.
pub(super) fn create(path: &Path, entropy: &dyn Entropy) -> Result<(), Error> {
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
    sync_folder(path).map_err(failed)
}

/// Makes what was done in the folder of `path` durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => fs::File::open(folder).and_then(|folder| folder.sync_all()),
        None => Ok(()),
    }
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

pub(super) fn unusable(path: &Path, what: &str) -> Error {
    Error::new(Kind::FailedPrecondition, Rule::Unavailable, format!("the key file {} {what}", path.display()))
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
        assert_eq!(read(&path).is_ok(), (access.owner, access.group) == (0, 0));
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).expect("chmod");
        assert!(read(&path).is_err());
    }

    #[test]
    fn the_next_key_takes_the_place_of_the_one_in_use() {
        let folder = tempfile::tempdir().expect("folder");
        let files = KeyFiles::at(&folder.path().join("key"));
        create(files.current(), &TestEntropy::default()).expect("made");
        assert!(files.read_next().expect("none").is_none() && files.read_old().expect("none").is_empty());
        let first = read(files.current()).expect("read");
        write(&files.next(), &[7; 32], 0o600);
        let old = files.advance("0123").expect("advanced");
        assert_eq!((old, files.read_next().expect("none").is_none()), (folder.path().join("key.0123.old"), true));
        assert_eq!(read(files.current()).expect("read").expose(), &[7; 32]);
        assert_eq!(files.read_old().expect("one")[0].expose(), first.expose());
        // Nothing is there that could, and nothing is lost.
        assert!(files.advance("0123").is_err());
        assert_eq!(read(files.current()).expect("read").expose(), &[7; 32]);
    }

    #[test]
    fn a_key_beside_it_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let files = KeyFiles::at(&folder.path().join("key"));
        write(&files.next(), &[7; 32], 0o644);
        assert!(files.read_next().expect_err("refused").message().contains("chmod 600"));
        write(&folder.path().join("key.1.old"), &[7; 32], 0o640);
        assert!(files.read_old().expect_err("refused").message().contains("chmod 600"));
    }
}
