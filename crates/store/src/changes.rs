//! The feed of changes: what every commit did to which resource, in the order of commits.
//!
//! Writes are serial on every engine, and over all nodes: a revision becomes visible after every smaller one. So whoever has
//! read up to a revision has missed nothing before it, and needs no upper bound. Only a restore rewrites it: it ends with an
//! update of the [`Noun::Store`], above every revision of before, and whoever meets that knows nothing of what came before.

use database::{Connection, Param, Row};
use domain::{Noun, Op, Result, Revision};

use crate::{
    Reader,
    chain::RightsDigest,
    spot::{Move, Spot},
};

/// What [`read`] reads, in its order.
pub(crate) const COLUMNS: &str = "revision, ordinal, noun, uid, op";

/// The columns that the audit log vouches for; where rows stand in lists is compared with the rows.
pub(crate) const SEALED: &str = "ordinal, noun, uid, op, digest";

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The commit.
    pub revision: Revision,
    /// Its place within the commit.
    pub ordinal: i64,
    /// What kind of resource.
    pub noun: Noun,
    /// Which one.
    pub uid: String,
    /// What happened to it.
    pub op: Op,
}

/// A change with where its row stood and stands, when it has a place in lists.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) change: Change,
    pub(crate) spots: Option<Move>,
    /// Of the columns that rights follow from, when its row has some.
    pub(crate) digest: Option<RightsDigest>,
}

impl Told {
    /// What the code of its commit's entry in the audit log is made of: the values of [`SEALED`].
    pub(crate) fn values(&self) -> [Param<'_>; 5] {
        let digest = self.digest.as_ref().map(RightsDigest::as_bytes);
        [
            self.change.ordinal.into(),
            self.change.noun.as_str().into(),
            (&self.change.uid).into(),
            self.change.op.as_str().into(),
            digest.into(),
        ]
    }

    /// What was done to the same resource after it, in the same commit.
    pub(crate) fn and(&mut self, op: Op, spots: Option<Move>, digest: Option<RightsDigest>) {
        // Made and changed in one write is still new to everybody else; bound otherwise is less than changed.
        if op != Op::Rebound && (self.change.op != Op::Created || op == Op::Deleted) {
            self.change.op = op;
        }
        self.digest = digest.or(self.digest).filter(|_| op != Op::Deleted);
        self.spots = match (self.spots.take(), spots) {
            (Some(before), Some(after)) => Some(Move { from: before.from, to: after.to }),
            (before, after) => before.or(after),
        };
    }
}

pub(crate) async fn append(connection: &mut Connection, changes: &[Told]) -> Result<()> {
    for Told { change, spots, digest } in changes {
        let (from, to) = spots.as_ref().map_or((None, None), |spots| (spots.from.as_ref(), spots.to.as_ref()));
        let name = |spot: Option<&Spot>| spot.map_or(Param::Null, |spot| spot.name.clone().into());
        let time = |spot: Option<&Spot>| spot.map_or(Param::Null, |spot| spot.created_at.into());
        connection
            .send(
                "INSERT INTO changes (revision, ordinal, noun, uid, op, from_name, from_created_at, to_name, to_created_at, digest) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                &[
                    change.revision.into(),
                    change.ordinal.into(),
                    change.noun.as_str().into(),
                    (&change.uid).into(),
                    change.op.as_str().into(),
                    name(from),
                    time(from),
                    name(to),
                    time(to),
                    digest.as_ref().map(RightsDigest::as_bytes).into(),
                ],
            )
            .await?;
    }
    Ok(())
}

/// The changes of the commits after `after`, in order: at most `limit`, which may end within a commit.
///
/// # Errors
/// Internal when the storage fails.
pub async fn since(reader: &mut Reader, after: Revision, limit: u32) -> Result<Vec<Change>> {
    reader
        .query_map(
            &format!("SELECT {COLUMNS} FROM changes WHERE revision > $1 ORDER BY revision, ordinal LIMIT $2"),
            &[after.into(), i64::from(limit).into()],
            read,
        )
        .await
}

pub(crate) fn read(row: &Row<'_>) -> Result<Change> {
    Ok(Change { revision: row.revision(0)?, ordinal: row.int(1)?, noun: row.word(2)?, uid: row.string(3)?, op: row.word(4)? })
}
