//! An open database, whichever engine it is.

use std::{path::Path, sync::Arc, time::Duration};

use domain::{Result, Revision};
use futures::future::Either;

use crate::{
    connection::Connection,
    metrics::Metrics,
    place::Database,
    postgres,
    queue::Job,
    sqlite::{self, LeftOut},
    steps::Step,
    sums::Sums,
};

/// What is to be opened.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The database.
    pub database: &'a Database,
    /// The data folder, which only SQLite uses. It is made, for its owner alone, when it does not exist.
    pub data: &'a Path,
    /// The steps that lead to the schema of this program.
    pub steps: &'static [Step],
}

/// Gives snapshots of an engine. Whoever has it keeps neither the writer nor its claim on the data.
#[derive(Clone, Debug)]
pub struct Snapshots(Of<sqlite::Snapshots, postgres::Pool>);

/// An open engine. The last one that goes finishes what is queued.
#[derive(Debug)]
pub struct Engine {
    of: Of<sqlite::Sqlite, postgres::Postgres>,
    metrics: Metrics,
}

/// A database that is read without being opened: nothing is made, migrated or written.
#[derive(Debug)]
pub struct Look(Of<sqlite::Look, postgres::Look>);

/// What it is of one engine or the other.
#[derive(Clone, Debug)]
enum Of<S, P> {
    Sqlite(S),
    Postgres(P),
}

impl Source<'_> {
    /// The number of schema steps that the database has; 0 when there is none, or it is empty. A server may be using it.
    ///
    /// # Errors
    /// Unavailable when it cannot be read or reached; failed precondition through a pooler that shares connections.
    pub async fn version(&self) -> Result<usize> {
        match self.database {
            Database::Sqlite => sqlite::schema(self.data),
            Database::Postgres(database) => postgres::schema(database).await,
        }
    }
}

impl Snapshots {
    /// A connection that sees one unchanging state of everything until it is dropped: that of the last commit.
    ///
    /// # Errors
    /// Resource exhausted when too many are in use; unavailable after [`Engine::close`], or when the database does not answer.
    pub async fn take(&self) -> Result<Connection> {
        match &self.0 {
            Of::Sqlite(snapshots) => Ok(snapshots.take().await?.into()),
            // Boxed, as what follows: the state of a handshake would make every request that reads that large.
            Of::Postgres(pool) => Ok(Box::pin(pool.snapshot()).await?.into()),
        }
    }

    /// The same, of which nothing is older than the call: it shows what was changed past this program as well.
    ///
    /// # Errors
    /// As [`Snapshots::take`].
    pub async fn take_anew(&self) -> Result<Connection> {
        match &self.0 {
            Of::Sqlite(snapshots) => Ok(snapshots.take_anew().await?.into()),
            Of::Postgres(_) => self.take().await,
        }
    }

    /// The last commit that anybody was told of, where that is known without asking.
    #[must_use]
    pub fn published(&self) -> Option<Revision> {
        match &self.0 {
            Of::Sqlite(snapshots) => Some(snapshots.published()),
            // Other nodes write as well.
            Of::Postgres(_) => None,
        }
    }
}

impl Engine {
    /// Opens the database, making and migrating it as needed. What its requests add up is behind `sums`. Must be called inside a
    /// tokio runtime.
    ///
    /// # Errors
    /// Unavailable when another process uses the data folder, or the database cannot be used or is being restored; failed
    /// precondition when a newer program wrote it, or it is one that this program cannot use.
    pub async fn open(source: &Source<'_>, sums: Arc<dyn Sums>, metrics: &Metrics) -> Result<Self> {
        let of = match source.database {
            Database::Sqlite => Of::Sqlite(sqlite::Sqlite::open(source.data, source.steps, sums, metrics)?),
            Database::Postgres(database) => Of::Postgres(postgres::Postgres::open(database, source.steps, sums, metrics).await?),
        };
        Ok(Self { of, metrics: metrics.clone() })
    }

    /// What gives snapshots of it.
    #[must_use]
    pub fn snapshots(&self) -> Snapshots {
        Snapshots(match &self.of {
            Of::Sqlite(engine) => Of::Sqlite(engine.snapshots()),
            Of::Postgres(engine) => Of::Postgres(engine.snapshots()),
        })
    }

    /// Runs `work` in a transaction and keeps what it did, unless it fails or panics, or the job is only a trial. The answer comes
    /// when that is durable. Writes are serial, over all nodes of a database, and many share a commit.
    ///
    /// `work` must await nothing but its connection, and change nothing else: it may run more than once, each time after what it
    /// did before was rolled back.
    ///
    /// # Errors
    /// What `work` answers; resource exhausted and unavailable when the database cannot take the write; internal when `work`
    /// panics or waits for something else.
    pub fn write<T, F, R>(&self, job: Job, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(Connection) -> R + Clone + Send + 'static,
        R: Future<Output = Result<T>> + Send + 'static,
    {
        let only_tries = job.only_tries;
        let write = match &self.of {
            Of::Sqlite(engine) => Either::Left(engine.write(job, |connection| work(Connection::from(connection)))),
            Of::Postgres(engine) => Either::Right(engine.write(job, |connection| work(Connection::from(connection)))),
        };
        self.metrics.writing(only_tries, write)
    }

    /// How long writes have been waiting, where that is longer than they should. Asks nobody and waits for nothing.
    ///
    /// # Errors
    /// Unavailable when the writer has ended.
    pub fn stalled(&self) -> Result<Option<Duration>> {
        match &self.of {
            Of::Sqlite(engine) => engine.stalled(),
            Of::Postgres(engine) => engine.stalled(),
        }
    }

    /// Its name: `sqlite` or `postgresql`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match &self.of {
            Of::Sqlite(_) => sqlite::NAME,
            Of::Postgres(_) => postgres::NAME,
        }
    }

    /// Brings up to date what is not counted as it goes: how long writes have been waiting, and the size of the database with
    /// its journal.
    ///
    /// # Errors
    /// Whatever keeps the engine from telling it.
    pub async fn measure(&self) -> Result<()> {
        self.metrics.set_writes_stalled(self.stalled().ok().flatten());
        self.metrics.set_database(match &self.of {
            Of::Sqlite(engine) => engine.size()?,
            Of::Postgres(engine) => engine.size().await?,
        });
        Ok(())
    }

    /// Finishes what is queued and lets go of the data. Later calls fail.
    pub async fn close(&self) {
        match &self.of {
            Of::Sqlite(engine) => engine.close().await,
            Of::Postgres(engine) => engine.close().await,
        }
    }
}

/// Opens the database for `work` alone: one transaction that may take as long as it needs, while nobody else has the database
/// open. Tables are made and migrated as needed.
///
/// # Errors
/// Failed precondition or unavailable when somebody has it open; whatever opening it and `work` answer.
pub async fn alone<T, F, R>(source: &Source<'_>, sums: Arc<dyn Sums>, job: Job, work: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce(Connection) -> R + Clone + Send + 'static,
    R: Future<Output = Result<T>> + Send + 'static,
{
    match source.database {
        Database::Sqlite => {
            // Its folder is locked as long as it is open.
            let engine = sqlite::Sqlite::open(source.data, source.steps, sums, &Metrics::default())?;
            let outcome = engine.write(job, |connection| work(Connection::from(connection))).await;
            engine.close().await;
            outcome
        }
        Database::Postgres(database) => {
            postgres::alone(database, source.steps, &*sums, |connection| work(Connection::from(connection))).await
        }
    }
}

impl Look {
    /// Looks at the database; `None` where there is none yet.
    ///
    /// # Errors
    /// Unavailable when it cannot be read, or somebody has it for himself: on SQLite a server, else a restore.
    pub async fn at(source: &Source<'_>) -> Result<Option<Self>> {
        Ok(match source.database {
            Database::Sqlite => sqlite::Look::at(source.data)?.map(|look| Self(Of::Sqlite(look))),
            Database::Postgres(database) => postgres::Look::at(database).await?.map(|look| Self(Of::Postgres(look))),
        })
    }

    /// The number of schema steps that it has.
    #[must_use]
    pub fn schema(&self) -> usize {
        match &self.0 {
            Of::Sqlite(look) => look.schema,
            Of::Postgres(look) => look.schema,
        }
    }

    /// What the next start would leave out of the engine's own journal, where that is a file of ours.
    #[must_use]
    pub fn left_out(&self) -> Option<LeftOut> {
        match &self.0 {
            Of::Sqlite(look) => look.left_out,
            Of::Postgres(_) => None,
        }
    }

    /// A connection that sees one unchanging state of everything.
    ///
    /// # Errors
    /// Unavailable when the database does not answer.
    pub async fn snapshot(&self) -> Result<Connection> {
        Ok(match &self.0 {
            Of::Sqlite(look) => look.snapshot().into(),
            Of::Postgres(look) => look.snapshot().await?.into(),
        })
    }

    /// Lets go of the data.
    pub async fn close(self) {
        match self.0 {
            Of::Sqlite(_) => {}
            Of::Postgres(look) => look.close().await,
        }
    }
}
