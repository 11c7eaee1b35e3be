//! Whether the files of the database still stand where they were opened. Who deletes or replaces them takes the database away from the
//! server, which holds on to what nobody else finds any more: what is written there is lost with the process.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use domain::{Error, Kind, Result, Rule};

use super::folder::{DATABASE, JOURNAL};

/// The files that are open, and where they stand.
#[derive(Debug)]
pub(super) struct Files {
    folder: PathBuf,
    open: Vec<(PathBuf, Id)>,
}

impl Files {
    /// The database in `folder` and its journal, as they are now.
    ///
    /// # Errors
    /// Unavailable when they are not there.
    pub(super) fn of(folder: &Path) -> Result<Self> {
        let open = [DATABASE, JOURNAL].map(|name| folder.join(name)).map(|path| id(&path).map(|id| (path, id)));
        let missing = |error| gone(folder, "is not to be found").because(error);
        let open = open.into_iter().collect::<io::Result<_>>().map_err(missing)?;
        Ok(Self { folder: folder.to_owned(), open })
    }

    /// Whether they stand where they were opened.
    ///
    /// # Errors
    /// Unavailable when one of them is gone, or another file is there.
    pub(super) fn check(&self) -> Result<()> {
        for (path, opened) in &self.open {
            let name = path.file_name().unwrap_or_default().display();
            match id(path) {
                Ok(found) if found == *opened => {}
                Ok(_) => return Err(gone(&self.folder, &format!("has another {name} now"))),
                Err(error) => return Err(gone(&self.folder, &format!("has no {name} any more")).because(error)),
            }
        }
        Ok(())
    }
}

fn gone(folder: &Path, what: &str) -> Error {
    let message = format!(
        "the data folder {} {what}: it was deleted or replaced while the server runs, which takes no more writes; put it back as it was, or \
         stop the server and restore a backup",
        folder.display()
    );
    Error::new(Kind::Unavailable, Rule::Unavailable, message)
}

/// What tells a file from all others that exist at the same time.
#[cfg(unix)]
type Id = (u64, u64);

#[cfg(unix)]
fn id(path: &Path) -> io::Result<Id> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Elsewhere an open file cannot be replaced.
#[cfg(not(unix))]
type Id = ();

#[cfg(not(unix))]
fn id(path: &Path) -> io::Result<Id> {
    fs::metadata(path).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_or_replaced_is_noticed_and_what_comes_back_is_good_again() {
        let above = tempfile::tempdir().expect("a folder");
        let (folder, aside) = (above.path().join("data"), above.path().join("aside"));
        let fill = || {
            fs::create_dir(&folder).expect("a folder");
            for name in [DATABASE, JOURNAL] {
                fs::write(folder.join(name), name).expect("written");
            }
        };
        fill();
        let files = Files::of(&folder).expect("files");
        let problem = || files.check().map_err(|error| error.message().to_owned());
        assert_eq!(problem(), Ok(()));
        fs::rename(&folder, &aside).expect("moved");
        assert!(problem().expect_err("gone").contains("has no provost.db any more"));
        fill();
        assert!(problem().expect_err("replaced").contains("has another provost.db now"));
        fs::remove_dir_all(&folder).expect("removed");
        fs::rename(&aside, &folder).expect("moved back");
        assert_eq!(problem(), Ok(()));
        fs::remove_file(folder.join(JOURNAL)).expect("removed");
        assert!(problem().expect_err("gone").contains("has no provost.db-wal any more"));
        assert!(Files::of(&folder).is_err());
    }
}
