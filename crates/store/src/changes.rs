//! The feed of changes: what every commit did to which resource, in the order of commits.
//!
//! Writes are serial on every engine, and over all nodes: a revision becomes visible after every smaller one. So whoever has
//! read up to a revision has missed nothing before it, and needs no upper bound. Only a restore rewrites it: it ends with an
//! update of the [`Noun::Store`], above every revision of before, and whoever meets that knows nothing of what came before.

use domain::{Noun, Op, Result, Revision};

use crate::{Reader, Writer, engine::Row};

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

pub(crate) async fn append(tx: &mut Writer, changes: &[Change]) -> Result<()> {
    for change in changes {
        tx.send(
            "INSERT INTO changes (revision, ordinal, noun, uid, op) VALUES ($1, $2, $3, $4, $5)",
            &[
                change.revision.into(),
                change.ordinal.into(),
                change.noun.as_str().into(),
                (&change.uid).into(),
                change.op.as_str().into(),
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
            "SELECT revision, ordinal, noun, uid, op FROM changes WHERE revision > $1 ORDER BY revision, ordinal LIMIT $2",
            &[after.into(), i64::from(limit).into()],
            read,
        )
        .await
}

fn read(row: &Row<'_>) -> Result<Change> {
    Ok(Change { revision: row.revision(0)?, ordinal: row.int(1)?, noun: row.word(2)?, uid: row.string(3)?, op: row.word(4)? })
}
