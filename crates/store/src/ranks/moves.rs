//! What the feed tells of rows that have moved.

use database::Row;
use domain::{Noun, Op, Result, Revision};

use crate::{
    Reader,
    fences::Step,
    spot::{Move, Spot},
};

/// A place in the feed: a commit, and a change of it.
pub(super) type At = (Revision, i64);

/// Behind the last change of a commit.
pub(super) fn behind(revision: Revision) -> At {
    (revision, i64::MAX)
}

/// Some of the feed.
#[derive(Debug)]
pub(super) struct Stretch {
    pub(super) steps: Vec<Step>,
    /// Its last change, when there are perhaps more after it.
    pub(super) more: Option<At>,
}

/// What has moved after a place in the feed, as told by at most `limit` changes. `None` when the feed does not tell all of it: what came
/// then was removed as old, everything was restored, or a program wrote that knows no ranks.
pub(super) async fn after(reader: &mut Reader, (revision, ordinal): At, limit: usize) -> Result<Option<Stretch>> {
    let sql = format!(
        "SELECT c.revision, c.ordinal, c.noun, c.uid, c.op, c.from_name, c.from_created_at, c.to_name, c.to_created_at, \
         (SELECT floor FROM retention) FROM revision r LEFT JOIN \
         (SELECT * FROM changes WHERE (revision, ordinal) > ($1, $2) ORDER BY revision, ordinal LIMIT {limit}) c ON c.revision > 0 ORDER BY c.revision, c.ordinal"
    );
    let (mut told, mut steps, mut last) = (true, Vec::new(), None);
    let read = |row: &Row<'_>| {
        // Old changes are removed.
        told &= row.opt_int(9)?.is_none_or(|floor| floor <= revision.0);
        if row.opt_int(0)?.is_none() {
            return Ok(());
        }
        last = Some((row.revision(0)?, row.int(1)?));
        match change(row)? {
            Change::Moved(step) => steps.push(step),
            Change::Stayed => {}
            Change::Untold => told = false,
        }
        Ok(())
    };
    let read = reader.query_map(&sql, &[revision.into(), ordinal.into()], read).await?.len();
    Ok(told.then_some(Stretch { steps, more: last.filter(|_| read == limit) }))
}

enum Change {
    Moved(Step),
    Stayed,
    Untold,
}

fn change(row: &Row<'_>) -> Result<Change> {
    let (noun, op): (Noun, Op) = (row.word(2)?, row.word(4)?);
    let spots = Move { from: spot(row, 5)?, to: spot(row, 7)? };
    Ok(match noun {
        Noun::SigningKey => Change::Stayed,
        Noun::Store => Change::Untold,
        _ => match spots {
            // Its bindings have changed, and it has not.
            Move { from: None, to: None } if op == Op::Rebound => Change::Stayed,
            Move { from: None, to: None } => Change::Untold,
            spots if spots.from == spots.to => Change::Stayed,
            spots => Change::Moved(Step { revision: row.revision(0)?, noun, uid: row.uidp(3)?, spots }),
        },
    })
}

fn spot(row: &Row<'_>, at: usize) -> Result<Option<Spot>> {
    match row.opt_string(at)? {
        Some(name) => Ok(Some(Spot { name, created_at: row.time(at + 1)? })),
        None => Ok(None),
    }
}
