//! The data folder: `provost.db` with its journal, and `lock`, which one process holds at a time, or several that only look.

use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    io::{ErrorKind, Read, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use domain::{Error, Kind, Result, Rule};

/// The name of the database in the data folder.
pub(super) const DATABASE: &str = "provost.db";
/// The name of its journal.
pub(super) const JOURNAL: &str = "provost.db-wal";
/// The name of the file that is locked.
const LOCK: &str = "lock";

/// How long who was just stopped may take to let go. A program that it was starting at that moment holds the lock as well,
/// until it has begun.
const LETTING_GO: Duration = Duration::from_secs(1);
/// How often it is looked whether they have.
const LOOK: Duration = Duration::from_millis(10);

/// A data folder that this process holds.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes the folder if need be, readable for its owner alone, and takes its lock.
    ///
    /// # Errors
    /// Unavailable when another process holds it, or when it cannot be made or written.
    pub(super) fn take(path: &Path) -> Result<Self> {
        create(path).map_err(|error| refuse(format!("cannot make the data folder {}: {error}", path.display())))?;
        let file = path.join(LOCK);
        let mut lock = private()
            .open(&file)
            .map_err(|error| refuse(format!("cannot write {}: {error}; check its owner and mode", file.display())))?;
        hold(path, &mut lock, File::try_lock)?;
        // Who holds it is only told for people; the lock itself is what counts.
        let note = lock.set_len(0).and_then(|()| writeln!(lock, "{}", std::process::id()));
        if let Err(error) = note {
            tracing::warn!(%error, "cannot note the process in the lock file");
        }
        let folder = Self { path: path.to_owned(), _lock: lock };
        // The engine gives the journal the mode of the database, and would make that by the process's mask.
        let database = folder.database();
        private()
            .open(&database)
            .map_err(|error| refuse(format!("cannot write {}: {error}; check its owner and mode", database.display())))?;
        Ok(folder)
    }

    /// Keeps others from taking the folder, and changes nothing in it. `None` where nobody has ever taken it.
    ///
    /// # Errors
    /// Unavailable when another process has taken it, or its lock cannot be read.
    pub(super) fn watch(path: &Path) -> Result<Option<Self>> {
        let file = path.join(LOCK);
        let mut lock = match File::open(&file) {
            Ok(lock) => lock,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(&file, &error)),
        };
        hold(path, &mut lock, File::try_lock_shared)?;
        Ok(Some(Self { path: path.to_owned(), _lock: lock }))
    }

    pub(super) fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }
}

/// Takes the lock of the folder, as `kind` takes it.
fn hold(path: &Path, lock: &mut File, kind: fn(&File) -> std::result::Result<(), TryLockError>) -> Result<()> {
    let begun = Instant::now();
    loop {
        match kind(lock) {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if begun.elapsed() < LETTING_GO => std::thread::sleep(LOOK),
            Err(TryLockError::WouldBlock) => return Err(refuse(taken(path, lock))),
            Err(TryLockError::Error(error)) => {
                return Err(refuse(format!("cannot lock {}: {error}", path.join(LOCK).display())));
            }
        }
    }
}

/// The error for a file of the folder that cannot be read.
pub(super) fn unreadable(file: &Path, error: &std::io::Error) -> Error {
    refuse(format!("cannot read {}: {error}; check its owner and mode", file.display()))
}

/// Opens or makes a file that only its owner can read, whatever the mode of the folder is.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn create(path: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn taken(path: &Path, lock: &mut File) -> String {
    let mut pid = String::new();
    let known = lock.take(20).read_to_string(&mut pid).is_ok() && !pid.trim().is_empty();
    let who = if known { format!("another provost (process {})", pid.trim()) } else { "another provost".to_owned() };
    format!(
        "{who} uses the data folder {}: stop it first, or use `provost admin` commands, which talk to the running server",
        path.display()
    )
}

fn refuse(message: String) -> Error {
    Error::new(Kind::Unavailable, Rule::Unavailable, message)
}
