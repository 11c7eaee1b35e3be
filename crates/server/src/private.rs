//! Files that operators name: what may be read at all, and what others must not read or write.

use std::{
    fs::{self, File},
    io::Read,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// Longest secret, in bytes.
const LONGEST: u64 = 64 << 10;

/// The text of the file without the line end that editors add. The caller's parser keeps it out of messages.
///
/// # Errors
/// When it cannot be read, is empty or too long, or others can read it.
pub fn read(path: &Path) -> Result<String, String> {
    let bytes = bounded(path, LONGEST)?;
    refuse_shared(path)?;
    let text = String::from_utf8(bytes).map_err(|_| format!("cannot read {}: it is no UTF-8", path.display()))?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.is_empty() { Err(format!("the file {} is empty", path.display())) } else { Ok(line.to_owned()) }
}

/// What is in the file, which is not even opened where that could take for ever: what is no regular file, and what is longer than
/// `most` bytes, is refused at once.
///
/// # Errors
/// When it cannot be read, is no regular file or too long.
pub fn bounded(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let too_long = || format!("the file {} is longer than {most} bytes", path.display());
    let metadata = fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(format!("{} is no regular file", path.display()));
    }
    if metadata.len() > most {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most { Err(too_long()) } else { Ok(bytes) }
}

/// Whether others than the owner can write to the file or folder.
///
/// # Errors
/// When it cannot be examined.
pub fn others_can_write(path: &Path) -> std::io::Result<bool> {
    Ok(fs::metadata(path)?.permissions().mode() & 0o022 != 0)
}

/// The nearest folder above the file or folder in which others can replace what leads to it: they can write to it, and it is not one
/// where everybody keeps their own, as `/tmp` is (the sticky bit).
#[must_use]
pub fn replaceable_above(path: &Path) -> Option<PathBuf> {
    let path = fs::canonicalize(path).ok()?;
    let is_open = |folder: &&Path| {
        fs::metadata(folder).is_ok_and(|found| {
            let mode = found.permissions().mode();
            mode & 0o022 != 0 && mode & 0o1000 == 0
        })
    };
    path.ancestors().skip(1).find(is_open).map(Path::to_owned)
}

/// Refuses a file that everybody can read. Its group may: that is how secrets reach a service without being its own.
///
/// # Errors
/// That others can read it, or that it cannot be examined.
pub fn refuse_shared(path: &Path) -> Result<(), String> {
    let metadata = fs::metadata(path).map_err(|error| format!("cannot examine {}: {error}", path.display()))?;
    // The last three permission bits are those of others.
    if metadata.permissions().mode().trailing_zeros() >= 3 {
        return Ok(());
    }
    Err(format!("{} can be read by others; run `chmod o= {}`", path.display(), path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, mode: u32) -> Result<String, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secret");
        fs::write(&path, text).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("modes");
        read(&path).map_err(|why| why.replace(&path.display().to_string(), "FILE"))
    }

    #[test]
    fn one_line_end_is_no_part_of_a_secret() {
        assert_eq!([told("a b\n", 0o600), told("a\r\n", 0o640), told("a\n\n", 0o400)].map(Result::unwrap), ["a b", "a", "a\n"]);
    }

    #[test]
    fn what_is_no_secret_is_refused() {
        assert_eq!(told("a", 0o644).unwrap_err(), "FILE can be read by others; run `chmod o= FILE`");
        assert_eq!(told("\n", 0o600).unwrap_err(), "the file FILE is empty");
        assert!(told(&"x".repeat(70_000), 0o600).unwrap_err().contains("is longer than 65536 bytes"));
        assert!(read(Path::new("/nowhere/at/all")).unwrap_err().starts_with("cannot read /nowhere/at/all: "));
    }

    #[test]
    fn files_that_have_no_end_are_not_opened() {
        assert_eq!(bounded(Path::new("/dev/zero"), 4).unwrap_err(), "/dev/zero is no regular file");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, "12345").expect("written");
        assert_eq!(bounded(&path, 5).expect("read"), b"12345");
        assert!(bounded(&path, 4).unwrap_err().ends_with("file is longer than 4 bytes"));
        assert!(bounded(folder.path(), 4).unwrap_err().ends_with("is no regular file"));
    }

    #[test]
    fn folders_above_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let (above, data) = (folder.path().join("above"), folder.path().join("above/data"));
        fs::create_dir_all(&data).expect("folders");
        let with = |mode| {
            fs::set_permissions(&above, fs::Permissions::from_mode(mode)).expect("modes");
            replaceable_above(&data)
        };
        let told = Some(fs::canonicalize(&above).expect("a folder"));
        assert_eq!([0o755, 0o1777, 0o777, 0o775].map(with), [None, None, told.clone(), told]);
    }

    #[test]
    fn it_is_told_who_can_write() {
        let folder = tempfile::tempdir().expect("a folder");
        let with = |mode| {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).expect("modes");
            others_can_write(folder.path()).expect("examined")
        };
        assert_eq!([0o700, 0o755, 0o770, 0o702].map(with), [false, false, true, true]);
    }
}
