//! Delivery of events: how far each subscription has come, who is at it, and what was given up.
//!
//! The outbox is read once for all subscriptions: the mark says how far. A subscription that an event concerns gets a row with a
//! cursor, [`Offset`], which goes when all is delivered; so subscriptions that nothing happens to cost nothing, and there is no row
//! for each event and sink. A node that delivers for a subscription leases its row. All of this is the server's own bookkeeping.

mod letters;
mod routes;
mod turns;

use database::{Param, Row};
use domain::{Result, Revision, Timestamp, Uidp};

use crate::{Reader, outbox::Event};

pub use letters::{DeadLetter, Which, count_letters, find_letters, letters, replay};
pub use routes::{Announced, Wanted, ahead, concerned, mark};
pub use turns::{Claim, Scan, claimable, next, next_replayed};

/// A place in the outbox: that of an event, or just behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset {
    /// The commit.
    pub revision: Revision,
    /// The event's place in it.
    pub ordinal: i64,
}

/// How a subscription stands whose sink has not taken all of its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The subscription.
    pub subscription: Uidp,
    /// Where it sends to.
    pub sink: String,
    /// The last event that is done with.
    pub done: Offset,
    /// The last event that is known to concern it.
    pub target: Offset,
    /// How often delivery has failed since it last succeeded.
    pub attempts: i64,
    /// Since when.
    pub failing_since: Option<Timestamp>,
    /// Why, the last time.
    pub problem: Option<String>,
    /// When the next attempt is made.
    pub due_at: Timestamp,
}

/// An event that is given up, or was again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The event.
    pub event: Event,
    /// How often its delivery failed.
    pub attempts: i64,
    /// Why, the last time.
    pub problem: String,
}

/// What a turn has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turned {
    /// The subscription.
    pub subscription: Uidp,
    /// The node whose turn it was.
    pub node: String,
    /// The last event that is done with.
    pub done: Offset,
    /// Failures since the last success.
    pub attempts: i64,
    /// Since when.
    pub failing_since: Option<Timestamp>,
    /// Why, the last time.
    pub problem: Option<String>,
    /// When the next attempt is to be made.
    pub due_at: Timestamp,
    /// Dead letters that were delivered.
    pub delivered: Vec<Offset>,
    /// Events that are given up.
    pub given_up: Vec<Given>,
    /// How many dead letters the subscription keeps: the oldest make room.
    pub most_letters: i64,
}

/// What is told of all deliveries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Subscriptions with events that their sinks have not taken.
    pub waiting: u64,
    /// Those of them whose last attempt failed.
    pub failing: u64,
    /// When the oldest event was announced that may not be delivered yet; `None` when all are.
    pub oldest: Option<Timestamp>,
    /// Events that were given up and are still kept.
    pub dead_letters: u64,
}

/// What [`read`] reads, in its order.
const COLUMNS: &str = "d.subscription, s.sink, d.done_revision, d.done_ordinal, d.target_revision, d.target_ordinal, d.attempts, \
                       d.failing_since, d.problem, d.due_at";
const FROM: &str = "deliveries d JOIN subscriptions s ON s.uid = d.subscription";

impl Event {
    /// Its place in the outbox.
    #[must_use]
    pub fn offset(&self) -> Offset {
        Offset { revision: self.revision, ordinal: self.ordinal }
    }
}

impl Offset {
    fn params(self) -> [Param<'static>; 2] {
        [self.revision.into(), self.ordinal.into()]
    }
}

/// How a subscription stands; `None` when its sink has taken all of its events.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get(reader: &mut Reader, subscription: &Uidp) -> Result<Option<Delivery>> {
    let sql = format!("SELECT {COLUMNS} FROM {FROM} WHERE d.subscription = $1");
    reader.query_one(&sql, &[subscription.into()], read).await
}

/// The oldest commit whose events may still be needed; `None` before a server has delivered for the first time. Events of commits
/// before it can go from the outbox: what was given up is kept elsewhere.
///
/// # Errors
/// Internal when the storage fails.
pub async fn oldest_needed(reader: &mut Reader) -> Result<Option<Revision>> {
    let Some(mark) = mark(reader).await? else { return Ok(None) };
    let sql = "SELECT done_revision FROM deliveries ORDER BY done_revision LIMIT 1";
    let oldest = reader.query_one(sql, &[], |row| row.revision(0)).await?;
    Ok(Some(oldest.map_or(mark.revision, |oldest| oldest.min(mark.revision))))
}

/// What waits altogether.
///
/// # Errors
/// Internal when the storage fails.
pub async fn backlog(reader: &mut Reader) -> Result<Backlog> {
    let count = |row: &Row<'_>| Ok(u64::try_from(row.int(0)?).unwrap_or(0));
    let waiting = reader.query_one("SELECT count(*) FROM deliveries", &[], count).await?.unwrap_or(0);
    let failing = reader.query_one("SELECT count(*) FROM deliveries WHERE attempts > 0", &[], count).await?.unwrap_or(0);
    let dead_letters = reader.query_one("SELECT count(*) FROM dead_letters", &[], count).await?.unwrap_or(0);
    let sql = "SELECT done_revision, done_ordinal FROM deliveries ORDER BY done_revision, done_ordinal LIMIT 1";
    let oldest = match reader.query_one(sql, &[], offset).await? {
        Some(after) => {
            let sql =
                "SELECT at FROM outbox WHERE (revision, ordinal) > ($1, $2) AND customer ORDER BY revision, ordinal LIMIT 1";
            reader.query_one(sql, &after.params(), |row| row.time(0)).await?
        }
        None => None,
    };
    Ok(Backlog { waiting, failing, oldest, dead_letters })
}

/// Reads an offset from the first two columns.
fn offset(row: &Row<'_>) -> Result<Offset> {
    Ok(Offset { revision: row.revision(0)?, ordinal: row.int(1)? })
}

/// Reads [`COLUMNS`].
fn read(row: &Row<'_>) -> Result<Delivery> {
    Ok(Delivery {
        subscription: row.uidp(0)?,
        sink: row.string(1)?,
        done: Offset { revision: row.revision(2)?, ordinal: row.int(3)? },
        target: Offset { revision: row.revision(4)?, ordinal: row.int(5)? },
        attempts: row.int(6)?,
        failing_since: row.opt_time(7)?,
        problem: row.opt_string(8)?,
        due_at: row.time(9)?,
    })
}
