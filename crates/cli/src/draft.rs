//! Files that appear whole or not at all.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use crate::interrupt;

/// A file for its owner alone that is written under another name beside its own. Dropping it removes it again, and so does
/// Ctrl-C.
#[derive(Debug)]
pub(crate) struct Draft {
    path: PathBuf,
    written_as: PathBuf,
    file: Option<BufWriter<File>>,
    bytes: u64,
}

impl Draft {
    /// Begins the file that is to be at `path`. What a crash left there under the draft's name is replaced.
    ///
    /// # Errors
    /// When the folder cannot be written, or `path` names none.
    pub(crate) fn begin(path: &Path) -> io::Result<Self> {
        let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it names no file"))?;
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.part", std::process::id()));
        let written_as = path.with_file_name(hidden);
        match fs::remove_file(&written_as) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        interrupt::discard(&written_as);
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&written_as);
        let file = opened.inspect_err(|_| interrupt::keep(&written_as))?;
        Ok(Self { path: path.to_owned(), written_as, file: Some(BufWriter::new(file)), bytes: 0 })
    }

    /// Appends.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes += bytes.len() as u64;
        self.file.as_mut().map_or(Ok(()), |file| file.write_all(bytes))
    }

    /// Gives the file its name once all of it is on the disk. Answers its length in bytes.
    ///
    /// # Errors
    /// When the disk is full or fails; then there is no file.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        let Some(mut file) = self.file.take() else { return Ok(0) };
        let kept = file.flush().and_then(|()| file.get_ref().sync_all()).and_then(|()| fs::rename(&self.written_as, &self.path));
        interrupt::keep(&self.written_as);
        if let Err(error) = kept {
            let _ = fs::remove_file(&self.written_as);
            return Err(error);
        }
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
        File::open(folder)?.sync_all()?;
        Ok(self.bytes)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = fs::remove_file(&self.written_as);
            interrupt::keep(&self.written_as);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name().display().to_string()).collect()
    }

    #[test]
    fn a_file_is_there_when_it_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let mut draft = Draft::begin(&path).expect("begun");
        draft.write(b"half").expect("written");
        assert!(!path.exists());
        drop(draft);
        assert_eq!(names(folder.path()), Vec::<String>::new());
        fs::write(&path, "before").expect("written");
        let mut draft = Draft::begin(&path).expect("begun");
        draft.write(b"whole").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("read"), "before");
        assert_eq!(draft.finish().expect("finished"), 5);
        assert_eq!((fs::read_to_string(&path).expect("read").as_str(), names(folder.path()).len()), ("whole", 1));
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in [folder.path().to_owned(), folder.path().join("nowhere/file"), PathBuf::from("/")] {
            assert!(Draft::begin(&path).is_err(), "{}", path.display());
        }
    }
}
