//! A node's turn with a subscription: it leases the row, reads events, and says how far it has come.

use database::Param;
use domain::{Ctx, Result, Revision, Timestamp, Uidp};

use super::{COLUMNS, Delivery, FROM, Offset, Turned, letters, offset, read};
use crate::{
    Reader, Store, Writer,
    counts::placeholders,
    outbox::{self, Event},
};

/// How many commits one question looks through.
const SPAN: i64 = 20_000;

/// A wish to deliver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// For which subscriptions.
    pub subscriptions: Vec<Uidp>,
    /// Which node.
    pub node: String,
    /// Until when nobody else does.
    pub until: Timestamp,
}

/// What a question for the next event finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scan {
    /// An event.
    Event(Box<Event>),
    /// None up to there; there may be some behind it.
    Nothing(Offset),
    /// None up to the end.
    End,
}

/// The subscriptions whose time has come and that no node is at, those that wait longest first: at most `limit`, none of the
/// organizations `but`, and only those that have not failed last when `healthy` says so.
///
/// # Errors
/// Internal when the storage fails.
pub async fn claimable(
    reader: &mut Reader,
    now: Timestamp,
    but: &[String],
    healthy: bool,
    limit: usize,
) -> Result<Vec<Delivery>> {
    let others = if but.is_empty() {
        String::new()
    } else {
        format!(" AND substr(d.subscription, 1, 40) NOT IN ({})", placeholders(3, but.len()))
    };
    let healthy = if healthy { " AND d.attempts = 0" } else { "" };
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE d.due_at <= $1 AND d.leased_until <= $1{others}{healthy} \
         ORDER BY d.due_at, d.subscription LIMIT $2"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let params: Vec<Param<'_>> = [now.into(), limit.into()].into_iter().chain(but.iter().map(Into::into)).collect();
    reader.query_map(&sql, &params, read).await
}

/// The first event behind `after`, and not behind `until`, that belongs to `group` or to one below it.
///
/// # Errors
/// Internal when the storage fails.
pub async fn next(reader: &mut Reader, group: &str, after: Offset, until: Offset) -> Result<Scan> {
    let reach = Offset { revision: Revision(after.revision.0.saturating_add(SPAN)), ordinal: i64::MAX };
    let end = until.min(reach);
    let ([revision, ordinal], [last, last_ordinal]) = (after.params(), end.params());
    let (above, below) = (format!("{group}/"), format!("{group}0"));
    let sql = format!(
        "SELECT {} FROM outbox WHERE (revision, ordinal) > ($1, $2) AND (revision, ordinal) <= ($3, $4) AND customer \
         AND (group_uid = $5 OR group_uid > $6 AND group_uid < $7) ORDER BY revision, ordinal LIMIT 1",
        outbox::COLUMNS
    );
    let params = [revision, ordinal, last, last_ordinal, group.into(), above.as_str().into(), below.as_str().into()];
    Ok(match reader.query_one(&sql, &params, outbox::read).await? {
        Some(event) => Scan::Event(Box::new(event)),
        None if end < until => Scan::Nothing(end),
        None => Scan::End,
    })
}

/// The first dead letter behind `after` that is to be sent again, with when that was asked for.
///
/// # Errors
/// Internal when the storage fails.
pub async fn next_replayed(reader: &mut Reader, subscription: &Uidp, after: Offset) -> Result<Option<(Event, Timestamp)>> {
    let [revision, ordinal] = after.params();
    let sql = format!(
        "SELECT {}, replayed_at FROM dead_letters WHERE subscription = $1 AND (revision, ordinal) > ($2, $3) \
         AND replayed_at IS NOT NULL ORDER BY revision, ordinal LIMIT 1",
        outbox::COLUMNS
    );
    reader.query_one(&sql, &[subscription.into(), revision, ordinal], |row| Ok((outbox::read(row)?, row.time(11)?))).await
}

impl Store {
    /// Leases subscriptions to a node. Answers those that it got.
    ///
    /// # Errors
    /// Resource exhausted and unavailable when the storage cannot take the write; internal when it fails.
    pub async fn claim_deliveries(&self, ctx: &Ctx, claim: Claim) -> Result<Vec<Delivery>> {
        self.bookkeeping(ctx.clone(), move |tx| Box::pin(async move { lease(tx, &claim).await })).await
    }

    /// Ends the turn of a node that still has the lease: what it has come to is kept, and others may go on.
    ///
    /// # Errors
    /// As [`Store::claim_deliveries`].
    pub async fn end_turn(&self, ctx: &Ctx, turned: Turned) -> Result<()> {
        self.bookkeeping(ctx.clone(), move |tx| Box::pin(async move { end(tx, &turned).await })).await
    }

    /// Ends all leases: for a process that nobody shares the database with.
    ///
    /// # Errors
    /// As [`Store::claim_deliveries`].
    pub async fn end_leases(&self, ctx: &Ctx) -> Result<()> {
        let end = self.bookkeeping(ctx.clone(), |tx| {
            Box::pin(async move {
                tx.execute("UPDATE deliveries SET node = NULL, leased_until = 0 WHERE leased_until > 0", &[]).await?;
                Ok(())
            })
        });
        end.await
    }
}

async fn lease(tx: &mut Writer, claim: &Claim) -> Result<Vec<Delivery>> {
    let mut got = Vec::with_capacity(claim.subscriptions.len());
    let now = tx.now();
    for subscription in &claim.subscriptions {
        let sql =
            "UPDATE deliveries SET node = $2, leased_until = $3 WHERE subscription = $1 AND leased_until <= $4 AND due_at <= $4";
        let params = [subscription.into(), claim.node.as_str().into(), claim.until.into(), now.into()];
        if tx.execute(sql, &params).await? > 0 {
            got.extend(super::get(tx, subscription).await?);
        }
    }
    Ok(got)
}

async fn end(tx: &mut Writer, turned: &Turned) -> Result<()> {
    let Turned { subscription, node, done, due_at, .. } = turned;
    let held = "SELECT target_revision, target_ordinal FROM deliveries WHERE subscription = $1 AND node = $2";
    // Another node has it by now, and does all of this itself; or the subscription is gone.
    let Some(target) = tx.query_one(held, &[subscription.into(), node.as_str().into()], offset).await? else { return Ok(()) };
    letters::settle(tx, turned).await?;
    if *done >= target && !letters::is_replaying(tx, subscription).await? {
        return tx.send("DELETE FROM deliveries WHERE subscription = $1", &[subscription.into()]).await;
    }
    let [revision, ordinal] = done.params();
    let sql = "UPDATE deliveries SET done_revision = $2, done_ordinal = $3, attempts = $4, failing_since = $5, problem = $6, due_at = $7, \
               node = NULL, leased_until = 0 WHERE subscription = $1";
    let since: Param<'_> = turned.failing_since.into();
    let params =
        [subscription.into(), revision, ordinal, turned.attempts.into(), since, turned.problem.as_ref().into(), (*due_at).into()];
    tx.send(sql, &params).await
}
