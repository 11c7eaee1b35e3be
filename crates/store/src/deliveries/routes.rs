//! Handing new events to the subscriptions that they concern.

use domain::{Ctx, Result, Revision, Uidp};

use super::{Offset, offset};
use crate::{Reader, Store, Writer, counts::placeholders};

/// What routing needs of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announced {
    /// Its place.
    pub offset: Offset,
    /// Whether subscribers see it.
    pub customer: bool,
    /// The group that it belongs to; `/` for none.
    pub group: String,
}

/// A subscription that new events concern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The subscription.
    pub subscription: Uidp,
    /// The first of them.
    pub first: Offset,
    /// The last of them.
    pub last: Offset,
}

/// Up to where events have been handed on; `None` before a server has begun.
///
/// # Errors
/// Internal when the storage fails.
pub async fn mark(reader: &mut Reader) -> Result<Option<Offset>> {
    reader.query_one("SELECT revision, ordinal FROM delivery_mark WHERE one = 1", &[], offset).await
}

/// The events behind `after`, in order, at most `limit`.
///
/// # Errors
/// Internal when the storage fails.
pub async fn ahead(reader: &mut Reader, after: Offset, limit: u32) -> Result<Vec<Announced>> {
    let [revision, ordinal] = after.params();
    let sql = "SELECT revision, ordinal, customer, group_uid FROM outbox WHERE (revision, ordinal) > ($1, $2) \
               ORDER BY revision, ordinal LIMIT $3";
    let read = |row: &database::Row<'_>| Ok(Announced { offset: offset(row)?, customer: row.bool(2)?, group: row.string(3)? });
    reader.query_map(sql, &[revision, ordinal, i64::from(limit).into()], read).await
}

/// The subscriptions of a group and of those above it, each with the commit that made it.
///
/// # Errors
/// Internal when the storage fails.
pub async fn concerned(reader: &mut Reader, group: &Uidp) -> Result<Vec<(Uidp, Revision)>> {
    let places: Vec<_> = std::iter::successors(Some(group.clone()), Uidp::parent).collect();
    let sql = format!("SELECT uid, revision FROM subscriptions WHERE parent IN ({}) ORDER BY uid", placeholders(1, places.len()));
    let params: Vec<_> = places.iter().map(Into::into).collect();
    reader.query_map(&sql, &params, |row| Ok((row.uidp(0)?, row.revision(1)?))).await
}

impl Store {
    /// Begins to hand on events, with the next one that is announced, unless that was begun before. Answers up to where that has come.
    ///
    /// # Errors
    /// Resource exhausted and unavailable when the storage cannot take the write; internal when it fails.
    pub async fn begin_deliveries(&self, ctx: &Ctx) -> Result<Offset> {
        if let Some(known) = mark(&mut self.reader().await?).await? {
            return Ok(known);
        }
        let begin = self.bookkeeping(ctx.clone(), |tx| {
            Box::pin(async move {
                let sql = "INSERT INTO delivery_mark (one, revision, ordinal) SELECT 1, n, 9223372036854775807 FROM revision \
                           ON CONFLICT (one) DO NOTHING";
                // SQLite takes `ON CONFLICT` after a SELECT for a join without this.
                tx.execute(&sql.replace("FROM revision", "FROM revision WHERE n >= 0"), &[]).await?;
                mark(tx).await
            })
        });
        begin.await.map(Option::unwrap_or_default)
    }

    /// Hands on the events between `from` and `to`. Answers whether that was done: not when another node has gone on from `from`.
    ///
    /// # Errors
    /// As [`Store::begin_deliveries`].
    pub async fn route_events(&self, ctx: &Ctx, from: Offset, to: Offset, wanted: Vec<Wanted>) -> Result<bool> {
        let route = self.bookkeeping(ctx.clone(), move |tx| Box::pin(async move { route(tx, from, to, &wanted).await }));
        route.await
    }
}

async fn route(tx: &mut Writer, from: Offset, to: Offset, wanted: &[Wanted]) -> Result<bool> {
    let ([revision, ordinal], [before, before_ordinal]) = (to.params(), from.params());
    let sql = "UPDATE delivery_mark SET revision = $1, ordinal = $2 WHERE one = 1 AND revision = $3 AND ordinal = $4";
    if tx.execute(sql, &[revision, ordinal, before, before_ordinal]).await? == 0 {
        return Ok(false);
    }
    let now = tx.now();
    // A subscription may have gone since it was found.
    let sql = "INSERT INTO deliveries (subscription, done_revision, done_ordinal, target_revision, target_ordinal, attempts, \
               due_at, leased_until) SELECT uid, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS BIGINT), 0, \
               CAST($6 AS BIGINT), 0 FROM subscriptions WHERE uid = $1 ON CONFLICT (subscription) DO UPDATE SET \
               target_revision = excluded.target_revision, target_ordinal = excluded.target_ordinal";
    for Wanted { subscription, first, last } in wanted {
        let ([first, ordinal], [last, last_ordinal]) = (Offset { ordinal: first.ordinal - 1, ..*first }.params(), last.params());
        tx.send(sql, &[subscription.into(), first, ordinal, last, last_ordinal, now.into()]).await?;
    }
    Ok(true)
}
