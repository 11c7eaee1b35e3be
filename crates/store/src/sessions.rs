//! Sessions of users: who may go on without the token of a login provider, by which refresh token.
//!
//! They are the server's own bookkeeping, like signing keys and claims: no revision, no feed, and in no backup. A session goes with its
//! identity, by the table's constraint, and when the identity's relationship changes.

use database::Row;
use domain::{Narrowing, Noun, Result, Rule, Timestamp, Uidp, Upstream};

use crate::{
    AuditEntry, Reader, Writer,
    counts::placeholders,
    table::{Columns, Values},
};

/// Sessions that each new one clears away of those that nobody has used for too long, and of its user's beyond their number, so that
/// the table does not outgrow its users.
const PURGE: i64 = 8;

/// What [`read`] reads, in its order.
pub(crate) const COLUMNS: &str = "uid, identity, relationship_revision, provider, client, upstream, email, audiences, scopes, \
                                  capabilities, digest, created_at, used_at";

/// That the user still is who began the session. Programs that do not know sessions leave those of before.
const STANDS: &str = "relationship_revision = (SELECT i.relationship_revision FROM identities i WHERE i.uid = sessions.identity)";

/// The SHA-256 of what is secret in a refresh token.
pub type Digest = [u8; 32];

/// A session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its identifier: the `jti` of the first access token.
    pub uid: String,
    /// The user.
    pub identity: Uidp,
    /// The revision of the user's relationship when it began. A session of another one has ended.
    pub relationship_revision: i64,
    /// The identity provider that has vouched for the user; `None` when it is one of the server's settings.
    pub provider: Option<Uidp>,
    /// For which client of the provider the upstream token was.
    pub client: String,
    /// Whom the upstream token named.
    pub upstream: Upstream,
    /// The address that the provider has verified.
    pub email: Option<String>,
    /// The audiences that its tokens may have.
    pub audiences: Vec<String>,
    /// What its tokens keep at most.
    pub narrowing: Narrowing,
    /// Of the refresh token that works next.
    pub digest: Digest,
    /// When it began.
    pub created_at: Timestamp,
    /// When a refresh token was last replaced; when it began until then.
    pub used_at: Timestamp,
}

/// Which sessions there may be.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// How many a user may have; those that were never renewed go before the others, and the ones that were used longest ago first.
    pub per_user: u32,
    /// Those that nobody has used since then have ended.
    pub used_since: Timestamp,
}

/// A refresh token that came, and its successor.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Of the token that came.
    pub presented: Digest,
    /// Of the one that it makes way for.
    pub next: Digest,
    /// Since when a token must have been replaced if it is to be taken once more.
    pub forgiven_since: Timestamp,
}

/// What became of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turned {
    /// The token that came works no more, its successor does: since then.
    Next(Timestamp),
    /// The token was used before, so the session has ended.
    Reused,
    /// There is no such session any more.
    Gone,
}

/// Adds a session.
pub(crate) async fn start(tx: &mut Writer, session: &Session, room: Room) -> Result<()> {
    make_room(tx, &session.identity, room).await?;
    insert(tx, session).await
}

/// The session with this identifier, if it has not ended.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get(reader: &mut Reader, uid: &str) -> Result<Option<Session>> {
    let sql = format!("SELECT {COLUMNS} FROM sessions WHERE uid = $1 AND {STANDS}");
    reader.query_one(&sql, &[uid.into()], read).await
}

/// Replaces the refresh token of a session. One that was used before ends it, and leaves an audit row, unless it was replaced a moment
/// ago: then its sender has not seen the answer, and the successor is the same.
pub(crate) async fn turn(tx: &mut Writer, session: &Session, turn: Turn) -> Result<Turned> {
    let uid = session.uid.as_str();
    let sql = format!("SELECT digest, previous, used_at FROM sessions WHERE uid = $1 AND {STANDS}");
    let compare = |row: &Row<'_>| {
        let is_last = row.bytes(0)? == turn.presented;
        let is_before = row.opt_bytes(1)?.is_some_and(|previous| previous == turn.presented);
        Ok((is_last, is_before, row.time(2)?))
    };
    let Some((is_last, is_before, used_at)) = tx.query_one(&sql, &[uid.into()], compare).await? else {
        return Ok(Turned::Gone);
    };
    if is_last {
        let sql = "UPDATE sessions SET digest = $2, previous = $3, used_at = $4 WHERE uid = $1";
        let (now, next, presented) = (tx.now(), turn.next.as_slice(), turn.presented.as_slice());
        tx.execute(sql, &[uid.into(), next.into(), presented.into(), now.into()]).await?;
        return Ok(Turned::Next(now));
    }
    if is_before && used_at > turn.forgiven_since {
        return Ok(Turned::Next(used_at));
    }
    tx.execute("DELETE FROM sessions WHERE uid = $1", &[uid.into()]).await?;
    let reuse = AuditEntry {
        actor: session.identity.to_string(),
        upstream: Some(session.upstream.clone()),
        token_id: Some(session.uid.clone()),
        noun: Some(Noun::Identity),
        subject: Some(session.identity.to_string()),
        outcome: Rule::RefreshTokenReused.as_str().to_owned(),
        ..AuditEntry::of(tx.ctx())
    };
    tx.note(&[&reuse]).await?;
    Ok(Turned::Reused)
}

/// Ends all sessions of a user, which are few.
pub(crate) async fn end_all(tx: &mut Writer, identity: &Uidp) -> Result<()> {
    tx.send("DELETE FROM sessions WHERE identity = $1", &[identity.into()]).await
}

/// Makes room for one more.
async fn make_room(tx: &mut Writer, identity: &Uidp, room: Room) -> Result<()> {
    let unused =
        "DELETE FROM sessions WHERE uid IN (SELECT uid FROM sessions WHERE used_at <= $1 ORDER BY used_at, uid LIMIT $2)";
    tx.send(unused, &[room.used_since.into(), PURGE.into()]).await?;
    let others = i64::from(room.per_user.saturating_sub(1));
    // Who never renews exchanges again and again: those sessions make room before one that is in use.
    let oldest = "DELETE FROM sessions WHERE uid IN (SELECT uid FROM sessions WHERE identity = $1 \
                  ORDER BY (previous IS NOT NULL) DESC, used_at DESC, uid DESC LIMIT $2 OFFSET $3)";
    tx.send(oldest, &[identity.into(), PURGE.into(), others.into()]).await
}

async fn insert(tx: &mut Writer, session: &Session) -> Result<()> {
    let Session { uid, identity, relationship_revision, provider, client, upstream, email, audiences, narrowing, .. } = session;
    let mut values = Values::default();
    values.add(uid).add(identity).add(*relationship_revision).add(provider.as_ref()).add(client);
    values.json(upstream)?.add(email.as_ref()).json(audiences)?;
    values.opt_json(narrowing.scopes.as_ref())?.opt_json(narrowing.capabilities.as_ref())?;
    values.add(session.digest.as_slice()).add(session.created_at).add(session.used_at);
    let sql = format!("INSERT INTO sessions ({COLUMNS}) VALUES ({})", placeholders(1, values.0.len()));
    tx.execute(&sql, &values.0).await?;
    Ok(())
}

/// Reads [`COLUMNS`].
pub(crate) fn read(row: &Row<'_>) -> Result<Session> {
    let mut columns = Columns::of(row, 0);
    Ok(Session {
        uid: columns.string()?,
        identity: columns.uidp()?,
        relationship_revision: columns.int()?,
        provider: columns.opt_uidp()?,
        client: columns.string()?,
        upstream: columns.json()?,
        email: columns.opt_string()?,
        audiences: columns.json()?,
        narrowing: Narrowing { scopes: columns.opt_json()?, capabilities: columns.opt_json()? },
        digest: row.bytes(10)?.try_into().map_err(domain::Error::internal)?,
        created_at: row.time(11)?,
        used_at: row.time(12)?,
    })
}
