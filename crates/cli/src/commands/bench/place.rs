//! The folder for everything that a run makes.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
};

use crate::interrupt;

/// A folder that goes when it is dropped, and also when the program is ended.
#[derive(Debug)]
pub(super) struct Place(PathBuf);

impl Place {
    /// Makes a folder of this process below `folder`.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn below(folder: &Path) -> io::Result<Self> {
        let path = folder.join(format!("provost-bench-{}", process::id()));
        {
            let _nothing_left = interrupt::whole();
            fs::create_dir(&path)?;
            interrupt::discard(&path);
        }
        // Servers are told the same path, wherever they run.
        Ok(Self(fs::canonicalize(&path).unwrap_or(path)))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _nothing_twice = interrupt::whole();
        // What cannot be removed stays where the command line said.
        let _ = fs::remove_dir_all(&self.0);
        interrupt::keep(&self.0);
    }
}
