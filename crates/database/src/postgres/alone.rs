//! A transaction that works on everything there is, while nobody else has the database open, and takes as long as it needs.

use std::{ops::ControlFlow, sync::Arc};

use domain::{Error, Result, Revision};
use tokio::sync::Mutex;

use super::{
    batches, claim,
    connection::Connection,
    connector::Connector,
    fault::Failure,
    group_commit::COUNT,
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
    let (last, head) = lock(&mut session).await?;
    session.revision = last;
    let shared = Arc::new(Mutex::new(session));
    sums.begin(head.as_deref());
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
    let head = sums.head();
    batches::send(session, sums.take()).await?;
    let last = session.revision;
    session.execute(COUNT, &[last.into(), head.as_deref().into()]).await?;
    Ok(session.batch("COMMIT").await?)
}

/// The number of the last commit, and what is kept beside it.
async fn lock(session: &mut Session) -> Result<(Revision, Option<Vec<u8>>)> {
    let mut last = None;
    session
        .query("SELECT n, head FROM revision FOR UPDATE", &[], |row| {
            last = Some((Revision(row.try_get(0).map_err(Failure::from)?), row.try_get(1).map_err(Failure::from)?));
            Ok::<_, Failure>(ControlFlow::Break(()))
        })
        .await?;
    last.ok_or_else(|| Error::internal("the store has lost its revision"))
}
