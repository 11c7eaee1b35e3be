//! Who has the database open. Every store holds a lock of the session that writes (PostgreSQL's advisory locks), and shares it
//! with all others; a restore holds it alone. It goes with its connection, whatever becomes of the process.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use domain::{Error, Kind, Result, Rule};
use tokio_postgres::error::SqlState;

use super::{
    fault::{Failure, unavailable},
    session::Session,
};

/// How long servers that were just stopped may take to let go.
const LETTING_GO: Duration = Duration::from_secs(2);
/// How often it is looked whether they have.
const LOOK: Duration = Duration::from_millis(50);

/// The name of the lock: "prov" in ASCII, and the table of which there is one for each schema.
const SHARE: &str = "SELECT pg_advisory_lock_shared(1886547830, 'revision'::regclass::oid::int4)";
const TRY_ALONE: &str = "SELECT pg_try_advisory_lock(1886547830, 'revision'::regclass::oid::int4)";
const LET_GO: &str = "SELECT pg_advisory_unlock_all()";
/// Who holds it. The address of another user's connection is not shown to everybody.
const HOLDERS: &str = "SELECT CASE WHEN a.client_port = -1 THEN 'its own machine' ELSE coalesce(host(a.client_addr), 'an address that is not shown') END, \
    l.pid::bigint \
    FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid \
    WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 1886547830 AND l.objsubid = 2 \
    AND l.objid = 'revision'::regclass::oid AND l.pid <> pg_backend_pid() \
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY 2";

/// Takes the lock as one of many, for as long as the connection lasts.
///
/// # Errors
/// Unavailable while a restore holds it.
pub(super) async fn share(session: &mut Session) -> Result<()> {
    session.batch(SHARE).await.map_err(|failure| match &failure {
        Failure::Told(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
            unavailable("the database is being restored from a backup; wait until that is done").because(failure.translate())
        }
        _ => failure.translate(),
    })
}

/// Takes the lock alone, for as long as the connection lasts or until [`let_go`].
///
/// # Errors
/// Failed precondition when others have the database open, with where they are.
pub(super) async fn alone(session: &mut Session) -> Result<()> {
    let begun = Instant::now();
    loop {
        let mut taken = false;
        session
            .query(TRY_ALONE, &[], |row| {
                taken = row.try_get(0).map_err(Failure::from)?;
                Ok::<_, Failure>(ControlFlow::Break(()))
            })
            .await?;
        if taken {
            return Ok(());
        }
        if begun.elapsed() > LETTING_GO {
            return Err(open_elsewhere(&holders(session).await?));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Gives the lock back before the connection ends.
pub(super) async fn let_go(session: &mut Session) -> Result<()> {
    Ok(session.batch(LET_GO).await?)
}

/// Where they are, and the processes of PostgreSQL that serve them.
async fn holders(session: &mut Session) -> Result<Vec<String>> {
    let mut holders = Vec::new();
    session
        .query(HOLDERS, &[], |row| {
            let (place, process): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
            holders.push(format!("{place} (process {process} of PostgreSQL)"));
            Ok::<_, Failure>(ControlFlow::Continue(()))
        })
        .await?;
    Ok(holders)
}

fn open_elsewhere(holders: &[String]) -> Error {
    let message = format!(
        "{} of this database's servers or commands have it open: {}; stop every server of it first. The connection of a machine \
         that is gone for good is ended with SELECT pg_terminate_backend(PROCESS)",
        holders.len(),
        holders.join(", ")
    );
    Error::new(Kind::FailedPrecondition, Rule::Unavailable, message)
}
