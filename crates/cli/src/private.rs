//! Files that others must not read.

use std::{fs, io::Read, os::unix::fs::PermissionsExt, path::Path};

/// Longest secret, in bytes.
const LONGEST: u64 = 64 << 10;

/// The text of the file without the line end that editors add. The caller's parser keeps it out of messages.
///
/// # Errors
/// When it cannot be read, is empty or too long, or others can read it.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let file = fs::File::open(path).map_err(failed)?;
    refuse_shared(path)?;
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > LONGEST {
        return Err(format!("the file {} is longer than {LONGEST} bytes", path.display()));
    }
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.is_empty() { Err(format!("the file {} is empty", path.display())) } else { Ok(line.to_owned()) }
}

/// Refuses a file that everybody can read. Its group may: that is how secrets reach a service without being its own.
pub(crate) fn refuse_shared(path: &Path) -> Result<(), String> {
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
}
