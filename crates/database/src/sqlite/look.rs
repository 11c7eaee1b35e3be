//! A database that is read without a trace: nothing is written to it, nor beside it.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use domain::{Error, Kind, Result, Rule};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::{OpenFlags, config::DbConfig};

use super::{
    Connection, configure, fault,
    folder::{self, Folder},
    journal::{self, LeftOut},
    migrate,
    shared::Shared,
};

/// What a path keeps in an address of SQLite.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.');

/// A database that no server has open, as long as this exists.
#[derive(Debug)]
pub(crate) struct Look {
    /// In a snapshot.
    raw: Shared,
    /// The number of schema steps that it has.
    pub(crate) schema: usize,
    /// What the next start would leave out of its journal.
    pub(crate) left_out: Option<LeftOut>,
    _folder: Option<Folder>,
}

impl Look {
    /// Looks at the database in `data`; `None` when there is none.
    ///
    /// # Errors
    /// Unavailable when a server has it, or it cannot be read; failed precondition when damage has left nothing of it.
    pub(crate) fn at(data: &Path) -> Result<Option<Self>> {
        let file = data.join(folder::DATABASE);
        // What is being made, or was never used, is empty.
        if std::fs::metadata(&file).map_or(true, |file| file.len() == 0) {
            return Ok(None);
        }
        let folder = Folder::watch(data)?;
        let journal = data.join(folder::JOURNAL);
        let left_out = journal::left_out(&journal).map_err(|error| folder::unreadable(&journal, &error))?;
        let raw = open(&file, std::fs::metadata(&journal).is_ok_and(|journal| journal.len() > 0)).map_err(fault::translate)?;
        let schema = migrate::version(&raw)?;
        match left_out {
            Some(left_out) if schema == 0 => Err(nothing_left(&journal, left_out)),
            None if schema == 0 => Ok(None),
            _ => Ok(Some(Self { raw: Arc::new(Mutex::new(raw)), schema, left_out, _folder: folder })),
        }
    }

    pub(crate) fn snapshot(&self) -> Connection {
        Connection::looking(Arc::clone(&self.raw))
    }
}

fn nothing_left(journal: &Path, LeftOut { frame, commits }: LeftOut) -> Error {
    let message = format!(
        "the journal {} is damaged at its frame {frame}, and the database is empty without the {commits} commits behind it: keep a \
         copy of both, then restore a backup",
        journal.display()
    );
    Error::new(Kind::FailedPrecondition, Rule::Unavailable, message)
}

/// Opens it so that SQLite keeps the index of the journal in memory and leaves both files as they are.
fn open(file: &Path, has_journal: bool) -> rusqlite::Result<rusqlite::Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    // Nobody else writes while we hold the folder, so SQLite need not lock, for which it would make a file. Without a journal
    // nothing will change at all, or it would make an empty one.
    let how = if has_journal { "vfs=unix-none" } else { "immutable=1" };
    let address = format!("file:{}?{how}", percent_encode(file.as_os_str().as_encoded_bytes(), KEPT));
    let raw = rusqlite::Connection::open_with_flags(address, flags)?;
    raw.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // Before anything is read, or SQLite would want to share the index.
    raw.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
    configure(&raw)?;
    raw.execute_batch("BEGIN")?;
    Ok(raw)
}
