//! When what feeds are made from last changed, a row for each organization.

use database::Row;
use domain::{Result, Revision, Timestamp, Uidp};

use crate::{Reader, Writer};

/// What feeds of an organization are made from, at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    /// The commit that changed it last.
    pub revision: Revision,
    /// When that was.
    pub changed_at: Timestamp,
}

/// Says that feeds of the organization have changed with this commit.
pub(super) async fn touch(tx: &mut Writer, org: &str) -> Result<()> {
    let (now, revision) = (tx.now(), tx.revision());
    let sql = "INSERT INTO advisory_feeds (org, changed_at, revision) VALUES ($1, $2, $3) ON CONFLICT (org) DO UPDATE SET \
               changed_at = excluded.changed_at, revision = excluded.revision WHERE advisory_feeds.revision < excluded.revision";
    tx.send(sql, &[org.into(), now.into(), revision.into()]).await
}

/// Says that feeds have changed, as advisories of the group have gone with it.
pub(super) async fn go_with(tx: &mut Writer, group: &Uidp) -> Result<()> {
    if group.is_root() {
        return tx.send("DELETE FROM advisory_feeds WHERE org = $1", &[group.into()]).await;
    }
    let (now, revision) = (tx.now(), tx.revision());
    let sql = "UPDATE advisory_feeds SET changed_at = $2, revision = $3 WHERE org = $1";
    tx.send(sql, &[group.root_text().into(), now.into(), revision.into()]).await
}

/// The state of what feeds of the organization are made from; the first one where there never was anything.
///
/// # Errors
/// Internal when the storage fails.
pub async fn state(reader: &mut Reader, org: &Uidp) -> Result<State> {
    let sql = "SELECT revision, changed_at FROM advisory_feeds WHERE org = $1";
    let read = |row: &Row<'_>| Ok(State { revision: row.revision(0)?, changed_at: row.time(1)? });
    Ok(reader.query_one(sql, &[org.root_text().into()], read).await?.unwrap_or_default())
}
