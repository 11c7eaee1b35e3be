//! A transaction that works on everything there is and takes as long as it needs.

use std::{ops::ControlFlow, sync::Arc};

use domain::{Ctx, Error, Result, Revision};
use tokio::sync::Mutex;

use super::{
    connection::Connection,
    connector::Connector,
    fault::Failure,
    session::{PATIENCE_ALONE, Session},
};
use crate::{
    BoxFuture, engine,
    writer::{Mode, Writer},
};

const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; \
    SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '60s'";

/// Runs `work` between taking the write lock and giving it back. A lost connection is not tried again.
pub(super) async fn run<T, F>(connector: &Connector, ctx: Ctx, work: F) -> Result<T>
where
    F: for<'a> FnOnce(&'a mut Writer) -> BoxFuture<'a, Result<T>>,
{
    let mut session = connector.connect().await.map_err(Failure::translate)?;
    session.patience = PATIENCE_ALONE;
    session.batch(BEGIN).await?;
    session.revision = lock(&mut session).await?;
    let shared = Arc::new(Mutex::new(session));
    let connection = Connection::writing(Arc::clone(&shared).lock_owned().await);
    let mut writer = Writer::new(engine::Connection::Postgres(connection), ctx, Mode::Bookkeeping);
    let outcome = writer.run(work).await;
    drop(writer);
    let mut session = shared.lock_owned().await;
    // The connection ends here, and with it what is not committed.
    let value = outcome?;
    let last = session.revision;
    session.execute("UPDATE revision SET n = $1", &[last.into()]).await?;
    session.batch("COMMIT").await?;
    Ok(value)
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
