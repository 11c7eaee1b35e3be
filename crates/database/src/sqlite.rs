//! SQLite: write-ahead log, one writer thread with group commit, readers inline on their own connections.

mod batches;
mod check;
mod connection;
mod fault;
mod files;
mod folder;
mod group_commit;
mod idle;
mod journal;
mod lease;
mod ledger;
mod look;
mod migrate;
mod pool;
mod shared;

use std::{path::Path, sync::Arc, time::Duration};

use domain::{Result, Revision};
use rusqlite::{OpenFlags, config::DbConfig};

pub(crate) use check::probes;
pub(crate) use connection::Connection;
use files::Files;
use group_commit::{GroupCommit, Session};
use idle::Idle;
pub use journal::LeftOut;
use ledger::Ledger;
pub(crate) use look::Look;
use pool::Pool;

use crate::{index::Index, metrics::Metrics, queue::Job, steps::Step, sums::Sums};

/// Its name, where people and programs are told of it.
pub(crate) const NAME: &str = "sqlite";
/// How long a statement waits for a lock that another process holds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Prepared statements kept per connection.
const STATEMENTS: usize = 256;

/// The number of schema steps that the database in `data` has; 0 when there is none. A server may be using it.
///
/// # Errors
/// Unavailable when it cannot be read.
pub(crate) fn schema(data: &Path) -> Result<usize> {
    let file = data.join(folder::DATABASE);
    // What is being made, or was never used, is empty.
    if std::fs::metadata(&file).map_or(true, |file| file.len() == 0) {
        return Ok(0);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let raw = rusqlite::Connection::open_with_flags(&file, flags).map_err(fault::translate)?;
    configure(&raw).map_err(fault::translate)?;
    migrate::version(&raw)
}

/// Gives snapshots of an open database.
#[derive(Clone, Debug)]
pub(crate) struct Snapshots {
    pool: Arc<Pool>,
    ledger: Arc<Ledger>,
}

impl Snapshots {
    pub(crate) async fn take(&self) -> Result<Connection> {
        self.pool.snapshot().await
    }

    /// One that shows what others have changed as well, whom nobody here was told of.
    pub(crate) async fn take_anew(&self) -> Result<Connection> {
        self.pool.renew();
        self.pool.snapshot().await
    }

    /// The last commit that anybody was told of.
    pub(crate) fn published(&self) -> Revision {
        self.ledger.published()
    }
}

/// An open database.
#[derive(Debug)]
pub(crate) struct Sqlite {
    pool: Arc<Pool>,
    writer: GroupCommit,
    files: Arc<Files>,
}

impl Sqlite {
    /// Opens the database in `data`, making and migrating it as needed.
    ///
    /// # Errors
    /// Unavailable when another process holds the folder or it cannot be used; failed precondition when it is newer than
    /// this program.
    pub(crate) fn open(data: &Path, steps: &[Step], sums: Arc<dyn Sums>, metrics: &Metrics) -> Result<Self> {
        let folder = folder::Folder::take(data)?;
        let file = folder.database();
        tell_what_is_left_out(&data.join(folder::JOURNAL));
        let mut raw = rusqlite::Connection::open(&file).map_err(fault::translate)?;
        configure(&raw).map_err(fault::translate)?;
        raw.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")
            .map_err(fault::translate)?;
        migrate::migrate(&mut raw, steps)?;
        let readers = std::thread::available_parallelism().map_or(4, std::num::NonZero::get) * 2;
        metrics.set_read_connections(readers);
        let last = Revision(raw.query_row("SELECT n FROM revision", [], |row| row.get(0)).map_err(fault::translate)?);
        let (idle, files) = (Arc::<Idle>::default(), Arc::new(Files::of(data)?));
        let writer = Session::new(raw, last, sums, Arc::clone(&idle), Arc::clone(&files), metrics.clone());
        let writer = GroupCommit::start(writer, folder)?;
        Ok(Self { pool: Pool::new(file, readers, idle), writer, files })
    }

    /// What gives snapshots of it.
    pub(crate) fn snapshots(&self) -> Snapshots {
        Snapshots { pool: Arc::clone(&self.pool), ledger: self.writer.ledger() }
    }

    pub(crate) fn write<T, F, R>(&self, job: Job, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(Connection) -> R + Clone + Send + 'static,
        R: Future<Output = Result<T>> + Send + 'static,
    {
        self.writer.write(job, work)
    }

    pub(crate) fn stalled(&self) -> Result<Option<Duration>> {
        self.files.check()?;
        self.writer.stalled()
    }

    pub(crate) fn size(&self) -> Result<u64> {
        self.pool.size()
    }

    pub(crate) async fn close(&self) {
        self.pool.close();
        self.writer.close().await;
    }
}

/// Says what is about to be lost, as the journal is written anew with the next commit.
fn tell_what_is_left_out(journal: &Path) {
    match journal::left_out(journal) {
        Ok(None) => {}
        // A crash of the machine leaves one that is not whole, of which nobody was told.
        Ok(Some(LeftOut { frame, commits: 1 })) => {
            tracing::warn!(frame, "the last commit in the journal is not whole and is left out");
        }
        Ok(Some(LeftOut { frame, commits })) => {
            tracing::error!(frame, commits, "the journal is damaged: the commits behind that frame are lost; restore a backup");
        }
        Err(error) => tracing::warn!(%error, "cannot read the journal"),
    }
}

/// The words after a table's name that make a query walk the index.
pub(crate) fn by(index: Index<'_>) -> String {
    match index {
        Index::Primary(table) => format!(" INDEXED BY sqlite_autoindex_{table}_1"),
        Index::Named(table, columns) => format!(" INDEXED BY {table}_{columns}"),
    }
}

fn configure(raw: &rusqlite::Connection) -> rusqlite::Result<()> {
    raw.busy_timeout(BUSY_TIMEOUT)?;
    raw.set_prepared_statement_cache_capacity(STATEMENTS);
    // A plan follows from the statement alone. Else every range is planned anew for the values that it is given.
    raw.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    raw.execute_batch("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192;")
}
