//! A transaction that works on everything there is, while nobody else has the database open, and takes as long as it needs.

use std::{ops::ControlFlow, sync::Arc};

use domain::{Error, Result, Revision};
use tokio::sync::Mutex;

use super::{
    batches, claim,
    connection::Connection,
    connector::Connector,
    fault::Failure,
    migrate, pooler,
    session::{self, ANSWER, PATIENCE_ALONE, Session},
};
use crate::{place::Postgres, steps::Step, sums::Sums};

const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '60s'";

/// Runs `work` on a connection that has the database for itself. When that is lost everything is undone, and nothing is
/// tried again.
///
/// # Errors
/// Failed precondition when others have the database open; otherwise as [`super::Postgres::open`] and `work`.
pub(crate) async fn run<T, F, R>(database: &Postgres, steps: &[Step], sums: &dyn Sums, work: F) -> Result<T>
where
    F: FnOnce(Connection) -> R,
    R: Future<Output = Result<T>>,
{
    let connector = Connector::new(database)?;
    let mut session = connector.connect().await.map_err(|failure| failure.at(database))?;
    pooler::refuse(&connector, database, &mut session).await?;
    migrate::migrate(&mut session, steps).await?;
    claim::alone(&mut session).await?;
    session.patience = PATIENCE_ALONE;
    session.batch(BEGIN).await?;
    session.batch(session::UNHURRIED).await?;
    session.revision = lock(&mut session).await?;
    let shared = Arc::new(Mutex::new(session));
    sums.clear();
    let outcome = work(Connection::writing(Arc::clone(&shared).lock_owned().await)).await;
    let mut session = shared.lock_owned().await;
    let kept = match outcome {
        Ok(value) => commit(&mut session, sums).await.map(|()| value),
        Err(error) => Err(error),
    };
    // Who starts a server now should not have to wait for the end of the connection. It takes with it whatever is left.
    session.patience = ANSWER;
    if session.is_fit() && session.batch("ROLLBACK").await.is_ok() {
        claim::let_go(&mut session).await?;
    }
    kept
}

async fn commit(session: &mut Session, sums: &dyn Sums) -> Result<()> {
    sums.keep();
    batches::send(session, sums.take()).await?;
    let last = session.revision;
    session.execute("UPDATE revision SET n = $1", &[last.into()]).await?;
    Ok(session.batch("COMMIT").await?)
}

async fn lock(session: &mut Session) -> Result<Revision> {
    let mut last = None;
    session
        .query("SELECT n FROM revision FOR UPDATE", &[], |row| {
            last = Some(Revision(row.try_get(0).map_err(Failure::from)?));
            Ok::<_, Failure>(ControlFlow::Break(()))
        })
        .await?;
    last.ok_or_else(|| Error::internal("the store has lost its revision"))
}
