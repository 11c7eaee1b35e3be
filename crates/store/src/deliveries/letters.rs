//! Dead letters: events that were given up.

use database::{Param, Row};
use domain::{Ctx, Result, Timestamp, Uidp};

use super::{Offset, Turned};
use crate::{
    Reader, Store, Writer,
    counts::placeholders,
    outbox::{self, Event},
};

/// Dead letters that are removed in one write at most.
const STEP: i64 = 200;
/// Subscriptions that one sweep looks at.
const LOOKS: usize = 50;

/// An event that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// The event.
    pub event: Event,
    /// How often its delivery failed.
    pub attempts: i64,
    /// Why, the last time.
    pub problem: String,
    /// When it was given up.
    pub died_at: Timestamp,
    /// When somebody asked to send it again, unless that was given up, too.
    pub replayed_at: Option<Timestamp>,
}

/// Which dead letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// All of the subscription.
    All,
    /// Those of these events.
    Events(Vec<String>),
}

/// What [`read`] reads behind the event.
const OWN: &str = "attempts, problem, died_at, replayed_at";

/// Dead letters of a subscription behind `after`, in the order of their events: at most `limit`.
///
/// # Errors
/// Internal when the storage fails.
pub async fn letters(reader: &mut Reader, subscription: &Uidp, after: Offset, limit: u32) -> Result<Vec<DeadLetter>> {
    let [revision, ordinal] = after.params();
    let sql = format!(
        "SELECT {}, {OWN} FROM dead_letters WHERE subscription = $1 AND (revision, ordinal) > ($2, $3) \
         ORDER BY revision, ordinal LIMIT $4",
        outbox::COLUMNS
    );
    reader.query_map(&sql, &[subscription.into(), revision, ordinal, i64::from(limit).into()], read).await
}

/// How many dead letters a subscription has.
///
/// # Errors
/// Internal when the storage fails.
pub async fn count_letters(reader: &mut Reader, subscription: &Uidp) -> Result<u64> {
    let sql = "SELECT count(*) FROM dead_letters WHERE subscription = $1";
    let count = reader.query_one(sql, &[subscription.into()], |row| row.int(0)).await?;
    Ok(u64::try_from(count.unwrap_or(0)).unwrap_or(0))
}

/// How many of these events are dead letters of the subscription.
///
/// # Errors
/// Internal when the storage fails.
pub async fn find_letters(reader: &mut Reader, subscription: &Uidp, events: &[String]) -> Result<u64> {
    let sql = format!("SELECT count(*) FROM dead_letters WHERE subscription = $1 AND id IN ({})", placeholders(2, events.len()));
    let params: Vec<Param<'_>> = std::iter::once(subscription.into()).chain(events.iter().map(Into::into)).collect();
    let count = reader.query_one(&sql, &params, |row| row.int(0)).await?;
    Ok(u64::try_from(count.unwrap_or(0)).unwrap_or(0))
}

/// Has dead letters sent again, before anything else of the subscription, in their order. Answers how many.
///
/// # Errors
/// Internal when the storage fails.
pub async fn replay(tx: &mut Writer, subscription: &Uidp, which: &Which) -> Result<u64> {
    let now = tx.now();
    let mut params: Vec<Param<'_>> = vec![subscription.into(), now.into()];
    let mut sql = "UPDATE dead_letters SET replayed_at = $2 WHERE subscription = $1 AND replayed_at IS NULL".to_owned();
    if let Which::Events(events) = which {
        if events.is_empty() {
            return Ok(0);
        }
        sql = format!("{sql} AND id IN ({})", placeholders(3, events.len()));
        params.extend(events.iter().map(Into::into));
    }
    let marked = tx.execute(&sql, &params).await?;
    if marked > 0 {
        let sql = "INSERT INTO deliveries (subscription, done_revision, done_ordinal, target_revision, target_ordinal, attempts, \
                   due_at, leased_until) SELECT s.uid, m.revision, m.ordinal, m.revision, m.ordinal, 0, CAST($2 AS BIGINT), 0 \
                   FROM subscriptions s, delivery_mark m WHERE s.uid = $1 ON CONFLICT (subscription) DO UPDATE SET \
                   due_at = excluded.due_at";
        tx.send(sql, &[subscription.into(), now.into()]).await?;
    }
    Ok(marked)
}

/// Whether dead letters of the subscription are to be sent again.
pub(super) async fn is_replaying(reader: &mut Reader, subscription: &Uidp) -> Result<bool> {
    let sql = "SELECT 1 FROM dead_letters WHERE subscription = $1 AND replayed_at IS NOT NULL LIMIT 1";
    reader.exists(sql, &[subscription.into()]).await
}

/// Removes those that a turn has delivered, and adds those that it has given up.
pub(super) async fn settle(tx: &mut Writer, turned: &Turned) -> Result<()> {
    let subscription = &turned.subscription;
    for letter in &turned.delivered {
        let [revision, ordinal] = letter.params();
        let sql = "DELETE FROM dead_letters WHERE subscription = $1 AND revision = $2 AND ordinal = $3";
        tx.send(sql, &[subscription.into(), revision, ordinal]).await?;
    }
    let now = tx.now();
    for given in &turned.given_up {
        let sql = format!(
            "INSERT INTO dead_letters ({}, attempts, problem, died_at, subscription, id) VALUES ({}) \
             ON CONFLICT (subscription, revision, ordinal) DO UPDATE SET attempts = dead_letters.attempts + excluded.attempts, \
             problem = excluded.problem, died_at = excluded.died_at, replayed_at = NULL",
            outbox::COLUMNS,
            placeholders(1, 16)
        );
        let id = given.event.id();
        let own: [Param<'_>; 5] =
            [given.attempts.into(), given.problem.as_str().into(), now.into(), subscription.into(), id.as_str().into()];
        let params: Vec<_> = given.event.values()?.into_iter().chain(own).collect();
        tx.send(&sql, &params).await?;
    }
    if !turned.given_up.is_empty() {
        make_room(tx, subscription, turned.most_letters).await?;
    }
    Ok(())
}

/// Removes the oldest beyond `most`, which are no more than one turn has added.
async fn make_room(tx: &mut Writer, subscription: &Uidp, most: i64) -> Result<()> {
    let sql = "DELETE FROM dead_letters WHERE subscription = $1 AND (revision, ordinal) IN \
               (SELECT revision, ordinal FROM dead_letters WHERE subscription = $1 ORDER BY revision DESC, ordinal DESC \
               LIMIT $2 OFFSET $3)";
    tx.send(sql, &[subscription.into(), STEP.into(), most.into()]).await
}

impl Store {
    /// Removes a few dead letters that are older than `before` or whose subscription is gone. `from` is where the search for the
    /// latter goes on; answers where it goes on the next time.
    ///
    /// # Errors
    /// Resource exhausted and unavailable when the storage cannot take the write; internal when it fails.
    pub async fn sweep_dead_letters(&self, ctx: &Ctx, before: Timestamp, from: String) -> Result<String> {
        let mut reader = self.reader().await?;
        let (mut next, mut orphans) = (from, Vec::new());
        for _ in 0..LOOKS {
            let sql = "SELECT l.subscription, s.uid FROM dead_letters l LEFT JOIN subscriptions s ON s.uid = l.subscription \
                       WHERE l.subscription > $1 ORDER BY l.subscription LIMIT 1";
            let found = reader.query_one(sql, &[next.as_str().into()], |row| Ok((row.string(0)?, row.opt_string(1)?))).await?;
            let Some((subscription, owner)) = found else {
                next = String::new();
                break;
            };
            if owner.is_none() {
                orphans.push(subscription.clone());
            }
            next = subscription;
        }
        let aged = reader.exists("SELECT 1 FROM dead_letters WHERE died_at < $1 LIMIT 1", &[before.into()]).await?;
        drop(reader);
        if aged || !orphans.is_empty() {
            let sweep = self.bookkeeping(ctx.clone(), move |tx| Box::pin(async move { sweep(tx, before, &orphans).await }));
            sweep.await?;
        }
        Ok(next)
    }
}

async fn sweep(tx: &mut Writer, before: Timestamp, orphans: &[String]) -> Result<()> {
    let key = "(subscription, revision, ordinal)";
    let columns = "subscription, revision, ordinal";
    for subscription in orphans {
        let sql = format!(
            "DELETE FROM dead_letters WHERE {key} IN (SELECT {columns} FROM dead_letters WHERE subscription = $1 LIMIT $2)"
        );
        tx.send(&sql, &[subscription.as_str().into(), STEP.into()]).await?;
    }
    let sql = format!(
        "DELETE FROM dead_letters WHERE {key} IN (SELECT {columns} FROM dead_letters WHERE died_at < $1 ORDER BY died_at LIMIT $2)"
    );
    tx.send(&sql, &[before.into(), STEP.into()]).await
}

fn read(row: &Row<'_>) -> Result<DeadLetter> {
    Ok(DeadLetter {
        event: outbox::read(row)?,
        attempts: row.int(11)?,
        problem: row.string(12)?,
        died_at: row.time(13)?,
        replayed_at: row.opt_time(14)?,
    })
}
