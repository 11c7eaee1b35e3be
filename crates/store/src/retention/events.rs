//! Events that everybody has.

use database::Param;
use domain::{Ctx, Result, Timestamp};

use super::{STEP, needed};
use crate::{Store, chain::event_digest, outbox};

/// Removes some of the events that are older than `before` and that no delivery needs any more; the audit log keeps the SHA-256 of each.
/// Answers whether there may be more of them.
///
/// # Errors
/// Resource exhausted and unavailable when the storage cannot take the write; internal when it fails.
pub async fn trim_events(store: &Store, ctx: &Ctx, before: Timestamp) -> Result<bool> {
    let mut reader = store.reader().await?;
    let needed = needed(&mut reader).await?;
    let sql =
        format!("SELECT {} FROM outbox WHERE revision < $1 AND at < $2 ORDER BY revision, ordinal LIMIT {STEP}", outbox::COLUMNS);
    let events = reader.query_map(&sql, &[needed.into(), before.into()], outbox::read).await?;
    drop(reader);
    let found = events.len();
    if found == 0 {
        return Ok(false);
    }
    let spent: Vec<_> =
        events.iter().map(|event| Ok((event.revision, event.ordinal, event_digest(&event.values()?)))).collect::<Result<_>>()?;
    store
        .bookkeeping(ctx.clone(), move |tx| {
            Box::pin(async move {
                for (revision, ordinal, digest) in spent {
                    // Another node may have been quicker.
                    let keep = "INSERT INTO spent_events (revision, ordinal, digest) SELECT revision, ordinal, $3 FROM outbox \
                                WHERE revision = $1 AND ordinal = $2 ON CONFLICT DO NOTHING";
                    tx.send(keep, &[revision.into(), ordinal.into(), digest]).await?;
                    let event: [Param<'_>; 2] = [revision.into(), ordinal.into()];
                    tx.send("DELETE FROM outbox WHERE revision = $1 AND ordinal = $2", &event).await?;
                }
                Ok(())
            })
        })
        .await?;
    Ok(found == STEP)
}
