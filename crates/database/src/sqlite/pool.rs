//! Read-only connections, each used by one snapshot at a time.

use std::{
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use domain::{Error, Result};
use rusqlite::OpenFlags;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::{
    connection::Connection,
    fault,
    idle::{Idle, Taken},
    lease::Lease,
    shared::{Shared, lock},
};
use crate::fault::{closed, overloaded};

/// How long a reader waits for a connection before the server calls itself overloaded.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Read-only connections, opened when first needed.
#[derive(Debug)]
pub(super) struct Pool {
    file: PathBuf,
    idle: Arc<Idle>,
    permits: Arc<Semaphore>,
}

impl Pool {
    /// A pool of at most `size` connections, which leaves those that nobody uses in `idle`.
    pub(super) fn new(file: PathBuf, size: usize, idle: Arc<Idle>) -> Arc<Self> {
        Arc::new(Self { file, idle, permits: Arc::new(Semaphore::new(size)) })
    }

    /// A connection at the state of the last commit.
    pub(super) async fn snapshot(&self) -> Result<Connection> {
        let permit = match Arc::clone(&self.permits).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.wait().await?,
        };
        let Taken { raw, is_current, writes } = self.idle.take();
        let raw = raw.map_or_else(|| self.open(), Ok)?;
        if !is_current {
            lock(&raw).prepare_cached("BEGIN DEFERRED").and_then(|mut begin| begin.execute([])).map_err(fault::translate)?;
        }
        let lease = Lease { raw: Arc::clone(&raw), writes, idle: Arc::clone(&self.idle), _permit: permit };
        Ok(Connection::reading(raw, lease))
    }

    /// Ends the snapshots that are kept for the next reads.
    pub(super) fn renew(&self) {
        self.idle.renew();
    }

    /// Waits for others to give back a connection.
    async fn wait(&self) -> Result<OwnedSemaphorePermit> {
        timeout(MAX_WAIT, Arc::clone(&self.permits).acquire_owned())
            .await
            .map_err(|_| overloaded("too many reads are under way; retry in a moment"))?
            .map_err(|_| closed())
    }

    fn open(&self) -> Result<Shared> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let raw = rusqlite::Connection::open_with_flags(&self.file, flags).map_err(fault::translate)?;
        super::configure(&raw).map_err(fault::translate)?;
        Ok(Arc::new(Mutex::new(raw)))
    }

    /// The size of the database and of its write-ahead log, in bytes.
    pub(super) fn size(&self) -> Result<u64> {
        let database = fs::metadata(&self.file).map_err(Error::internal)?.len();
        let mut journal = self.file.clone().into_os_string();
        journal.push("-wal");
        // Without a journal there is nothing to add.
        Ok(database + fs::metadata(journal).map_or(0, |journal| journal.len()))
    }

    /// Refuses new snapshots and closes idle connections.
    pub(super) fn close(&self) {
        self.permits.close();
        self.idle.close();
    }
}
