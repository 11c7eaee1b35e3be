//! Events that wait for delivery, in the order of commits: as in [`crate::changes`], nothing appears behind a reader.

use aws_lc_rs::digest;
use database::{Connection, Param, Row, json};
use domain::{Result, Revision, Timestamp, Upstream};

use crate::Reader;

/// What [`read`] reads, in its order.
pub(crate) const COLUMNS: &str =
    "revision, ordinal, kind, api_version, customer, subject, group_uid, actor, upstream, snapshot, at";

/// An event: what kind, about what, and a snapshot of it. The body is rendered when it is delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The commit that announced it.
    pub revision: Revision,
    /// Its place among the events of the commit.
    pub ordinal: i64,
    /// The event type.
    pub kind: String,
    /// The API version of the method, which decides the shape of the body.
    pub api_version: String,
    /// Whether subscribers outside the server see it.
    pub customer: bool,
    /// The UID of what it is about.
    pub subject: String,
    /// The group that it belongs to; `/` for none.
    pub group: String,
    /// Who did it, as in the audit log.
    pub actor: String,
    /// The upstream token of who did it.
    pub upstream: Option<Upstream>,
    /// The resource after the change, as JSON of the domain type; of a deletion the identifier, or `null` where its event has no body.
    pub snapshot: String,
    /// When.
    pub at: Timestamp,
}

impl Event {
    /// What names it wherever it is told: the same whenever and to whomever it is sent, and another one after a restore that has
    /// given its place in the outbox to another event. A UUID of version 8 (RFC 9562 section 5.8).
    #[must_use]
    pub fn id(&self) -> String {
        let Self { revision, ordinal, kind, subject, actor, at, .. } = self;
        let text = format!("{} {ordinal} {} {kind} {subject} {actor} {}", revision.0, at.0, self.snapshot);
        let digest = digest::digest(&digest::SHA256, text.as_bytes());
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
        let number = u128::from_be_bytes(bytes) & !(0xf << 76) & !(0b11 << 62) | 8 << 76 | 0b10 << 62;
        let hex = format!("{number:032x}");
        let part = |from, to| hex.get(from..to).unwrap_or_default();
        [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
    }

    /// Its row: the values of [`COLUMNS`].
    pub(crate) fn values(&self) -> Result<[Param<'_>; 11]> {
        Ok([
            self.revision.into(),
            self.ordinal.into(),
            (&self.kind).into(),
            (&self.api_version).into(),
            self.customer.into(),
            (&self.subject).into(),
            (&self.group).into(),
            (&self.actor).into(),
            self.upstream.as_ref().map(json).transpose()?.into(),
            (&self.snapshot).into(),
            self.at.into(),
        ])
    }
}

/// Adds the event with these values.
pub(crate) async fn append(connection: &mut Connection, values: &[Param<'_>; 11]) -> Result<()> {
    let sql = "INSERT INTO outbox (revision, ordinal, kind, api_version, customer, subject, group_uid, actor, upstream, snapshot, at) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    connection.send(sql, values).await
}

/// The events of the commits after `after`, in order: at most `limit`, which may end within a commit.
///
/// # Errors
/// Internal when the storage fails.
pub async fn pending(reader: &mut Reader, after: Revision, limit: u32) -> Result<Vec<Event>> {
    reader
        .query_map(
            &format!("SELECT {COLUMNS} FROM outbox WHERE revision > $1 ORDER BY revision, ordinal LIMIT $2"),
            &[after.into(), i64::from(limit).into()],
            read,
        )
        .await
}

pub(crate) fn read(row: &Row<'_>) -> Result<Event> {
    Ok(Event {
        revision: row.revision(0)?,
        ordinal: row.int(1)?,
        kind: row.string(2)?,
        api_version: row.string(3)?,
        customer: row.bool(4)?,
        subject: row.string(5)?,
        group: row.string(6)?,
        actor: row.string(7)?,
        upstream: row.opt_json(8)?,
        snapshot: row.string(9)?,
        at: row.time(10)?,
    })
}
